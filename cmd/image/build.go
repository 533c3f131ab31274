package main

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func emptyIndex() v1.ImageIndex { return mutate.IndexMediaType(empty.Index, types.OCIImageIndex) }

// add adds the image of a root file system.
func (r release) add(index v1.ImageIndex, architecture, root string) (v1.ImageIndex, error) {
	files, err := layer(os.DirFS(root), r.at)
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: files, History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "make image-archive"}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created, config.Config = "linux", architecture, v1.Time{Time: r.at}, r.config()
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return nil, err
	}
	return mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: config.Platform()}}), nil
}

// config returns how containers run. A test compares it with the Dockerfile.
func (r release) config() v1.Config {
	return v1.Config{
		User:       "65532:65532",
		Entrypoint: []string{"/countersign"},
		Env: []string{
			"COUNTERSIGN_ADDR=:8080",
			"COUNTERSIGN_PDF_CACHE_DIR=/var/tmp/countersign-pdf",
			"COUNTERSIGN_FONTS_DIR=/fonts",
		},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/var/tmp": {}},
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/countersign", "healthcheck"}, Interval: 10 * time.Second, Timeout: 3 * time.Second, StartPeriod: 5 * time.Second, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "countersign",
			"org.opencontainers.image.description": "The web server between people and an identity platform",
			"org.opencontainers.image.version":     r.version,
			"org.opencontainers.image.revision":    r.revision,
			"org.opencontainers.image.created":     r.at.Format(time.RFC3339),
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
}

// layer returns a layer of all files below root.
func layer(root fs.FS, at time.Time) (v1.Layer, error) {
	var content bytes.Buffer
	if err := pack(&content, root, at); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
}
