package compose

import (
	"strings"
	"testing"
)

func TestFileNames(t *testing.T) {
	for name, want := range map[string]string{
		"lease.pdf": "lease.pdf", "U\u0308bergabe.pdf": "\u00dcbergabe.pdf", "a/b:c.pdf": "a_b_c.pdf", "\xff.pdf": "_.pdf",
		strings.Repeat("a", 251) + ".pdf":  strings.Repeat("a", 251) + ".pdf",
		strings.Repeat("a", 252) + ".pdf":  strings.Repeat("a", 251) + ".pdf",
		strings.Repeat("é", 300) + ".DOCX": strings.Repeat("é", 250) + ".DOCX",
		strings.Repeat("a", 300) + ".x":    strings.Repeat("a", 255),
	} {
		if got := fileName(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
