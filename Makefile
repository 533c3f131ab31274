# Every target with a ## comment is listed by `make help`.

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK   := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# The known vulnerabilities. make vulndb moves it, so that the same commit has the same result.
VULNDB        := golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018
FUZZTIME      ?= 20s
BENCHTIME     ?= 3s
SOAK          ?= 1h
# Where make test leaves what the end-to-end tests asked and were answered.
EXCHANGES     ?= bin/exchanges
# Where make test-failover writes what was asked and answered; nowhere if it is empty.
HISTORIES     ?=

# The version that make release makes.
RELEASE       := 1.0.0
# What the program calls itself, in its log, its metrics and to the platform.
VERSION       ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
# The Go that builds releases, the image and benchmarks: make build TOOLCHAIN=local takes the
# one that is installed.
TOOLCHAIN     ?= $(shell sed -n 's/^toolchain //p' go.mod)
RELEASED      := GOTOOLCHAIN=$(TOOLCHAIN) CGO_ENABLED=0
# nomsgpack leaves out a codec that gin has and nothing here uses: 6 MB of the program.
BUILD         := $(RELEASED) go build -trimpath -tags nomsgpack
LDFLAGS       := -s -w -X main.release=$(VERSION)
# Where the image's root file system is made, and the authorities that are trusted there.
ROOTFS        ?= bin/rootfs
IMAGE         ?= bin/image.tar
CERTIFICATES  ?= /etc/ssl/certs/ca-certificates.crt

.DEFAULT_GOAL := help
.PHONY: help run test race check lint commits manifests listings check-openapi vet vulnerabilities vulndb aaguids client contract check-html check-screenreader check-proxies check-browsers bench test-failover soak fuzz cover build release release-twice image image-archive image-archive-test image-test image-rootfs sbom

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## run Countersign with the embedded platform on http://localhost:8080
	go run ./cmd/countersign

test: ## all tests
	@.ci/test

race: ## the tests in which something runs concurrently, under the race detector
	@.ci/test race

check: ## what must hold beside the tests: the race detector, lint, commits, manifests, listings, answers, and build, vet and vulnerabilities
	@.ci/check

lint: ## golangci-lint, as configured in .golangci.yml
	go run $(GOLANGCI_LINT) run ./...
	cd cmd/image && go run $(GOLANGCI_LINT) run ./...

commits: ## the subjects of commits: type(scope): verb object, at most 60 characters
	@.ci/commits

manifests: ## deploy/kubernetes, the Helm chart and the files of Compose, read as strictly as the API of Kubernetes and the specification of Compose read them
	cd deploy/strict && go test -count=1 ./...

listings: ## the examples in Kotlin and Swift, and what pages show of them: the grammars of tree-sitter read them; nothing compiles them
	cd internal/e2e/interop/listings && CGO_ENABLED=1 go test -vet=off -count=1 .

check-openapi: ## what make test left in EXCHANGES: every answer against the OpenAPI document, by a second library
	cd internal/e2e/interop/openapi && EXCHANGES='$(abspath $(EXCHANGES))' go test -vet=off -count=1 -v .

vet: ## go vet, by the Go that builds releases
	$(RELEASED) go vet -tags nomsgpack ./...

vulnerabilities: ## known vulnerabilities that the released build reaches
	GOTOOLCHAIN=$(TOOLCHAIN) .ci/vulnerabilities $(GOVULNCHECK) $(VULNDB)

vulndb: ## have make vulnerabilities use the newest database
	sed -i "s|^VULNDB .*|VULNDB        := golang.org/x/vulndb@$$(go list -m -f '{{.Version}}' golang.org/x/vulndb@latest)|" Makefile

aaguids: ## take over the names of the models of passkeys from the list FROM, JSON or CSV
	go test ./internal/identity/platform -count=1 -run '^TestProviders_FoundByAAGUID$$' -from '$(abspath $(FROM))'

client: build examples/client-ts/node_modules ## examples/client-ts: types from the OpenAPI document, strict TypeScript, and a run (needs npm)
	node internal/e2e/interop/client.mjs

contract: build internal/e2e/interop/node_modules ## the OpenAPI document: a typed client in strict mode, OWASP's rules (needs npm)
	node internal/e2e/interop/contract.mjs

check-html: build internal/e2e/interop/node_modules ## every page in five languages by the Nu Html Checker (needs npm and java)
	node internal/e2e/interop/html.mjs

