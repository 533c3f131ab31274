package templates

import (
	"strings"
	"testing"
)

// A long address has a code with less correction, and one that is too long has none; a page is
// shown all the same.
func TestQR_LongTexts(t *testing.T) {
	for _, tt := range []struct {
		length int
		drawn  bool
	}{{1, true}, {2331, true}, {2332, true}, {2953, true}, {2954, false}, {100_000, false}} {
		code := View{}.QR(strings.Repeat("a", tt.length))
		if (code != nil) != tt.drawn {
			t.Errorf("a text of %d bytes: drawn %v, want %v", tt.length, code != nil, tt.drawn)
		}
	}
}
