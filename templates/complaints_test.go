package templates

import (
	"strings"
	"testing"
)

// Whatever input has an error, the summary says what it is called.
func TestEveryInputIsCalledByItsLabel(t *testing.T) {
	p := NewPackage{Recipients: []ComposedRecipient{{Key: "r1"}}, Fields: []ComposedField{{Key: "f1"}}}
	for _, name := range p.inputs() {
		if c := p.complaint(name, "wrong"); !strings.HasPrefix(c.Label, "page.") {
			t.Errorf("%s is called %q", name, c.Label)
		}
	}
}
