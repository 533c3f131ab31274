package signing_test

import (
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// With nothing set up, the lists of everybody are right a moment after the last signature,
// although nobody opens the package.
func TestEmbedded_ListsAfterTheLastSignature(t *testing.T) {
	app := e2etest.Boot(t)
	p := meet(t, app)
	id := create(p.alice, lease("Lease of the mill", "SENT", "bob@sandbox.example"))
	e2etest.Eventually(t, "it is sent", func() bool {
		return strings.Contains(string(p.alice.Page("/packages?tab=sent").Body), "Lease of the mill")
	})
	e2etest.Sign(t, app, p.bob, id)
	for _, c := range []*e2etest.Client{p.alice, p.bob} {
		e2etest.Eventually(t, "it is completed", func() bool {
			return strings.Contains(string(c.Page("/packages?tab=done").Body), "Lease of the mill")
		})
	}
}
