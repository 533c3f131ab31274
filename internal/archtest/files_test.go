package archtest_test

import (
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
}

func newFile(name, text string, tracked bool) file {
	if !utf8.ValidString(text) {
		text = ""
	}
	return file{name, text, tracked}
}

func (f file) dir() string { return path.Dir(f.path) }

// ships reports whether f is Go code that is not for tests.
func (f file) ships() bool {
	return strings.HasSuffix(f.path, ".go") && !strings.HasSuffix(f.path, "_test.go") && !forTests(f.dir())
}

// forTests reports whether dir is a package only for tests, named like net/http/httptest,
// or testing itself.
func forTests(dir string) bool { return strings.HasSuffix(dir, "test") || dir == "testing" }

// imports returns the import specifications of a Go file. For a file that does not parse
// it returns none: the compiler reports it better.
func (f file) imports() (specs []*ast.ImportSpec, tokens *token.FileSet) {
	tokens = token.NewFileSet()
	syntax, err := parser.ParseFile(tokens, f.path, f.text, parser.ImportsOnly)
	if err != nil {
		return nil, tokens
	}
	return syntax.Imports, tokens
}

// repository returns every file of the repository: those that git tracks or would track
// or, outside a clone, all files.
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
			files = append(files, newFile(name, string(text), slices.Contains(tracked, name)))
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
	return strings.FieldsFunc(string(out), func(r rune) bool { return r == 0 }), err
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
