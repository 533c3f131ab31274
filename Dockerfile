# syntax=docker/dockerfile:1

FROM golang:1.27.4 AS build
WORKDIR /src
# The go.mod of this version is built by this version, not by one it downloads.
ENV CGO_ENABLED=0 GOTOOLCHAIN=local GOCACHE=/cache/build GOMODCACHE=/cache/mod
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/cache go mod download
COPY . .
# The tag, which .dockerignore keeps away: docker build --build-arg VERSION=…
ARG VERSION=devel
RUN --mount=type=cache,target=/cache make image-rootfs VERSION="$VERSION" ROOTFS=/rootfs

# Nothing but the program, the authorities it trusts, its licence and the list of what
# it is made of: no shell, no package manager, nothing to update but these.
FROM scratch
# /var/tmp is where an upload waits that cannot be passed on yet
# (COUNTERSIGN_SPOOL_DIR), on disk, and where the code that reads documents is kept.
# /fonts is empty: mount fonts there for documents in Chinese, Japanese or Korean.
COPY --from=build /rootfs/ /
VOLUME /var/tmp
USER 65532:65532
# Without COUNTERSIGN_PLATFORM_URL the program keeps to the loopback interface,
# which nobody outside the container can reach.
ENV COUNTERSIGN_ADDR=:8080 \
    COUNTERSIGN_PDF_CACHE_DIR=/var/tmp/countersign-pdf \
    COUNTERSIGN_FONTS_DIR=/fonts
EXPOSE 8080
# The admin address (127.0.0.1:9090) stays inside the container, where this asks it.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/countersign", "healthcheck"]
ENTRYPOINT ["/countersign"]
