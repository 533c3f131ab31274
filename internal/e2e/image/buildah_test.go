//go:build dockerfile

// buildah builds the Dockerfile, on a base image made of this machine's own Go, so that no
// registry is needed:
//
//	make image-test

package image_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// buildah runs buildah with a store of its own.
type buildah struct {
	t     *testing.T
	store string
}

func newBuildah(t *testing.T) buildah {
	t.Helper()
	if _, err := exec.LookPath("buildah"); err != nil {
		t.Fatal("buildah is missing")
	}
	if os.Geteuid() != 0 {
		t.Fatal("buildah runs as root here")
	}
	return buildah{t, t.TempDir()}
}

// try runs buildah, and returns what it prints.
func (b buildah) try(arguments ...string) (string, error) {
	all := slices.Concat([]string{"--root", b.store + "/root", "--runroot", b.store + "/run", "--storage-driver", "vfs"}, arguments)
	command := exec.CommandContext(b.t.Context(), "buildah", all...)
	command.Env = append(os.Environ(), "BUILDAH_ISOLATION=chroot", "TMPDIR="+b.store)
	var problems bytes.Buffer
	command.Stderr = &problems
	out, err := command.Output()
	if err != nil {
		return problems.String(), err
	}
	return strings.TrimSpace(string(out)), nil
}

func (b buildah) run(arguments ...string) string {
	b.t.Helper()
	out, err := b.try(arguments...)
	if err != nil {
		b.t.Fatalf("buildah %v: %v\n%s", arguments, err, out)
	}
	return out
}

// caches are the directories of this machine that the build is lent: the tools, what was
// compiled before, and the modules.
func (b buildah) caches() []string {
	b.t.Helper()
	out, err := exec.CommandContext(b.t.Context(), "go", "env", "GOROOT", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		b.t.Fatal(err)
	}
	of := strings.Fields(string(out))
	return []string{
		"--volume", "/usr:/usr:ro", "--volume", of[0] + ":/go:ro", "--volume", of[1] + ":/cache/build", "--volume", of[2] + ":/cache/mod",
		"--volume", filepath.Join(of[2], "cache/download") + ":/modules:ro",
	}
}

// base makes an image of this machine's own tools, under the name that the Dockerfile
// asks for. It holds nothing but directories: the tools are lent when it runs.
func (b buildah) base() {
	b.t.Helper()
	name := regexp.MustCompile(`(?m)^FROM (golang:(\S+)) AS build$`).FindStringSubmatch(string(read(b.t, filepath.Join(repository, "Dockerfile"))))
	if name == nil {
		b.t.Fatal("the Dockerfile begins with another image")
	}
	if runtime.Version() != "go"+name[2] {
		b.t.Fatalf("the Dockerfile asks for Go %s, and this is %s", name[2], runtime.Version())
	}
	from := b.run("from", "scratch")
	root := b.run("mount", from)
	for _, directory := range []string{"usr", "etc", "go", "modules", "proc", "dev", "sys", "var/tmp", "tmp"} {
		if err := os.MkdirAll(filepath.Join(root, directory), 0o1777); err != nil {
			b.t.Fatal(err)
		}
	}
	for _, directory := range []string{"bin", "sbin", "lib", "lib64"} {
		if err := os.Symlink("usr/"+directory, filepath.Join(root, directory)); err != nil {
			b.t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(b.t.Context(), "cp", "-aL", "/etc/ssl", "/etc/passwd", "/etc/group", filepath.Join(root, "etc")).CombinedOutput(); err != nil {
		b.t.Fatalf("%v: %s", err, out)
	}
	b.run("config", "--env", "PATH=/go/bin:/usr/bin:/bin", "--env", "GOPROXY=file:///modules", "--env", "GOSUMDB=off", from)
	if out, err := b.try("run", "--volume", "/usr:/usr:ro", from, "--", "/usr/bin/true"); err != nil {
		b.t.Fatalf("this machine does not let buildah run a command: %v\n%s", err, out)
	}
	b.run("commit", from, name[1])
}

// buildah, and so docker and podman, build the Dockerfile, and what it makes runs.
func TestDockerfile_BuildsAndRuns(t *testing.T) {
	b := newBuildah(t)
	mountable(t)
	if out, err := exec.CommandContext(t.Context(), "go", "mod", "download").CombinedOutput(); err != nil {
		t.Fatalf("modules are missing and cannot be had: %v: %s", err, out)
	}
	b.base()
	const version = "v9.8.7-test"
	b.run(slices.Concat([]string{"bud", "--pull-never", "--format", "docker", "--network", "host"}, b.caches(),
		[]string{"--tag", "countersign", "--build-arg", "VERSION=" + version, repository})...)
	var made struct{ Docker struct{ Config image } }
	if err := json.Unmarshal([]byte(b.run("inspect", "--type", "image", "countersign")), &made); err != nil {
		t.Fatal(err)
	}
	config := made.Docker.Config
	config.sameAs(t, dockerfile(t))
	root := b.run("mount", b.run("from", "--pull-never", "countersign"))
	checkFiles(t, root)
	checkProgram(t, filepath.Join(root, "countersign"), version)
	checkStatic(t, filepath.Join(root, "countersign"))
	c := newContainer(t, root)
	c.user, c.environ = config.User, config.Env
	c.works(t)
}
