package portal

import (
	"strings"
	"testing"

	"countersign/internal/signing/compose"
)

// Whatever input has an error, the summary says what it is called.
func TestErrorSummary_NamesInputLabels(t *testing.T) {
	p := editorView{Recipients: []recipientPart{{Recipient: compose.Recipient{Key: "r1"}}}, Fields: []fieldPart{{Field: compose.Field{Key: "f1"}}}}
	for _, name := range p.names() {
		if c := p.complaint(name, "wrong"); !strings.HasPrefix(c.Label, "page.") {
			t.Errorf("%s is called %q", name, c.Label)
		}
	}
}
