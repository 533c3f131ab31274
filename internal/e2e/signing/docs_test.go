package signing_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"countersign/internal/e2e/e2etest"
)

var leaseFile = map[string]string{"lease.pdf": "%PDF-1.7\n%%EOF"}

// The script's lines work as they stand, in order.
func TestScript_CommandsWork(t *testing.T) {
	t.Parallel()
	typist := e2etest.NewTypist(t, e2etest.Boot(t), leaseFile)
	typist.Runs(text(t, "../../../examples/signing.sh"))
}

// The lines of each page work as they stand, in order, after those of the pages of API clients and
// of packages.
func TestGuides_CommandsWork(t *testing.T) {
	t.Parallel()
	const folder = "../../../docs/integrate/signing/"
	typist := e2etest.NewTypist(t, e2etest.Boot(t), leaseFile)
	typist.Reads(text(t, folder+"../api-clients.md"))
	var read []string
	for _, page := range []string{"packages.md", "evidence.md"} {
		typist.Reads(text(t, folder+page))
		read = append(read, page)
	}
	pages, err := filepath.Glob(folder + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if !slices.Contains(read, filepath.Base(page)) && e2etest.HasExamples(text(t, page)) {
			t.Errorf("nobody types the lines of %s", page)
		}
	}
}

func text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
