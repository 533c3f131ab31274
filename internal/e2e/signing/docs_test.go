package signing_test

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	catalogue "countersign/internal/fault"
	"countersign/internal/signing/platform"
)

var errorRow = regexp.MustCompile("(?m)^\\| (`[a-z-]+\\.[a-z-]+`(?:, `[a-z-]+\\.[a-z-]+`)*) \\| (\\d{3}) \\|")

// The document's lines work as they stand, in order, and cover all operations.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	e2etest.NewTypist(t, e2etest.Boot(t), map[string]string{"lease.pdf": "%PDF-1.7\n%%EOF"}).Types(documentation(t), platform.Operations())
}

// The errors that the document names are in the catalogue, with the document's status.
func TestDocumentationKnowsTheErrors(t *testing.T) {
	t.Parallel()
	rows := errorRow.FindAllStringSubmatch(documentation(t), -1)
	if len(rows) < 10 {
		t.Fatalf("only %d rows of errors were found", len(rows))
	}
	for _, row := range rows {
		for key := range strings.SplitSeq(strings.ReplaceAll(row[1], "`", ""), ", ") {
			if status := strconv.Itoa(catalogue.Lookup(catalogue.Key(key)).Status); !catalogue.Known(catalogue.Key(key)) || status != row[2] {
				t.Errorf("%s is a %s, not a %s", key, status, row[2])
			}
		}
	}
}

func documentation(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/signing.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
