package templates_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every form that is posted says first whom it was shown to, but those of the sign-in, which
// are shown to nobody: the server refuses a form without. It also tells the press of its button
// from another, but for signing out, which every page has, and for forms with files, which have
// a token of their own.
func TestForms_NamePersonShownTo(t *testing.T) {
	files := templateFiles(t)
	opening := regexp.MustCompile(`<form\b[^>]*>(?:\{\{[^}]*\}\}[^<]*>)?`)
	posted := 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range opening.FindAllIndex(text, -1) {
			tag, after := string(text[at[0]:at[1]]), string(text[at[1]:])
			if !strings.Contains(tag, `method="post"`) || strings.Contains(tag, `action="/login"`) {
				continue
			}
			hasPress := strings.HasPrefix(after, `{{template "shown-to" $}}{{template "press" $}}`)
			if files, leaves := strings.Contains(tag, "multipart/form-data"), strings.Contains(strings.SplitN(after, "</form>", 2)[0], `value="sign-out"`); hasPress == (files || leaves) {
				t.Errorf("%s: %s tells no press of its button from another, or does so twice", name, tag)
			}
			if posted++; !strings.HasPrefix(after, `{{template "shown-to" $}}`) {
				t.Errorf("%s: %s does not begin with whom it is shown to", name, tag)
			}
		}
	}
	if posted < 30 {
		t.Errorf("%d forms", posted)
	}
}
