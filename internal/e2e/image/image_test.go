// Package image_test checks the content of the container image.
package image_test

import (
	"bytes"
	"crypto/x509"
	"debug/buildinfo"
	"debug/elf"
	"encoding/json"
	"encoding/pem"
	"flag"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// With the flag, an existing root file system is checked instead of a new one, and its
// program has to be static:
//
//	make image-rootfs && go test ./internal/e2e/image -rootfs "$PWD/bin/rootfs"
var given = flag.String("rootfs", "", "the directory that make image-rootfs has made; empty has it made")

const repository = "../../.."

// made returns the directory and its version. Without the flag, the program in it is
// linked from the tests' own packages, which takes seconds; the static one takes a
// minute.
func made(t *testing.T) (directory, version string) {
	t.Helper()
	if *given != "" {
		return *given, ""
	}
	directory, version = filepath.Join(t.TempDir(), "rootfs"), "v9.8.7-test"
	command := exec.CommandContext(t.Context(), "make", "-C", repository, "image-rootfs", "ROOTFS="+directory, "VERSION="+version,
		"BUILD=go build", "CERTIFICATES="+certificates(t))
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return directory, version
}

// certificates returns a file of the machine's trusted authorities.
func certificates(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/cert.pem"} {
		if _, err := os.Stat(name); err == nil {
			return name
		}
	}
	t.Fatal("this machine trusts no authority: install ca-certificates")
	return ""
}

func TestImage_Contents(t *testing.T) {
	root, version := made(t)
	checkFiles(t, root)
	checkProgram(t, filepath.Join(root, "countersign"), version)
	if *given != "" {
		checkStatic(t, filepath.Join(root, "countersign"))
	}
	checkAuthorities(t, filepath.Join(root, "etc/ssl/certs/ca-certificates.crt"))
	checkBill(t, filepath.Join(root, "countersign"), version)
	licence, bill := read(t, filepath.Join(root, "LICENSE")), string(read(t, filepath.Join(root, "sbom.txt")))
	if !bytes.Equal(licence, read(t, filepath.Join(repository, "LICENSE"))) {
		t.Error("the licence is another")
	}
	for _, part := range []string{"countersign: go1.", "\tpath\tcountersign/cmd/countersign", "\tdep\tgithub.com/gin-gonic/gin\tv", "\th1:"} {
		if !strings.Contains(bill, part) {
			t.Errorf("the bill of materials lacks %q", part)
		}
	}
	t.Run("runs", func(t *testing.T) { runs(t, root) })
}

// checkBill checks that the program prints its bill of materials in CycloneDX.
func checkBill(t *testing.T, program, version string) {
	t.Helper()
	type part struct{ Name, Version, PURL string }
	var bill struct {
		BOMFormat, SpecVersion string
		Metadata               struct{ Component part }
		Components             []struct {
			part
			Hashes []struct{ Alg, Content string }
		}
	}
	out, err := exec.CommandContext(t.Context(), program, "sbom").Output()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &bill); err != nil {
		t.Fatal(err)
	}
	if bill.BOMFormat != "CycloneDX" || bill.SpecVersion != "1.6" || version != "" && bill.Metadata.Component.Version != version {
		t.Errorf("%s %s of %+v", bill.BOMFormat, bill.SpecVersion, bill.Metadata.Component)
	}
	found := 0
	for _, one := range bill.Components {
		if one.PURL != "pkg:golang/"+one.Name+"@"+strings.ReplaceAll(one.Version, "+", "%2B") || one.Version == "" {
			t.Errorf("%+v", one)
		}
		if one.Name == "std" || one.Name == "github.com/gin-gonic/gin" && len(one.Hashes) == 1 && len(one.Hashes[0].Content) == 64 {
			found++
		}
	}
	if found != 2 || len(bill.Components) < 20 {
		t.Errorf("of %d components %d are as they should", len(bill.Components), found)
	}
}

// checkFiles checks that these are all files.
func checkFiles(t *testing.T, root string) {
	t.Helper()
	want := map[string]fs.FileMode{
		"countersign": 0o755, "LICENSE": 0o644, "sbom.txt": 0o644, "etc/ssl/certs/ca-certificates.crt": 0o644,
		"etc": fs.ModeDir | 0o755, "etc/ssl": fs.ModeDir | 0o755, "etc/ssl/certs": fs.ModeDir | 0o755,
		"fonts": fs.ModeDir | 0o755, "var": fs.ModeDir | 0o755, "var/tmp": fs.ModeDir | fs.ModeSticky | 0o777,
	}
	got := map[string]fs.FileMode{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == "." {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			got[path] = info.Mode()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if mode, known := want[path]; !known || mode != got[path] {
			t.Errorf("%s is %v, want %v", path, got[path], mode)
		}
		delete(want, path)
	}
	for path := range want {
		t.Errorf("%s is missing", path)
	}
}

func checkProgram(t *testing.T, program, version string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), program, "version")
	command.Env = []string{} // the image sets one variable alone
	out, err := command.CombinedOutput()
	if words := strings.Fields(string(out)); err != nil || len(words) != 4 || words[0] != "countersign" || version != "" && words[1] != version {
		t.Errorf("%v: %s, want version %s", err, out, version)
	}
}

// checkStatic checks that the program needs no library of the system.
func checkStatic(t *testing.T, program string) {
	t.Helper()
	file, err := elf.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if libraries, err := file.ImportedLibraries(); err == nil && len(libraries) > 0 || file.Section(".interp") != nil {
		t.Errorf("it is not static: it needs %q", libraries)
	}
	build, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	for _, setting := range build.Settings {
		if setting.Key == "CGO_ENABLED" && setting.Value != "0" {
			t.Error("it was built with C")
		}
	}
}

func checkAuthorities(t *testing.T, name string) {
	t.Helper()
	count := 0
	for rest := read(t, name); ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			t.Errorf("an authority cannot be read: %v", err)
		}
		count++
	}
	if count < 50 {
		t.Errorf("%d authorities", count)
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
