package identity

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/internal/config"
	"countersign/internal/fault"
	"countersign/internal/upstream"
)

var update = flag.Bool("update", false, "write the paths into docs/configuration.md")

const (
	document = "../../docs/configuration.md"
	heading  = "| setting | default | meaning |\n|---|---|---|\n| `" + config.Prefix + pathPrefix
)

// The settings' document lists the operations' paths as the table has them.
func TestTheDocumentListsThePaths(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), heading)
	_, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		t.Fatalf("no table of paths in %s", document)
	}
	want := before + strings.TrimSuffix(heading, "| `"+config.Prefix+pathPrefix) + rows() + "\n" + after
	if want == string(text) {
		return
	}
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Errorf("the paths of %s are not the table's; go test ./internal/identity -run Document -update writes them:\n%s", document, rows())
}

func rows() string {
	var b strings.Builder
	for i, o := range operations {
		purposes, same := []string{o.Purpose}, func(other upstream.Operation) bool { return other.Setting == o.Setting }
		if slices.IndexFunc(operations, same) != i {
			continue
		}
		for _, other := range operations[i+1:] {
			if same(other) {
				purposes = append(purposes, other.Purpose)
			}
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s", config.Prefix+pathPrefix+o.Setting, o.Path, strings.Join(purposes, ", "))
		for _, name := range o.Optional {
			fmt.Fprintf(&b, "; `{%s}` may be left out", name)
		}
		b.WriteString(" |\n")
	}
	return b.String()
}

func TestOperationsAreWhole(t *testing.T) {
	byName, bySetting := map[string]bool{}, map[string]upstream.Operation{}
	for _, o := range operations {
		if byName[o.Name] {
			t.Errorf("%s has two rows", o.Name)
		}
		byName[o.Name] = true
		if o.Method == "" || o.Purpose == "" || !fault.Known(o.Refusal) || len(o.Scenarios) == 0 {
			t.Errorf("%s lacks something: %+v", o.Name, o)
		}
		for status, key := range o.Refusals {
			if !fault.Known(key) {
				t.Errorf("%s: %d is %q, which has no row", o.Name, status, key)
			}
		}
		if other, shared := bySetting[o.Setting]; shared && (other.Path != o.Path || !slices.Equal(other.Optional, o.Optional)) {
			t.Errorf("%s and %s share a setting and not a path", o.Name, other.Name)
		}
		bySetting[o.Setting] = o
	}
	for _, p := range PathSettings() {
		if err := p.Check(p.Default); err != nil {
			t.Errorf("%s: the default is refused: %v", p.Name, err)
		}
	}
}
