# syntax=docker/dockerfile:1

FROM golang:1.27.4 AS build
WORKDIR /src
# Use the Go of this image, and download no other.
ENV CGO_ENABLED=0 GOTOOLCHAIN=local GOCACHE=/cache/build GOMODCACHE=/cache/mod
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/cache go mod download
COPY . .
# The version: .dockerignore excludes .git, so pass --build-arg VERSION=…
ARG VERSION=devel
RUN --mount=type=cache,target=/cache make image-rootfs VERSION="$VERSION" ROOTFS=/rootfs

# Only the program, its trusted authorities, its licence and its bill of materials: no shell and no
# package manager.
FROM scratch
# /var/tmp is for waiting uploads (COUNTERSIGN_SPOOL_DIR) and PDFium's machine code, on disk.
# /fonts is empty: mount fonts there for documents in Chinese, Japanese or Korean.
COPY --from=build /rootfs/ /
VOLUME /var/tmp
USER 65532:65532
# Without COUNTERSIGN_PLATFORM_URL the default is the loopback interface, which cannot be reached
# from outside the container.
ENV COUNTERSIGN_ADDR=:8080 \
    COUNTERSIGN_PDF_CACHE_DIR=/var/tmp/countersign-pdf \
    COUNTERSIGN_FONTS_DIR=/fonts
EXPOSE 8080
# Calls the admin address (127.0.0.1:9090), which is not reachable from outside.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s --retries=3 CMD ["/countersign", "healthcheck"]
ENTRYPOINT ["/countersign"]
