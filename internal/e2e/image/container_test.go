package image_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf/pdftest"
)

// container runs programs in the image's root, as a container does: as the image's user,
// with its environment, on a file system that nobody writes to but for /var/tmp.
type container struct {
	root    string
	mounts  []string // of the machine, for a program that needs its libraries
	user    string
	environ []string
}

// enter makes the mounts, in a name space of their own, and becomes the program. The
// kernel's file systems are there as in every container.
const enter = `set -e
root=$1 user=$2 mounts=$3
shift 3
mount --bind "$root" "$root"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/var/tmp"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
for directory in $mounts; do mount --rbind "$directory" "$root$directory"; done
mount -o remount,bind,ro "$root"
exec chroot --userspec="$user" "$root" "$@"
`

// program returns the command by which the program in the image is started.
func (c container) program() e2etest.Binary {
	return e2etest.Binary{
		Path:    "/usr/bin/unshare",
		Args:    []string{"--mount", "--propagation", "private", "/bin/sh", "-c", enter, "sh", c.root, c.user, strings.Join(c.mounts, " "), "/countersign"},
		Environ: c.environ,
	}
}

// mountable skips the test where nobody may mount: as root in a container without further
// rights, or as anybody else.
func mountable(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("not tried: only root may mount")
	}
	directory := t.TempDir()
	try := exec.CommandContext(t.Context(), "unshare", "--mount", "--propagation", "private", "sh", "-c",
		`mount --bind "$1" "$1" && mount -t tmpfs tmpfs "$1" && chroot --userspec=65532:65532 / true`, "sh", directory)
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("not tried: this machine does not let root mount in a name space of its own: %v: %s", err, out)
	}
}

// newContainer copies root, which stays as the image has it, and adds what a container
// mounts onto.
func newContainer(t *testing.T, root string) container {
	t.Helper()
	c := container{root: filepath.Join(t.TempDir(), "root"), user: "65532:65532"}
	if out, err := exec.CommandContext(t.Context(), "cp", "-a", root, c.root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range []string{"proc", "dev"} {
		if err := os.Mkdir(filepath.Join(c.root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Dir(c.root), 0o755); err != nil {
		t.Fatal(err)
	}
	return c
}

// runs starts the program from its image's root alone, as nobody in particular: it writes
// nowhere but in /var/tmp, and does its work. One that is not static is lent the machine's
// libraries.
func runs(t *testing.T, root string) {
	mountable(t)
	c := newContainer(t, root)
	c.environ = settingsOf(t)
	for _, directory := range []string{"/lib", "/lib64", "/usr/lib", "/usr/lib64"} {
		if _, err := os.Stat(directory); err != nil || *given != "" {
			continue
		}
		c.mounts = append(c.mounts, directory)
		if err := os.MkdirAll(c.root+directory, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	c.works(t)
}

// settingsOf returns the settings in the Dockerfile.
func settingsOf(t *testing.T) []string {
	t.Helper()
	text := string(read(t, filepath.Join(repository, "Dockerfile")))
	found := regexp.MustCompile(`COUNTERSIGN_\w+=\S+`).FindAllString(text[strings.LastIndex(text, "\nFROM "):], -1)
	if len(found) == 0 {
		t.Fatal("the Dockerfile has no settings")
	}
	return found
}

// works starts the program and uses it.
func (c container) works(t *testing.T) {
	t.Helper()
	var log bytes.Buffer
	binary := c.program()
	binary.Log = &log
	// The first to read a document compiles PDFium, which takes long on a busy machine.
	p := binary.Start(t, "", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0", "COUNTERSIGN_UPSTREAM_TIMEOUT=2m")
	defer func() {
		p.Terminate()
		if err := p.Wait(); err != nil {
			t.Errorf("it ended with %v: %s", err, log.String())
		}
	}()
	c.confined(t, p)
	if page := p.Get(p.URL + "/"); !strings.Contains(page, "<!doctype html>") && !strings.Contains(page, "<!DOCTYPE html>") {
		t.Errorf("the first page is %.300s", page)
	}
	e2etest.Eventually(t, "it is ready", func() bool { return p.Get(p.Admin+"/readyz") == "ready\n" })
	health := exec.CommandContext(t.Context(), binary.Path, append(binary.Args, "healthcheck")...)
	health.Env = append(c.environ, "COUNTERSIGN_ADMIN_ADDR="+strings.TrimPrefix(p.Admin, "http://"))
	if out, err := health.CombinedOutput(); err != nil {
		t.Errorf("healthcheck: %v: %s", err, out)
	}
	c.uploads(t, p)
}

// confined checks who the process is, and that its root takes no writes.
func (c container) confined(t *testing.T, p *e2etest.Process) {
	t.Helper()
	of := filepath.Join("/proc", strconv.Itoa(p.Process.Pid))
	if status := string(read(t, filepath.Join(of, "status"))); !strings.Contains(status, "\nUid:\t65532\t65532\t65532\t65532\n") {
		t.Errorf("it runs as %s", regexp.MustCompile(`Uid:.*`).FindString(status))
	}
	mounts := string(read(t, filepath.Join(of, "mountinfo")))
	if !regexp.MustCompile(` / / ro[, ]| \S+ / ro[, ]`).MatchString(mounts) {
		t.Errorf("its root is not read-only: %s", mounts)
	}
}

// uploads makes a package with a document, and asks for a picture of its page.
func (c container) uploads(t *testing.T, p *e2etest.Process) {
	t.Helper()
	var form bytes.Buffer
	parts := multipart.NewWriter(&form)
	_ = parts.WriteField("payload", `{"name":"Paper","documents":[{"id":"d","name":"Paper"}]}`) // into memory
	file, _ := parts.CreateFormFile("file", "paper.pdf")
	_, _ = file.Write(pdftest.Form())
	_ = parts.Close()
	signedIn := c.ask(t, "POST", p.URL+"/users/alice@sandbox/login", "", "application/json", strings.NewReader(e2etest.RightPassword))
	token := member(t, signedIn, "sessionToken")
	made := c.ask(t, "POST", p.URL+"/api/packages", token, parts.FormDataContentType(), &form)
	picture := c.ask(t, "GET", p.URL+"/packages/"+member(t, made, "id")+"/documents/d/pages/1.png", token, "", nil)
	if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
		t.Errorf("the page's picture: %v", err)
	}
}

// ask sends a request, whose answer must be a success.
func (c container) ask(t *testing.T, method, url, token, kind string, body io.Reader) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Countersign-Session", "bearer")
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	return e2etest.Plain(t).Do(request).Want(http.StatusOK).Body
}

func member(t *testing.T, body []byte, name string) string {
	t.Helper()
	var all map[string]any
	if err := json.Unmarshal(body, &all); err != nil {
		t.Fatal(err)
	}
	text, _ := all[name].(string)
	if text == "" {
		t.Fatalf("no %s in %s", name, body)
	}
	return text
}
