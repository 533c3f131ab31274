package audit_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/i18n"
	"countersign/internal/safetext"
)

// The name of a package is isolated in the subject and in the text, in every language, and
// cannot turn or end anything.
func TestNamesInLettersAreIsolated(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	store, err := audit.NewPreferenceStore(embedded(t), [][]byte{bytes.Repeat([]byte{1, 2}, 16)})
	if err != nil {
		t.Fatal(err)
	}
	var sent audit.Letter
	notices := audit.NewNotices(audit.Notices{
		Send:   func(_ context.Context, l audit.Letter) error { sent = l; return nil },
		Bundle: bundle, Host: "sign.example", Preferences: store,
	})
	for _, language := range bundle.Languages() {
		for _, how := range []string{audit.Completed, audit.Declined, audit.Cancelled, audit.Expired} {
			end := audit.PackageEnd{Person: alice, Email: "alice@acme.com", How: how, Name: "Lease \u202efdp.exe\u2069", Link: "https://sign.example/packages/p", Language: language}
			if err := notices.TellOwner(t.Context(), end); err != nil {
				t.Fatal(err)
			}
			for _, text := range []string{sent.Subject, sent.Text} {
				if rest := strings.Replace(text, "\u2068Lease fdp.exe\u2069", "", 1); rest == text || rest != safetext.WithoutDirections(rest) {
					t.Errorf("%s, %s: %+q", language, how, text)
				}
			}
		}
	}
}