check-screenreader: build internal/e2e/interop/node_modules ## what a virtual screen reader says, compared with internal/e2e/interop/screenreader (needs npm)
	node internal/e2e/interop/screenreader.mjs

check-proxies: build ## reverse proxies of Debian before it, and slow clients; FRONT=nginx for one (needs node)
	node internal/e2e/interop/proxies.mjs $(FRONT)

check-browsers: build ## Firefox ESR and WebKitGTK of Debian at what people do most; ENGINE=firefox for one (needs node)
	@.ci/prepare firefox-esr webkit2gtk-driver=WebKitWebDriver xvfb=Xvfb
	node internal/e2e/interop/browsers.mjs $(ENGINE)

internal/e2e/interop/node_modules: internal/e2e/interop/package-lock.json
	cd internal/e2e/interop && npm ci --ignore-scripts && touch node_modules

examples/client-ts/node_modules: examples/client-ts/package-lock.json
	cd examples/client-ts && npm ci --ignore-scripts && touch node_modules

bench: ## the budgets of docs/benchmarks.md, against a real Redis
	@.ci/prepare
	@GOTOOLCHAIN=$(TOOLCHAIN) .ci/bench $(BENCHTIME)

test-failover: ## two nodes, a proxy and Redis in each mode, broken in each way; prints the table of docs/operate/failover-tests.md
	@.ci/prepare
	go test ./internal/e2e/drill -count=1 -timeout 30m -v -args -full -histories '$(abspath $(HISTORIES))'

soak: ## SOAK (1h) of constant load: what two nodes and Redis take stays flat
	@.ci/prepare
	go test ./internal/e2e/drill -count=1 -timeout 26h -v -args -soak $(SOAK)

fuzz: ## each fuzzer for FUZZTIME (20s)
	@.ci/fuzz $(FUZZTIME)

cover: ## which code the tests run, package by package
	go test -cover ./...

build: ## a static binary in bin/
	$(BUILD) -ldflags '$(LDFLAGS)' -o bin/countersign ./cmd/countersign

sbom: build ## what the program is made of, in CycloneDX: bin/sbom.cdx.json
	bin/countersign sbom > bin/sbom.cdx.json

release: ## the archives of a release, for five systems, and its image, in bin/release: docs/releasing.md
	@.ci/release '$(RELEASE)' '$(TOOLCHAIN)' '$(abspath bin/release)'

release-twice: release ## the release again, in another checkout: it must be the same to the byte
	rm -rf bin/again && git clone --quiet . bin/again/checkout
	bin/again/checkout/.ci/release '$(RELEASE)' '$(TOOLCHAIN)' '$(abspath bin/again/release)'
	diff bin/release/SHA256SUMS bin/again/release/SHA256SUMS

image: ## the container image
	docker build --build-arg VERSION='$(VERSION)' -t countersign .

image-archive: ## the container image of a release, for two architectures, as an OCI archive: bin/image.tar
	@.ci/image-archive '$(RELEASE)' '$(TOOLCHAIN)' '$(abspath $(IMAGE))'

image-archive-test: ## the OCI archive is read, and its program for this machine is started and used
	go test ./internal/e2e/image -count=1 -v -run TestArchive_ImagePerArchitecture -args -archive '$(abspath $(IMAGE))'

image-test: ## buildah builds the Dockerfile, on a base image of the Go that builds releases, and the image is started and used
	@.ci/prepare buildah
	GOTOOLCHAIN=$(TOOLCHAIN) go test -tags dockerfile ./internal/e2e/image -count=1 -timeout 20m -v -run TestDockerfile_BuildsAndRuns

image-rootfs: ## what the image holds, in bin/rootfs; needs no network once the modules are there
	install -d -m 755 '$(ROOTFS)/etc/ssl/certs' '$(ROOTFS)/var' '$(ROOTFS)/fonts'
	install -d -m 1777 '$(ROOTFS)/var/tmp'
	export GOPROXY=off; $(BUILD) -ldflags '$(LDFLAGS)' -o '$(ROOTFS)/countersign' ./cmd/countersign
	install -m 644 '$(CERTIFICATES)' '$(ROOTFS)/etc/ssl/certs/ca-certificates.crt'
	install -m 644 LICENSE '$(ROOTFS)/LICENSE'
	go version -m '$(ROOTFS)/countersign' | sed '1s/^[^:]*/countersign/' > '$(ROOTFS)/sbom.txt'
