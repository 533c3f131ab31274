package account_test

import (
	"strings"
	"testing"

	"countersign/internal/account"
)

func TestReason_Forms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"left the company": "left the company", "  trimmed\u00a0\n": "trimmed", "\u7406\u7531": "\u7406\u7531", "1": "1",
		"\U0001f469\u200d\U0001f4bb": "\U0001f469\u200d\U0001f4bb", strings.Repeat("é", 500): strings.Repeat("é", 500),
	} {
		if got, ok := account.Reason(text); !ok || got != want {
			t.Errorf("%q is %q, %t", text, got, ok)
		}
	}
	for _, text := range []string{
		"", " \t ", "\u200b", "\u00ad\u2060", "\u0301", strings.Repeat("é", 501), "two\nlines", "a\rb", "a\tb", "a\x00b", "a\x1b[31mb", "a\u0085b",
		"a\u2028b", "a\u2029b", "a\u202eb", "a\u2066b\u2069", "a\u200fb", "a\xffb",
	} {
		if got, ok := account.Reason(text); ok {
			t.Errorf("%q is %q", text, got)
		}
	}
}
