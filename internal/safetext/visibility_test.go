package safetext_test

import (
	"testing"

	"countersign/internal/safetext"
)

// invisible are characters that come with what is pasted, and that nobody sees.
const invisible = "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2061\u2062\u2063\u2064" +
	"\u2066\u2067\u2068\u2069\u206a\u206f\ufeff\ufff9\ufffb\ufe0e\ufe0f\U000e0001\U000e0020\U000e007f\U000e0100\U0001d173"

func TestVisible_InvisibleRemoved(t *testing.T) {
	for _, r := range invisible {
		for _, typed := range []string{string(r) + "a@b", "a" + string(r) + "@b", "a@b" + string(r), " " + string(r) + "a@b\u00a0" + string(r) + "\t"} {
			if got := safetext.Visible(typed); got != "a@b" {
				t.Errorf("%q becomes %q", typed, got)
			}
		}
	}
	for typed, want := range map[string]string{
		"": "", invisible: "", " \u00a0\u3000\u2028": "", "a b": "a b", "é日😀": "é日😀", "a\u0301": "a\u0301",
	} {
		if got := safetext.Visible(typed); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
	}
}

func TestTrim_InvisibleEnds(t *testing.T) {
	for typed, want := range map[string]string{
		"": "", "\u200b Ada Archer\u202c\u00a0": "Ada Archer", "می\u200cخواهم\ufeff": "می\u200cخواهم", " a\u200db ": "a\u200db",
	} {
		if got := safetext.Trim(typed); got != want {
			t.Errorf("%q becomes %q, want %q", typed, got, want)
		}
	}
}
