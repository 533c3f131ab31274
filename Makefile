# Every target with a ## comment is listed by `make help`.

GOLANGCI_LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
GOVULNCHECK   := golang.org/x/vuln/cmd/govulncheck@v1.9.0
# The database of known vulnerabilities. It is pinned so that a commit has one result; make vulndb updates it.
VULNDB        := golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018
FUZZTIME      ?= 20s
BENCHTIME     ?= 3s
SOAK          ?= 1h
# Where make test writes the requests and responses of the end-to-end tests.
EXCHANGES     ?= bin/exchanges
# Where make test-failover writes its requests and responses; empty for nowhere.
HISTORIES     ?=

# The version that make release makes.
RELEASE       := 1.0.0
# The version that the program reports in its log and metrics, and to the platform.
VERSION       ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
# The Go that builds releases, the image and benchmarks. make build TOOLCHAIN=local uses the
# installed one.
TOOLCHAIN     ?= $(shell sed -n 's/^toolchain //p' go.mod)
RELEASED      := GOTOOLCHAIN=$(TOOLCHAIN) CGO_ENABLED=0
# nomsgpack omits a codec of gin that Countersign does not use: 6 MB less.
BUILD         := $(RELEASED) go build -trimpath -tags nomsgpack
LDFLAGS       := -s -w -X main.release=$(VERSION)
# The folder of the image's root file system, and the authorities that it trusts.
ROOTFS        ?= bin/rootfs
IMAGE         ?= bin/image.tar
CERTIFICATES  ?= /etc/ssl/certs/ca-certificates.crt

.DEFAULT_GOAL := help
.PHONY: help run test race check lint commits manifests check-listings check-openapi vet vulnerabilities vulndb aaguids client contract check-html check-screenreader check-proxies check-browsers bench test-failover soak fuzz cover build release release-twice image image-archive image-archive-test image-test image-rootfs sbom

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-19s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## run Countersign with the embedded platform on http://localhost:8080
	go run ./cmd/countersign

test: ## run all tests but those that passed with the same code before; FRESH=1 runs these too
	@.ci/test

race: ## run the concurrent tests under the race detector
	@.ci/test race

check: ## run all checks besides the tests: race, lint, commits, manifests, check-listings, check-openapi, client, build, vet, vulnerabilities
	@.ci/check

lint: ## run golangci-lint, as configured in .golangci.yml
	go run $(GOLANGCI_LINT) run ./...
	cd cmd/image && go run $(GOLANGCI_LINT) run ./...

commits: ## check the subjects of commits: type(scope): verb object, at most 60 characters
	@.ci/commits

manifests: ## validate deploy/kubernetes, the Helm chart and the Compose files against the Kubernetes API and the Compose specification
	cd deploy/strict && go test -count=1 ./...

check-listings: ## parse the Kotlin and Swift examples, also those in the documents, with tree-sitter; nothing is compiled
	cd internal/e2e/interop/listings && CGO_ENABLED=1 go test -vet=off -count=1 .

check-openapi: ## validate the responses that make test wrote to EXCHANGES against the OpenAPI document, with a second library
	cd internal/e2e/interop/openapi && EXCHANGES='$(abspath $(EXCHANGES))' go test -vet=off -count=1 -v .

vet: ## run go vet, with the Go that builds releases
	$(RELEASED) go vet -tags nomsgpack ./...

vulnerabilities: ## find known vulnerabilities that the released build reaches
	GOTOOLCHAIN=$(TOOLCHAIN) .ci/vulnerabilities $(GOVULNCHECK) $(VULNDB)

vulndb: ## update the database of make vulnerabilities
	sed -i "s|^VULNDB .*|VULNDB        := golang.org/x/vulndb@$$(go list -m -f '{{.Version}}' golang.org/x/vulndb@latest)|" Makefile

aaguids: ## import the names of passkey models from the list FROM (JSON or CSV)
	go test ./internal/identity/platform -count=1 -run '^TestProviders_FoundByAAGUID$$' -from '$(abspath $(FROM))'

client: build examples/client-ts/node_modules ## generate, compile and run examples/client-ts (needs npm)
	node internal/e2e/interop/client.mjs

contract: build internal/e2e/interop/node_modules ## check the OpenAPI document: compile a typed client, apply OWASP's rules (needs npm)
	node internal/e2e/interop/contract.mjs

check-html: build internal/e2e/interop/node_modules ## check every page in five languages with the Nu Html Checker (needs npm and java)
	node internal/e2e/interop/html.mjs

