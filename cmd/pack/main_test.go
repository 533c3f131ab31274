package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var committed = time.Date(2030, 1, 2, 3, 4, 6, 0, time.UTC)

// packed packs two files that were made at that time, with those modes.
func packed(t *testing.T, ending string, made time.Time, program, text os.FileMode) string {
	t.Helper()
	dir := t.TempDir()
	names := []string{filepath.Join(dir, "countersign"), filepath.Join(dir, "README.md")}
	for i, mode := range []os.FileMode{program, text} {
		if err := errors.Join(os.WriteFile(names[i], []byte("content "+filepath.Base(names[i])), mode), os.Chmod(names[i], mode), os.Chtimes(names[i], made, made)); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(dir, "out"+ending)
	if err := pack(out, committed, append([]string{"countersign-1.0.0"}, names...)); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestPack_Reproducible(t *testing.T) {
	for _, ending := range []string{".tar.gz", ".zip"} {
		first, err := os.ReadFile(packed(t, ending, time.Unix(1, 0), 0o755, 0o644))
		if err != nil {
			t.Fatal(err)
		}
		second, err := os.ReadFile(packed(t, ending, time.Unix(1e9, 0), 0o700, 0o600))
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: two archives of the same files differ (%v)", ending, err)
		}
	}
}

func TestPack_ArchiveContent(t *testing.T) {
	want := []string{
		"countersign-1.0.0/countersign -rwxr-xr-x 2030-01-02T03:04:06Z content countersign",
		"countersign-1.0.0/README.md -rw-r--r-- 2030-01-02T03:04:06Z content README.md",
	}
	for ending, list := range map[string]func(*testing.T, string) []string{".tar.gz": inTarball, ".zip": inZip} {
		if got := list(t, packed(t, ending, time.Unix(1, 0), 0o755, 0o644)); !slices.Equal(got, want) {
			t.Errorf("%s holds %q, want %q", ending, got, want)
		}
	}
}

func line(t *testing.T, name string, info os.FileInfo, content io.Reader) string {
	t.Helper()
	text, err := io.ReadAll(content)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s %s %s %s", name, info.Mode(), info.ModTime().UTC().Format(time.RFC3339), text)
}

func inTarball(t *testing.T, name string) (all []string) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(unzipped); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil || header.Uid != 0 || header.Uname != "" {
			t.Fatalf("%+v %v", header, err)
		}
		all = append(all, line(t, header.Name, header.FileInfo(), r))
	}
}

func inZip(t *testing.T, name string) (all []string) {
	t.Helper()
	r, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, f := range r.File {
		content, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line(t, f.Name, f.FileInfo(), content))
	}
	return all
}

func TestPack_Refused(t *testing.T) {
	dir := t.TempDir()
	for out, named := range map[string][]string{
		"a.rar": {"folder", "main.go"}, "a.zip": {"folder"}, "b.zip": {"folder", "missing"}, "none/a.zip": {"folder", "main.go"},
	} {
		if err := pack(filepath.Join(dir, out), committed, named); err == nil {
			t.Errorf("%s of %q was made", out, named)
		}
	}
}
