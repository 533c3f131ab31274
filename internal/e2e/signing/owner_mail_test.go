package signing_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/outbox/smtptest"
)

// told returns the subjects and texts of the letters to this address that tell of a package's
// end: they alone carry a link to one of our pages.
func told(t *testing.T, app *e2etest.App, to string) (subjects, texts []string) {
	t.Helper()
	for _, m := range e2etest.Outbox(t, app, to) {
		if strings.Contains(m.Text, app.URL()+"/packages/") {
			subjects, texts = append(subjects, e2etest.WithoutIsolation([]byte(m.Subject))), append(texts, e2etest.WithoutIsolation([]byte(m.Text)))
		}
	}
	return subjects, texts
}

// arrives waits until the owner was sent so many letters, and returns the last one.
func arrives(t *testing.T, app *e2etest.App, to string, count int, subject string) (text string) {
	t.Helper()
	e2etest.Eventually(t, subject, func() bool { s, _ := told(t, app, to); return len(s) >= count })
	subjects, texts := told(t, app, to)
	if len(subjects) != count || !slices.Contains(subjects, subject) {
		t.Fatalf("there is no %q among the %d letters: %q", subject, count, subjects)
	}
	return texts[slices.Index(subjects, subject)]
}

// decline declines the package on the platform's page.
func decline(t *testing.T, c *e2etest.Client, id, reason string) {
	t.Helper()
	e2etest.PressAt(t, c.Page(page(id)+"/sign").Want(http.StatusSeeOther).Header.Get("Location"), url.Values{"action": {"decline"}, "reason": {reason}})
	c.Page(page(id)).Want(http.StatusOK) // the index is told
}

// Owners are told by e-mail how their packages ended, in the language that they chose, unless
// they ended them themselves or turned it off under /account.
func TestOwnerMail_PackageEnds(t *testing.T) {
	app := e2etest.Boot(t)
	p := meet(t, app)
	const alice = "alice@sandbox.example"
	one := create(p.alice, lease("Lease of the mill", "SENT", "bob@sandbox.example"))
	e2etest.Sign(t, app, p.bob, one)
	p.bob.Page(page(one))
	text := arrives(t, app, alice, 1, "Completed: Lease of the mill")
	if strings.Count(text, "//") != 1 || !strings.Contains(text, "\n"+app.URL()+page(one)+"\n") || strings.Contains(text, "Bob") {
		t.Errorf("the letter is %q", text)
	}

	has(t, p.alice.Page("/account").Want(http.StatusOK), `name="packages" type="checkbox" value="yes" checked`, `<select id="notices" name="notices">`)
	p.alice.Post("/account", "action", "language", "language", "fr").Want(http.StatusSeeOther)
	has(t, p.alice.Page("/account"), "Celle choisie en dernier pour les pages (Français)")
	p.alice.Post("/account", "action", "mails", "packages", "yes", "notices", "de").Want(http.StatusSeeOther)
	has(t, p.alice.Page("/account?notice=mails"), `lang="de" selected>`)
	two := create(p.alice, lease("Lease of the barn", "SENT", "bob@sandbox.example"))
	decline(t, p.bob, two, "The roof leaks.")
	if text := arrives(t, app, alice, 2, "Abgelehnt: Lease of the barn"); strings.Contains(text, "roof") || !strings.Contains(text, "unterschrieben") {
		t.Errorf("the letter is %q", text)
	}

	if got := p.alice.Send("GET", "/account/notices", nil).Want(http.StatusOK); got.Member("packages") != true || got.Text("language") != "de" {
		t.Errorf("her choice is %s", got.Body)
	}
	p.alice.Post("/account", "action", "mails", "notices", "").Want(http.StatusSeeOther)
	off := create(p.alice, lease("Off", "SENT", "bob@sandbox.example"))
	e2etest.Sign(t, app, p.bob, off)
	p.bob.Page(page(off))
	own := create(p.alice, lease("Own", "SENT", "bob@sandbox.example"))
	p.alice.Send("PATCH", "/account/notices", map[string]any{"packages": "yes"}).Refused(http.StatusBadRequest, "request.invalid")
	p.alice.Send("PATCH", "/account/notices", map[string]any{"language": "tlh"}).Refused(http.StatusBadRequest, "request.invalid")
	for _, one := range []struct{ chosen, then string }{{"ja", "ja"}, {"", "fr"}} { // French was chosen for the pages
		p.alice.Send("PATCH", "/account/notices", map[string]any{"language": one.chosen}).Want(http.StatusNoContent)
		if got := p.alice.Send("GET", "/account/notices", nil).Want(http.StatusOK).Text("language"); got != one.then {
			t.Errorf("after %q the language is %s, want %s", one.chosen, got, one.then)
		}
	}
	bobs := create(p.bob, lease("Bob's", "SENT", "alice@sandbox.example"))
	p.carol.Post(page(bobs), "action", "cancel", "reason", "Fraud.").Want(http.StatusSeeOther)
	arrives(t, app, "bob@sandbox.example", 1, "Cancelled: Bob's") // so what ended before was told, or not
	p.alice.Send("PATCH", "/account/notices", map[string]any{"packages": true}).Want(http.StatusNoContent)
	p.alice.Post(page(own), "action", "cancel", "reason", "Sold.").Want(http.StatusSeeOther)

	for i, cancel := range []func(id string){
		func(id string) {
			p.carol.Post(page(id), "action", "cancel", "reason", "Fraud.").Want(http.StatusSeeOther)
		},
		func(id string) {
			p.carol.Send("PUT", "/api/packages/"+id, object{"status": "DECLINED", "messages": []any{object{"from": object{"id": senderOf(p.carol, id)}, "content": "Fraud."}}}).Want(http.StatusOK)
		},
	} {
		name := "Ranch " + string(rune('A'+i))
		id := create(p.alice, lease(name, "SENT", "bob@sandbox.example"))
		cancel(id)
		arrives(t, app, alice, 3+i, "Annulé\u00a0: "+name)
		has(t, p.bob.Page(page(id)), ">Cancelled by an administrator<", "Fraud.")
		has(t, p.alice.Page(page(id)), ">Annulé par un administrateur<")
		has(t, p.carol.Page(page(id)), ">Cancelled by you<")
		lacks(t, p.carol.Send("GET", "/api/packages/"+id, nil), "cancelledBy")
	}

	late := lease("Late", "SENT", "bob@sandbox.example")
	late["due"] = time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	id := create(p.alice, late)
	e2etest.Manage(t, app, "POST", "/clock", object{"advance": "2h"})
	has(t, p.alice.Page(page(id)), ">Expiré<")
	arrives(t, app, alice, 5, "Expiré\u00a0: Late")
}

