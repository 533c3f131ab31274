// Package listings_test parses what the documentation shows of Kotlin and Swift, by the grammars of
// tree-sitter. It compiles nothing: a name that does not exist passes.
package listings_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/swift"
)

const top = "../../../../"

// The end of a listing's name tells its language, as a fence in a page does by its word.
var (
	languages = map[string]*sitter.Language{".kt": kotlin.GetLanguage(), ".swift": swift.GetLanguage()}
	fences    = map[string]string{"kotlin": ".kt", "kt": ".kt", "swift": ".swift"}
)

// parse returns an error that names the first place that is not the language's. Of some broken
// texts the parser finds no end.
func parse(language, text string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	root, err := sitter.ParseCtx(ctx, []byte(text), languages[language])
	if err != nil {
		return err
	}
	if !root.HasError() {
		return nil
	}
	place := broken(root)
	return fmt.Errorf("line %d: no %s", place.StartPoint().Row+1, strings.TrimPrefix(language, "."))
}

// broken returns the smallest part of a tree that holds its first error.
func broken(node *sitter.Node) *sitter.Node {
	for i := range int(node.ChildCount()) {
		if child := node.Child(i); child.HasError() || child.IsMissing() {
			return broken(child)
		}
	}
	return node
}

// files returns the text of all files below a folder whose names end so, by their paths.
func files(t *testing.T, folder string, ends ...string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(filepath.Join(top, folder), func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == "node_modules":
			return filepath.SkipDir
		case entry.IsDir() || !slices.Contains(ends, filepath.Ext(path)):
			return nil
		}
		content, err := os.ReadFile(path)
		found[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestListings_Parsed(t *testing.T) {
	read := map[string]int{}
	for name, text := range files(t, "examples", ".kt", ".swift") {
		language := filepath.Ext(name)
		read[language]++
		if err := parse(language, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for kind, other := range map[string]string{
			"without its last brace": text[:strings.LastIndex(text, "}")],
			"with one more brace":    text + "}\n",
		} {
			if err := parse(language, other); err == nil {
				t.Errorf("%s passes %s", name, kind)
			}
		}
	}
	if read[".kt"] < 5 || read[".swift"] < 5 {
		t.Errorf("read %v", read)
	}
}

func TestListings_Broken(t *testing.T) {
	for text, language := range map[string]string{
		"fun a( {}":                         ".kt",
		"class A { val b = }":               ".kt",
		"fun a() { if (b }":                 ".kt",
		"val a = \"b":                       ".kt",
		"fun a() { b(c, , d) }":             ".kt",
		"func a() { let b = }":              ".swift",
		"struct A { let b: }":               ".swift",
		"func a( -> Int { 1 }":              ".swift",
		"func a() { guard let b else }":     ".swift",
		"let a = \"b":                       ".swift",
		"suspend fun a() = b { c -> d(c) }": ".swift",
		"func a() async throws { try b() }": ".kt",
	} {
		if err := parse(language, text); err == nil {
			t.Errorf("%s passes as %s", text, language)
		}
	}
	if err := parse(".kt", "val a = 1\nval b = 2\nval c = (\n"); err == nil || !strings.HasPrefix(err.Error(), "line 3:") {
		t.Errorf("the place of an error: %v", err)
	}
}

var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// What a page shows is a part of a file that is parsed, and the page links to that file.
func TestPages_ShowPartsOfFiles(t *testing.T) {
	examples, shown := files(t, "examples", ".kt", ".swift"), 0
	for page, text := range files(t, "docs", ".md") {
		for _, block := range fenced.FindAllStringSubmatch(text, -1) {
			language := fences[strings.ToLower(block[1])]
			if language == "" {
				continue
			}
			shown++
			if file := holder(examples, language, block[2]); file == "" || !strings.Contains(text, "examples/"+file) {
				t.Errorf("%s shows what is in no file that it links to (%q):\n%s", page, file, block[2])
			}
		}
	}
	if shown < 1 {
		t.Errorf("%d blocks", shown)
	}
}

// holder returns which of the files has the lines of block one after the other, all of them
// indented alike, as folder and name; "" for none.
func holder(files map[string]string, language, block string) string {
	lines := strings.Split(strings.TrimSuffix(block, "\n"), "\n")
	for path, text := range files {
		for indent := ""; filepath.Ext(path) == language && len(indent) <= 12; indent += "    " {
			var want strings.Builder
			for _, line := range lines {
				if line != "" {
					line = indent + line
				}
				want.WriteString(line + "\n")
			}
			if strings.HasPrefix(text, want.String()) || strings.Contains(text, "\n"+want.String()) {
				return filepath.Base(filepath.Dir(path)) + "/" + filepath.Base(path)
			}
		}
	}
	return ""
}
