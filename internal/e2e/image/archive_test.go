package image_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// With the flag, an existing archive is checked instead of a new one, and its program for
// this machine has to be static and to run:
//
//	make image-archive-test
var givenArchive = flag.String("archive", "", "the archive that make image-archive has made; empty has one made of a small root file system")

// The archive holds an image for each architecture, configured as the Dockerfile says.
func TestArchive_ImagePerArchitecture(t *testing.T) {
	name := *givenArchive
	if name == "" {
		name = archived(t, smallRoot(t, time.Unix(1, 0), 0o755, 0o644))
	}
	a := readArchive(t, name)
	if version := a.text("oci-layout"); version != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("the layout is %s", strings.TrimSpace(version))
	}
	var top, images index
	a.json("index.json", &top)
	if len(top.Manifests) != 1 || top.Manifests[0].MediaType != mediaIndex || top.Manifests[0].Annotations["org.opencontainers.image.ref.name"] == "" {
		t.Fatalf("the archive names %+v", top)
	}
	a.blob(top.Manifests[0], &images)
	for i, want := range []string{"linux/amd64", "linux/arm64"} {
		if len(images.Manifests) != 2 || images.Manifests[i].Platform.OS+"/"+images.Manifests[i].Platform.Architecture != want {
			t.Fatalf("there are %+v", images.Manifests)
		}
		t.Run(want, func(t *testing.T) { a.checkImage(t, images.Manifests[i]) })
	}
}

// The same files give the same bytes, whenever they were made and with whatever umask.
func TestArchive_Reproducible(t *testing.T) {
	first := read(t, archived(t, smallRoot(t, time.Unix(1, 0), 0o755, 0o644)))
	second := read(t, archived(t, smallRoot(t, time.Unix(1e9, 0), 0o700, 0o600)))
	if !bytes.Equal(first, second) {
		t.Error("two archives of the same files differ")
	}
}

// smallRoot makes a root file system.
func smallRoot(t *testing.T, made time.Time, program, text os.FileMode) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	err := errors.Join(
		os.MkdirAll(filepath.Join(root, "var/tmp"), program), os.Chmod(filepath.Join(root, "var/tmp"), 0o777|os.ModeSticky),
		os.WriteFile(filepath.Join(root, "countersign"), []byte("program"), program), os.WriteFile(filepath.Join(root, "LICENSE"), []byte("text"), text),
		os.Chtimes(filepath.Join(root, "LICENSE"), made, made),
	)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// archived makes an archive with that root for both architectures.
func archived(t *testing.T, root string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image.tar")
	command := exec.CommandContext(t.Context(), "go", "run", ".", "archive", "-version", "9.8.7", "-revision", "abc",
		"-time", "1893553446", "-out", out, "amd64="+root, "arm64="+root)
	command.Dir = filepath.Join(repository, "cmd/image")
	if said, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return out
}

const mediaIndex = "application/vnd.oci.image.index.v1+json"

type descriptor struct {
	MediaType, Digest string
	Size              int
	Platform          struct{ OS, Architecture string }
	Annotations       map[string]string
}

type index struct{ Manifests []descriptor }

// contents are the files of an archive.
type contents struct {
	t     *testing.T
	files map[string][]byte
}

func readArchive(t *testing.T, name string) contents {
	t.Helper()
	a := contents{t, map[string][]byte{}}
	for r := tar.NewReader(bytes.NewReader(read(t, name))); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return a
		}
		if err != nil || header.Uid != 0 || header.Uname != "" {
			t.Fatalf("%+v %v", header, err)
		}
		if a.files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

func (a contents) text(name string) string {
	var compact bytes.Buffer
	_ = json.Compact(&compact, a.files[name]) // what is no JSON is no text that is wanted
	return compact.String()
}

func (a contents) json(name string, into any) {
	a.t.Helper()
	if err := json.Unmarshal(a.files[name], into); err != nil {
		a.t.Fatalf("%s: %v", name, err)
	}
}

// blob reads what d describes: it has the length and the digest that d says.
func (a contents) blob(d descriptor, into any) []byte {
	a.t.Helper()
	algorithm, digest, _ := strings.Cut(d.Digest, ":")
	content := a.files["blobs/"+algorithm+"/"+digest]
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != digest || len(content) != d.Size {
		a.t.Fatalf("%+v has another content", d)
	}
	if into != nil {
		a.json("blobs/"+algorithm+"/"+digest, into)
	}
	return content
}

// configured is the configuration of an image in an archive.
type configured struct {
	OS, Architecture string
	Created          time.Time
	Config           struct {
		image
		Labels map[string]string
	}
	RootFS struct {
		DiffIDs []string `json:"diff_ids"`
	}
}

func (a contents) checkImage(t *testing.T, of descriptor) {
	t.Helper()
	var manifest struct {
		MediaType string
		Config    descriptor
		Layers    []descriptor
	}
	var config configured
	a.blob(of, &manifest)
	a.blob(manifest.Config, &config)
	if manifest.MediaType != "application/vnd.oci.image.manifest.v1+json" || manifest.Config.MediaType != "application/vnd.oci.image.config.v1+json" ||
		config.OS != of.Platform.OS || config.Architecture != of.Platform.Architecture || len(manifest.Layers) != 1 || len(config.RootFS.DiffIDs) != 1 {
		t.Fatalf("%+v %+v", manifest, config)
	}
	config.Config.sameAs(t, dockerfile(t))
	for _, label := range []string{"title", "description", "version", "revision", "created", "licenses"} {
		if config.Config.Labels["org.opencontainers.image."+label] == "" {
			t.Errorf("no label says the %s", label)
		}
	}
	root := a.unpack(t, manifest.Layers[0], config)
	if *givenArchive == "" {
		return
	}
	checkFiles(t, root)
	checkAuthorities(t, filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	checkStatic(t, filepath.Join(root, "countersign"))
	if config.Architecture == runtime.GOARCH {
		checkProgram(t, filepath.Join(root, "countersign"), config.Config.Labels["org.opencontainers.image.version"])
		mountable(t)
		c := newContainer(t, root)
		c.user, c.environ = config.Config.User, config.Config.Env
		c.works(t)
	}
}

// unpack returns the root file system of a layer.
func (a contents) unpack(t *testing.T, layer descriptor, config configured) string {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(a.blob(layer, nil)))
	if err != nil || layer.MediaType != "application/vnd.oci.image.layer.v1.tar+gzip" {
		t.Fatalf("%+v %v", layer, err)
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(content); "sha256:"+hex.EncodeToString(sum[:]) != config.RootFS.DiffIDs[0] {
		t.Error("the layer is not the one of the configuration")
	}
	root := filepath.Join(t.TempDir(), "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return root
		}
		if err != nil || header.Uid != 0 || header.Gid != 0 || !header.ModTime.Equal(config.Created) {
			t.Fatalf("%+v %v", header, err)
		}
		name := filepath.Join(root, header.Name)
		if header.Typeflag == tar.TypeDir {
			err = os.Mkdir(name, 0o755)
		} else {
			text, _ := io.ReadAll(r) // of memory
			err = os.WriteFile(name, text, 0o644)
		}
		if err := errors.Join(err, os.Chmod(name, header.FileInfo().Mode())); err != nil {
			t.Fatal(err)
		}
	}
}
