package verification_test

import (
	"os"
	"slices"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/verification/platform"
)

// The document's lines work as they stand, in order, and cover all operations.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/verification.md")
	if err != nil {
		t.Fatal(err)
	}
	operations := slices.Clone(platform.Operations())
	for i, o := range operations {
		if ours, other := ourPaths[o.Name]; other {
			operations[i].Path = ours
		}
	}
	e2etest.NewTypist(t, e2etest.Boot(t), nil).Types(string(text), operations)
}

// ourPaths are the paths of operations whose path at the platform differs.
var ourPaths = map[string]string{
	"getEvidence":        "/api/transaction/{transaction}/evidence",
	"getTransactionData": "/api/transactions/{transaction}/audit-trail",
}