check-screenreader: build internal/e2e/interop/node_modules ## compare the output of a virtual screen reader with internal/e2e/interop/screenreader (needs npm)
	node internal/e2e/interop/screenreader.mjs

check-proxies: build ## test behind the reverse proxies of Debian, and with slow clients; PROXY=nginx for one (needs node)
	node internal/e2e/interop/proxies.mjs $(PROXY)

check-browsers: build ## test the main tasks in Firefox ESR and WebKitGTK of Debian; ENGINE=firefox for one (needs node)
	@.ci/prepare firefox-esr webkit2gtk-driver=WebKitWebDriver xvfb=Xvfb
	node internal/e2e/interop/browsers.mjs $(ENGINE)

internal/e2e/interop/node_modules: internal/e2e/interop/package-lock.json
	cd internal/e2e/interop && npm ci --ignore-scripts && touch node_modules

examples/client-ts/node_modules: examples/client-ts/package-lock.json
	cd examples/client-ts && npm ci --ignore-scripts && touch node_modules

bench: ## run all benchmarks with a real Redis and write docs/benchmarks.md
	@.ci/prepare
	@GOTOOLCHAIN=$(TOOLCHAIN) .ci/bench $(BENCHTIME)

test-failover: ## break two nodes, a proxy and Redis in each mode; print the table of docs/operate/failover-tests.md
	@.ci/prepare
	go test ./internal/e2e/drill -count=1 -timeout 30m -v -args -full -histories '$(abspath $(HISTORIES))'

soak: ## run two nodes and Redis under constant load for SOAK (1h); their resource use must not grow
	@.ci/prepare
	go test ./internal/e2e/drill -count=1 -timeout 26h -v -args -soak $(SOAK)

fuzz: ## run each fuzzer for FUZZTIME (20s)
	@.ci/fuzz $(FUZZTIME)

cover: ## measure test coverage by package
	go test -cover ./...

build: ## build a static binary in bin/
	$(BUILD) -ldflags '$(LDFLAGS)' -o bin/countersign ./cmd/countersign

sbom: build ## write the bill of materials (CycloneDX): bin/sbom.cdx.json
	bin/countersign sbom > bin/sbom.cdx.json

release: ## build the archives of a release for five systems, and its image, in bin/release (docs/releasing.md)
	@.ci/release '$(RELEASE)' '$(TOOLCHAIN)' '$(abspath bin/release)'

release-twice: release ## build the release again in another checkout, and compare the bytes
	rm -rf bin/again && git clone --quiet . bin/again/checkout
	bin/again/checkout/.ci/release '$(RELEASE)' '$(TOOLCHAIN)' '$(abspath bin/again/release)'
	diff bin/release/SHA256SUMS bin/again/release/SHA256SUMS

image: ## build the container image with Docker
	docker build --build-arg VERSION='$(VERSION)' -t countersign .

image-archive: ## build the image of a release for two architectures, as an OCI archive: bin/image.tar
	@.ci/image-archive '$(RELEASE)' '$(TOOLCHAIN)' '$(abspath $(IMAGE))'

image-archive-test: ## read the OCI archive, and start and use its program
	go test ./internal/e2e/image -count=1 -v -run TestArchive_ImagePerArchitecture -args -archive '$(abspath $(IMAGE))'

image-test: ## build the Dockerfile with buildah, and start and use the image
	@.ci/prepare buildah
	GOTOOLCHAIN=$(TOOLCHAIN) go test -tags dockerfile ./internal/e2e/image -count=1 -timeout 20m -v -run TestDockerfile_BuildsAndRuns

image-rootfs: ## write the content of the image to bin/rootfs; needs no network if the modules are present
	install -d -m 755 '$(ROOTFS)/etc/ssl/certs' '$(ROOTFS)/var' '$(ROOTFS)/fonts'
	install -d -m 1777 '$(ROOTFS)/var/tmp'
	export GOPROXY=off; $(BUILD) -ldflags '$(LDFLAGS)' -o '$(ROOTFS)/countersign' ./cmd/countersign
	install -m 644 '$(CERTIFICATES)' '$(ROOTFS)/etc/ssl/certs/ca-certificates.crt'
	install -m 644 LICENSE '$(ROOTFS)/LICENSE'
	go version -m '$(ROOTFS)/countersign' | sed '1s/^[^:]*/countersign/' > '$(ROOTFS)/sbom.txt'
