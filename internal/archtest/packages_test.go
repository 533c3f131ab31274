package archtest_test

import (
	"cmp"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
)

// docs/packages.md has the first sentence of each package's comment, by layer.
func TestPackages_Page(t *testing.T) {
	const document = "../../docs/packages.md"
	want := "# Packages\n\nA package imports packages of the same layer and of layers below. The comments of the packages have more.\n" +
		"`go test ./internal/archtest -run Packages -update` writes this page.\n\n| layer | package | job |\n|---|---|---|\n"
	for _, p := range packages(repository(t)) {
		want += fmt.Sprintf("| %s | `%s` | %s |\n", p.layer, p.dir, p.job)
	}
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(document); err != nil || string(got) != want {
		t.Errorf("%s is not what the code says: go test ./internal/archtest -run Packages -update (%v)", document, err)
	}
}

type described struct{ layer, dir, job string }

// packages returns the packages of the program in the order of their layers.
func packages(files []file) []described {
	var all []described
	for _, f := range files {
		if !f.ships() || !strings.Contains(f.text, "\npackage ") || placeOf(f.dir()) != "" {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil || syntax.Doc == nil {
			continue
		}
		layer := "tools"
		if floor, _ := floorOf(f.dir()); floor >= 0 {
			layer = fmt.Sprint(floor + 1)
		}
		// The sentence begins with "Package x" or "Command x".
		words := strings.SplitN(new(doc.Package).Synopsis(syntax.Doc.Text()), " ", 3)
		job := words[len(words)-1]
		all = append(all, described{layer, f.dir(), strings.TrimSuffix(job, ".")})
	}
	slices.SortStableFunc(all, func(a, b described) int {
		return cmp.Or(cmp.Compare(len(a.layer), len(b.layer)), cmp.Compare(a.layer, b.layer), cmp.Compare(a.dir, b.dir))
	})
	return all
}
