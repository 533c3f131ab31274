package archtest_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const module = "countersign"

// file is one file of the repository.
type file struct {
	path    string // from the top of the repository, with slashes
	text    string // empty where it is not text
	tracked bool   // part of the repository, not only of the folder
	syntax  *ast.File
	tokens  *token.FileSet
}

func (f file) isGo() bool { return f.syntax != nil }
func (f file) isTest() bool {
	return strings.HasSuffix(f.path, "_test.go") || testSupport(path.Dir(f.path))
}

// testSupport reports whether dir is a package for tests alone, named as
// net/http/httptest is.
func testSupport(dir string) bool { return strings.HasSuffix(dir, "test") }

// program reports whether f is Go that ships: neither a test nor for tests.
func (f file) program() bool { return f.isGo() && !f.isTest() }

// in reports whether f lies in one of dirs or below.
func (f file) in(dirs ...string) bool { return within(path.Dir(f.path), dirs...) }

func within(dir string, dirs ...string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return dir == d || strings.HasPrefix(dir, d+"/") })
}

func (f file) line(at token.Pos) int { return f.tokens.Position(at).Line }

// parse makes a file of text; what is no valid Go has no syntax, which the
// compiler reports better than we could.
func parse(name, text string, tracked bool) file {
	f := file{path: name, text: text, tracked: tracked, tokens: token.NewFileSet()}
	if !utf8.ValidString(text) {
		f.text = ""
	}
	if strings.HasSuffix(name, ".go") {
		if syntax, err := parser.ParseFile(f.tokens, name, text, parser.ParseComments); err == nil {
			f.syntax = syntax
		}
	}
	return f
}

// example is a repository written down in a test: pairs of name and text.
func example(pairs ...string) []file {
	var files []file
	for pair := range slices.Chunk(pairs, 2) {
		files = append(files, parse(pair[0], pair[1], true))
	}
	return files
}

// repository is every file of ours: what git tracks or would, else, outside a
// clone, all there is.
func repository(t *testing.T) []file {
	t.Helper()
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	tracked, err := git(top, "--cached")
	untracked, _ := git(top, "--others", "--exclude-standard")
	if err != nil {
		tracked = walk(t, top)
	}
	var files []file
	for _, name := range slices.Concat(tracked, untracked) {
		text, err := os.ReadFile(filepath.Join(top, name))
		if err == nil { // a file may be deleted and still be tracked
			files = append(files, parse(name, string(text), slices.Contains(tracked, name)))
		}
	}
	if len(files) < 50 {
		t.Fatalf("only %d files below %s: the rules would judge nothing", len(files), top)
	}
	return files
}

func git(top string, flags ...string) ([]string, error) {
	command := exec.Command("git", append([]string{"ls-files", "-z"}, flags...)...)
	command.Dir = top
	out, err := command.Output()
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(string(bytes.TrimSpace(out)), func(r rune) bool { return r == 0 }), nil
}

func walk(t *testing.T, top string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(top), ".", func(name string, entry fs.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && (name == ".git" || name == "bin") {
			return fs.SkipDir
		}
		if err == nil && entry.Type().IsRegular() && name != module {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
