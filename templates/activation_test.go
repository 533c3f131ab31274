package templates_test

import (
	"testing"

	"golang.org/x/net/html"
)

// An activation password gets the focus, so that it is read aloud at once, and the title
// begins with its name. It is never submitted, so no attribute holds it.
func TestActivationPassword_GetsFocus(t *testing.T) {
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
