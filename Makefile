# Every target with a ## comment is listed by `make help`.

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME      ?= 20s
BENCHTIME     ?= 3s

.DEFAULT_GOAL := help
.PHONY: help run test lint bench fuzz cover build image

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-7s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## run Countersign with the embedded platform on http://localhost:8080
	go run ./cmd/countersign

test: ## everything that must hold: vet, lint, all tests under the race detector, the browser's too
	@.ci/test

lint: ## golangci-lint, as configured in .golangci.yml
	go run $(GOLANGCI_LINT) run ./...

bench: ## the budgets of docs/benchmarks.md, against a real Redis
	@.ci/prepare
	@.ci/bench $(BENCHTIME)

fuzz: ## each fuzzer for FUZZTIME (20s)
	@.ci/fuzz $(FUZZTIME)

cover: ## which code the tests run, package by package
	go test -cover ./...

build: ## a static binary in bin/
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o bin/countersign ./cmd/countersign

image: ## the container image
	docker build -t countersign .