// senderOf returns the id of a package's sender.
func senderOf(c *e2etest.Client, id string) string {
	c.T.Helper()
	var p struct{ Sender struct{ ID string } }
	if err := json.Unmarshal(c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body, &p); err != nil {
		c.T.Fatal(err)
	}
	return p.Sender.ID
}

// Over two nodes, a callback that comes twice, the sweep and a mail server that fails at first,
// an end is told once.
func TestOwnerMail_SentOnce(t *testing.T) {
	addr, letters := smtptest.ServeAfter(t, 2)
	nodes, clock := e2etest.BootNodes(t, 2, "SESSION_IDLE=12h", "SMTP_URL=smtp://"+addr, "SIGNING_CALLBACK_KEY=callback-key", "SIGNING_SWEEP=1s")
	alice := e2etest.Program(t, nodes[0]).SignedIn("alice@sandbox")
	indexed(alice)
	for _, name := range []string{"First", "Second", "Third"} {
		pkg := lease(name, "SENT", "bob@sandbox.example")
		pkg["data"] = object{"countersign": object{"owner": "alice@sandbox"}}
		id := e2etest.AtPlatform(t, nodes[0], "POST", "/api/packages", pkg).Text("id")
		alice.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK) // the index knows it
		e2etest.AtPlatform(t, nodes[0], "PUT", "/api/packages/"+id, object{"status": "DECLINED", "messages": []any{object{"from": object{"email": "bob@sandbox.example"}, "content": "No."}}})
		for _, node := range append(nodes, nodes...) {
			e2etest.Program(t, node).Send("POST", "/callbacks/signing", `{"name":"PACKAGE_DECLINE","packageId":"`+id+`"}`,
				"Content-Type", "application/json", "Authorization", "Basic callback-key").Want(http.StatusNoContent)
		}
		var letter string
		e2etest.Eventually(t, "the letter of "+name, func() bool {
			select {
			case letter = <-letters:
				return true
			default:
				clock.Advance(time.Second) // to the next attempt
				return false
			}
		})
		if !strings.Contains(letter, "RCPT TO:<alice@sandbox.example>") || !strings.Contains(letter, "Subject: =?UTF-8?q?Declined:_=E2=81=A8"+name+"=E2=81=A9?=") || !strings.Contains(letter, "https://cs.example/packages/") {
			t.Errorf("the letter of %s is %s", name, letter)
		}
	}
}
