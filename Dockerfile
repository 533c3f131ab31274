# syntax=docker/dockerfile:1

FROM golang:1.26.8 AS build
WORKDIR /src
# The go.mod of this version is built by this version, not by one it downloads.
ENV CGO_ENABLED=0 GOTOOLCHAIN=local GOCACHE=/cache/build GOMODCACHE=/cache/mod
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/cache go mod download
COPY . .
RUN --mount=type=cache,target=/cache \
    go build -trimpath -ldflags='-s -w' -o /countersign ./cmd/countersign

# Nothing but the program, the authorities it trusts and its licence: no shell,
# no package manager, nothing to update but these.
FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/LICENSE /countersign /
# Where an upload waits that cannot be passed on yet (COUNTERSIGN_SPOOL_DIR): on disk.
COPY --from=build --chmod=1777 /var/tmp /var/tmp
VOLUME /var/tmp
USER 65532:65532
# Without COUNTERSIGN_PLATFORM_URL the program keeps to the loopback interface,
# which nobody outside the container can reach.
ENV COUNTERSIGN_ADDR=:8080
EXPOSE 8080
# The admin address (127.0.0.1:9090) stays inside the container, where this asks it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/countersign", "healthcheck"]
ENTRYPOINT ["/countersign"]
