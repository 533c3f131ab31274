package verification_test

import (
	"os"
	"slices"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/verification/platform"
)

// The script's lines work as they stand, in order, and cover all operations.
func TestScript_LinesWork(t *testing.T) {
	t.Parallel()
	operations := slices.Clone(platform.Operations())
	for i, o := range operations {
		if ours, other := ourPaths[o.Name]; other {
			operations[i].Path = ours
		}
	}
	typist := e2etest.NewTypist(t, e2etest.Boot(t), nil)
	typist.Runs(text(t, "../../../examples/identity-checks.sh"))
	typist.Covers(operations)
}

// The guide's lines work as they stand, in order, after those of the page of API clients.
func TestGuide_LinesWork(t *testing.T) {
	t.Parallel()
	typist := e2etest.NewTypist(t, e2etest.Boot(t), nil)
	for _, page := range []string{"api-clients.md", "identity-checks.md"} {
		typist.Reads(text(t, "../../../docs/integrate/"+page))
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

// ourPaths are the paths of operations whose path at the platform differs.
var ourPaths = map[string]string{
	"getEvidence":        "/api/transaction/{transaction}/evidence",
	"getTransactionData": "/api/transactions/{transaction}/audit-trail",
}
