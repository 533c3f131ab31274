package templates_test

import (
	"slices"
	"testing"

	"golang.org/x/net/html"

	"countersign/templates"
)

// An activation password is shown in groups of similar length, and read aloud character
// by character.
func TestActivationPasswordsAreReadOff(t *testing.T) {
	for password, want := range map[string]struct {
		groups []string
		spoken string
	}{
		"":             {nil, ""},
		"7K":           {[]string{"7K"}, "7 K"},
		"12345":        {[]string{"12345"}, "1 2 3 4 5"},
		"123456":       {[]string{"123", "456"}, "1 2 3, 4 5 6"},
		"7K2M9QXA":     {[]string{"7K2M", "9QXA"}, "7 K 2 M, 9 Q X A"},
		"1234567890":   {[]string{"12345", "67890"}, "1 2 3 4 5, 6 7 8 9 0"},
		"123456789012": {[]string{"1234", "5678", "9012"}, "1 2 3 4, 5 6 7 8, 9 0 1 2"},
		"äöü":          {[]string{"äöü"}, "ä ö ü"},
	} {
		page := templates.Account{ActivationPassword: password}
		if got := page.PasswordGroups(); !slices.Equal(got, want.groups) {
			t.Errorf("%q shows as %q, want %q", password, got, want.groups)
		}
		if got := page.PasswordSpoken(); got != want.spoken {
			t.Errorf("%q is heard as %q, want %q", password, got, want.spoken)
		}
	}
}

// An activation password gets the focus, so that it is read aloud at once, and the title
// begins with its name. It is never submitted, so no attribute holds it.
func TestActivationPasswordsAreHeard(t *testing.T) {
	d := render(t, newPages(t), account("ActivationPassword", "1234567890"))
	if got := text(d.all("title")[0]); got != "Your activation password · Account · Countersign" {
		t.Errorf("the title is %q", got)
	}
	at := d.one(func(n *html.Node) bool { return has(n, "autofocus") })
	heard, spoken := d.byID(get(at, "aria-labelledby")), d.byID(get(at, "aria-describedby"))
	if text(heard) != "Your activation password" || text(spoken) != "1 2 3 4 5, 6 7 8 9 0" {
		t.Errorf("the focus tells %q, %q", text(heard), text(spoken))
	}
	if shown := d.one(func(n *html.Node) bool { return get(n, "aria-hidden") == "true" && text(n) == "12345 67890" }); shown == nil {
		t.Error("what is shown is heard as well, as one number")
	}
	for _, n := range d.all() {
		for _, a := range n.Attr {
			if a.Val == "1234567890" {
				t.Errorf("<%s %s> holds it", n.Data, a.Key)
			}
		}
	}
}
