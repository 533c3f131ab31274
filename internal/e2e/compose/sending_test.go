package compose_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// letters returns the e-mails to an address as subject and text.
func letters(t *testing.T, app *e2etest.App, to string) (all []string) {
	t.Helper()
	for _, m := range e2etest.Outbox(t, app, to) {
		all = append(all, m.Subject+": "+m.Text)
	}
	return all
}

var twoRecipients = []string{
	"r1.first_name", "Bob", "r1.last_name", "Builder", "r1.email", "bob@sandbox.example",
	"r3.first_name", "Carol", "r3.last_name", "Clerk", "r3.email", "carol@sandbox.example",
}

// A package is sent with its messages, its language, its due day and its reminders, and the
// platform honours all of them.
func TestSend_MessagesAndReminders(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").choose("lease.pdf", document("Lease")).follow("add-files")
	sender := p.values.Get("message")[:strings.Index(p.values.Get("message"), " asks")]
	p.has(`value="lease"`, "asks you to sign &#34;lease&#34;.")
	if strings.Contains(p.body, "invited at once.") {
		t.Error("somebody without a name is said to be invited")
	}
	p.follow("add-recipient").set(twoRecipients...).set("name", "Mill").follow("keep")
	if got := p.values.Get("message"); got != sender+` asks you to sign "Mill".` || !strings.Contains(sender, "(alice@sandbox.example)") {
		t.Errorf("the message is %q", got)
	}
	p.has("When you send it, Bob and Carol are invited at once.")
	p.set("in_order", "yes", "language", "de").follow("keep").has("When you send it, Bob is invited at once, Carol when Bob has signed.", sender+" bittet Sie, „Mill“ zu unterschreiben.")
	due := time.Now().UTC().AddDate(0, 0, 9)
	p.set("message", "Bitte\r\nbis Freitag.", "r1.message", "Bob, das Tor klemmt.", "r1.reassign", "yes", "due", due.Format(time.DateOnly))
	p.set("remind_first", "２", "remind_every", " ３", "remind_most", "2", "name", "The mill").follow("save").has(`name="remind_first" type="text" inputmode="numeric" value="2"`) // as a Japanese keyboard writes them
	if got := p.values.Get("message"); got != "Bitte\nbis Freitag." {
		t.Errorf("the message that was edited is %q", got)
	}
	p.press("send").Want(http.StatusSeeOther)

	made := c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK)
	for member, want := range map[string]string{"emailMessage": "Bitte\nbis Freitag.", "language": "de", "due": due.Format(time.DateOnly) + "T23:59:59Z", "status": "SENT", "name": "The mill"} {
		if got := made.Member(member); got != want {
			t.Errorf("%s is %v, want %s", member, got, want)
		}
	}
	for _, text := range []string{`"reassign":true`, `"content":"Bob, das Tor klemmt."`} {
		if !strings.Contains(string(made.Body), text) {
			t.Errorf("the package lacks %s: %s", text, made.Body)
		}
	}
	reminders := string(c.Send("GET", "/api/packages/"+p.id()+"/reminders", nil).Want(http.StatusOK).Body)
	if !strings.Contains(reminders, `"startInDaysDelay":2,"intervalInDays":3,"repetitionsCount":2`) {
		t.Errorf("the reminders are %s", reminders)
	}
	invited := letters(t, app, "bob@sandbox.example")
	if len(invited) != 1 || !strings.Contains(invited[0], "Bitte unterschreiben: The mill") || !strings.Contains(invited[0], "Bitte\nbis Freitag.\n\nBob, das Tor klemmt.") {
		t.Errorf("Bob is invited by %q", invited)
	}
	const day = 24 * time.Hour
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{day, 1}, {day + time.Hour, 2}, {day, 2}, {2 * day, 3}, {3 * day, 3}} {
		clock.Advance(step.after)
		got := letters(t, app, "bob@sandbox.example")
		if len(got) != step.want || step.want > 1 && (!strings.Contains(got[0]+got[len(got)-1], "Erinnerung") || !strings.Contains(got[len(got)-1], "bis Freitag")) {
			t.Errorf("%v later Bob has %q", step.after, got)
		}
	}
	if got := letters(t, app, "carol@sandbox.example"); len(got) > 0 {
		t.Errorf("Carol, whose turn it is not, has %q", got)
	}
	clock.Advance(2 * day)
	c = e2etest.Browser(t, app).SignedIn("alice@sandbox")
	if got := c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Member("status"); got != "EXPIRED" {
		t.Errorf("after its day it is %v", got)
	}
}

// Reminders that a program sets while the form is open stay, unless the person changes them.
func remindersOfAProgram(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").set(firstIsAlice...).choose("a.txt", "text").follow("add-files")
	reminders := "/api/packages/" + p.id() + "/reminders"
	set := func(start int) {
		t.Helper()
		c.Send("PUT", reminders, map[string]any{"startInDaysDelay": start, "intervalInDays": 3, "repetitionsCount": 2}).Want(http.StatusOK)
	}
	is := func(want string) {
		t.Helper()
		if got := string(c.Send("GET", reminders, nil).Want(http.StatusOK).Body); !strings.Contains(got, `"startInDaysDelay":`+want+`,`) {
			t.Errorf("the reminders are %s, not after %s days", got, want)
		}
	}
	p.set("remind_first", "1", "remind_every", "3", "remind_most", "2").follow("save")
	is("1")
	set(4)
	p.set("name", "The mill").follow("save")
	is("4")
	p.has(`value="4 3 2"`)
	set(5)
	p.set("remind_first", "6").follow("save")
	is("6")
	set(7)
	open(t, c, p.path).has(`value="7 3 2"`)

	p = saved(t, c) // without any
	reminders = "/api/packages/" + p.id() + "/reminders"
	c.Send("POST", reminders, map[string]any{"startInDaysDelay": 2, "intervalInDays": 3, "repetitionsCount": 2}).Want(http.StatusOK)
	p.set("name", "The mill").follow("save")
	is("2")
	p = open(t, c, p.path).has(`value="2 3 2"`).set("name", "A mill").follow("save").has(`value="2 3 2"`)
	is("2")
	p.set("remind_first", "9").follow("save").has(`value="9 3 2"`)
	is("9")
	c.Send("DELETE", reminders, nil)
	p.set("name", "No mill").follow("save").has(`value="  "`)
}

// Wrong entries about the sending are listed with links to their inputs, and nothing
// typed is lost.
func complaintsLeadToTheirInputs(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").choose("a.txt", "text").follow("add-files").follow("add-recipient")
	p.set(twoRecipients...).set("r3.email", "carol@").set("message", strings.Repeat("é", 4001), "r1.message", strings.Repeat("x", 4001), "due", "2001-01-01", "remind_first", "x", "remind_most", "101")
	p.take(p.press("send").Want(http.StatusBadRequest))
	for _, line := range []string{
		`<a href="#r3.email">Recipient 2, E-mail: `, `<a href="#r1.message">Recipient 1, Message to this person: `, `<a href="#message">Message to everyone: `,
		`<a href="#due">Due: This day is over.`, `<a href="#remind_first">First after: This must be a whole number`, `<a href="#remind_every">then every: This is required.`,
		`<a href="#remind_most">at most: `,
	} {
		p.has(line)
	}
	if strings.Contains(p.body, `data-part="instance"`) {
		t.Error("there is a request number")
	}
	open(t, c, p.path).has(strings.Repeat("é", 4001), `value="2001-01-01"`)
	p.set("message", strings.Repeat("é", 4000), "r1.message", "", "r3.email", "carol@sandbox.example", "due", "", "remind_first", "", "remind_most", "")
	p.press("send").Want(http.StatusSeeOther)
	if reminders := c.Send("GET", "/api/packages/"+p.id()+"/reminders", nil); reminders.Status != http.StatusNoContent {
		t.Errorf("there are reminders: %d %s", reminders.Status, reminders.Body)
	}
}

// Nothing but a chosen file, or saving what can be saved, makes a draft; the page keeps
// everything typed on its own.
func whatIsTypedMakesNoDraft(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	p := open(t, c, "/packages/new").has(`>required</span>`)
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`<a href="#files">Documents: A package needs a document.`, `<a href="#r1.first_name">Recipient 1: enter the first name<`)
	p.set("name", "Mill", "message", "Own words.", "r1.email", "bob@").follow("add-recipient").set("r2.first_name", "Carol").follow("up:r2")
	p.has(`name="recipients" value="r2 r1 "`, `value="Carol"`, `value="bob@"`, ">Own words.<").follow("add-recipient").follow("remove:r3").follow("keep").follow("add-files")
	p.take(p.press("save").Want(http.StatusBadRequest))
	p.has(`<a href="#r1.email">Recipient 2, E-mail: `)
	p.take(p.press("nonsense").Want(http.StatusBadRequest))
	if n := strings.Count(string(e2etest.Manage(t, app, "GET", "/journal", nil).Body), `"createPackage"`); n != 0 {
		t.Errorf("%d packages were made", n)
	}
	p.set("r1.email", "bob@sandbox.example").follow("save").has("The draft is saved.", `value="Mill"`, ">Own words.<", `value="Carol"`)
	if strings.Index(p.body, `name="r2.email"`) > strings.Index(p.body, `name="r1.email"`) {
		t.Error("the recipients have changed places")
	}
	open(t, c, "/packages/new").set("recipients", "r1 r1 x r0 r99999 r7 "+strings.Repeat("r8 ", 200), "was_language", "xx", "language", "tlh").follow("keep").has(`name="recipients" value="r1 r7 r8 "`, `value="en" selected`)
}

// Drafts are deleted one and several at once, after being asked; what was sent is not.
func draftsAreDeleted(t *testing.T, app *e2etest.App) {
	c, bob := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("bob@sandbox")
	var ids []string
	for _, name := range []string{"One", "Two", "Three"} {
		ids = append(ids, open(t, c, "/packages/new").set("name", name).follow("save").id())
	}
	list := string(c.Page("/packages?tab=drafts").Want(http.StatusOK).Body)
	for _, text := range []string{`type="checkbox" form="selection" name="id"`, ">Delete selected<", ">Delete</a>"} {
		if !strings.Contains(list, text) {
			t.Errorf("the list lacks %s: %s", text, list)
		}
	}
	ask := "/packages/delete?" + url.Values{"id": ids[:2]}.Encode()
	page := string(c.Page(ask).Want(http.StatusOK).Body)
	for _, text := range []string{"Delete these 2 packages?", "One", "Two", ">Go back<", `action="` + strings.ReplaceAll(ask, "&", "&amp;") + `"`} {
		if !strings.Contains(page, text) {
			t.Errorf("the question lacks %s: %s", text, page)
		}
	}
	out := e2etest.Browser(t, app).Post(ask, "id", ids[0]).Want(http.StatusSeeOther).Header.Get("Location")
	if to, err := url.Parse(out); err != nil || to.Query().Get("next") != ask+"&notice=not-done" {
		t.Errorf("signed out the answer leads to %s", out)
	}
	bob.Page(ask).Want(http.StatusNotFound)
	bob.Post("/packages/delete", "id", ids[0]).Want(http.StatusNotFound)
	if to := c.Send("POST", "/packages/delete", url.Values{"id": ids[:2], "shown_to": {c.ShownTo()}}.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html").Want(http.StatusSeeOther).Header.Get("Location"); to != "/packages?tab=drafts&notice=package-deleted" {
		t.Errorf("it leads to %s", to)
	}
	left := string(c.Page("/packages?tab=drafts&notice=package-deleted").Want(http.StatusOK).Body)
	if strings.Contains(left, ">One<") || strings.Contains(left, ">Two<") || !strings.Contains(left, ">Three<") || !strings.Contains(left, "It is deleted.") {
		t.Errorf("the list is %s", left)
	}
	for _, none := range []e2etest.Reply{c.Page("/packages/delete?tab=templates"), c.Post("/packages/delete?tab=templates")} {
		list := none.Want(http.StatusSeeOther).Header.Get("Location")
		if body := string(c.Page(list).Want(http.StatusOK).Body); !strings.HasPrefix(list, "/packages?tab=templates&") || !strings.Contains(body, "Select what you want to delete first.") {
			t.Errorf("without any it leads to %s: %s", list, body)
		}
	}
	sent := open(t, c, "/packages/new").set(firstIsAlice...).choose("a.txt", "text").follow("add-files")
	sent.press("send").Want(http.StatusSeeOther)
	c.Page("/packages/delete?id=" + url.QueryEscape(sent.id())).Want(http.StatusConflict)
	c.Post("/packages/delete", "id", sent.id()).Want(http.StatusConflict)
}

// A template keeps documents and fields, but nobody's name and address; a draft made of it
// has its recipients to be filled in. It is its owner's alone.
func aPackageIsSavedAsATemplateAndUsed(t *testing.T, app *e2etest.App) {
	c, bob := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app).SignedIn("bob@sandbox")
	p := open(t, c, "/packages/new").set("name", "Lease").choose("form.pdf", formPDF).follow("add-files").follow("add-recipient")
	var keys []string
	for name := range p.values {
		if key, ok := strings.CutSuffix(name, ".email"); ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	p.set(keys[0]+".first_name", "Bob", keys[0]+".last_name", "Builder", keys[0]+".email", "bob@sandbox.example", keys[0]+".reassign", "yes", keys[0]+".message", "Dear Bob")
	p.set(keys[1]+".first_name", "Zora", keys[1]+".last_name", "Zimmer", keys[1]+".email", "zora@sandbox.example", "in_order", "yes")
	p.set("f3.recipient", keys[0]).press("send").Want(http.StatusSeeOther)
	at := "/packages/" + url.PathEscape(p.id())
	if page := string(c.Page(at).Want(http.StatusOK).Body); !strings.Contains(page, ">Save as template<") {
		t.Errorf("the page lacks the button: %s", page)
	}
	bob.Post(at, "action", "template").Want(http.StatusForbidden)
	c.Send("PUT", "/api"+at, map[string]any{"data": map[string]any{"customer": "Zora Zimmer"}}).Want(http.StatusOK)
	for range 2 {
		if to := c.Post(at, "action", "template", "once", "x").Want(http.StatusSeeOther).Header.Get("Location"); to != "/packages?tab=templates&notice=template-saved" {
			t.Fatalf("it leads to %s", to)
		}
	}
	list := string(c.Page("/packages?tab=templates").Want(http.StatusOK).Body)
	if strings.Contains(list, ">Template<") || strings.Contains(list, ">Draft<") {
		t.Errorf("a row repeats its tab: %s", list)
	}
	if n := strings.Count(list, `value="use"`); n != 1 || !strings.Contains(list, ">Templates<") {
		t.Fatalf("there are %d templates: %s", n, list)
	}
	if theirs := string(bob.Page("/packages?tab=templates").Want(http.StatusOK).Body); strings.Contains(theirs, `value="use"`) {
		t.Errorf("Bob sees %s", theirs)
	}
	for _, tab := range []string{"drafts", "sent", "to-sign", "done"} {
		if other := string(c.Page("/packages?tab=" + tab).Want(http.StatusOK).Body); strings.Contains(other, `value="use"`) {
			t.Errorf("%s has the template", tab)
		}
	}
	template := c.Send("GET", "/api/packages?type=TEMPLATE", nil).Want(http.StatusOK)
	id := template.Member("results").([]any)[0].(map[string]any)["id"].(string)
	whole := string(c.Send("GET", "/api/packages/"+id, nil).Want(http.StatusOK).Body)
	for _, name := range []string{"Bob", "Builder", "bob@", "Zora", "Zimmer", "zora@", "alice@"} {
		if strings.Contains(whole, name) {
			t.Errorf("the template names %s: %s", name, whole)
		}
	}
	draft, question := "/packages/new/"+url.PathEscape(id), string(c.Page("/packages/delete?id="+url.QueryEscape(id)).Want(http.StatusOK).Body)
	if to := c.Page(draft).Want(http.StatusSeeOther).Header.Get("Location"); to != "/packages/"+url.PathEscape(id) || !strings.Contains(question, "Delete this template?") {
		t.Errorf("a template is prepared at %s; it is asked %s", to, question)
	}
	c.Send("POST", draft, "--x\r\nContent-Disposition: form-data; name=\"shown_to\"\r\n\r\n"+c.ShownTo()+"\r\n--x\r\nContent-Disposition: form-data; name=\"do\"\r\n\r\nsend\r\n--x--\r\n", "Content-Type", "multipart/form-data; boundary=x", "Accept", "text/html").Want(http.StatusConflict)
	bob.Page("/packages/" + url.PathEscape(id)).Want(http.StatusNotFound)
	bob.Post("/packages/"+url.PathEscape(id), "action", "use").Want(http.StatusNotFound)
	c.Post(at, "action", "use").Want(http.StatusConflict) // it is no template
	page := string(c.Page("/packages/" + url.PathEscape(id)).Want(http.StatusOK).Body)
	if !strings.Contains(page, ">Use<") || !strings.Contains(page, ">Delete<") || strings.Contains(page, ">Copy as new<") {
		t.Errorf("the template's page is %s", page)
	}

	to := c.Post("/packages/"+url.PathEscape(id), "action", "use", "once", "y").Want(http.StatusSeeOther).Header.Get("Location")
	p = open(t, c, strings.Split(to, "?")[0])
	p.has(`value="Lease"`, "form.pdf", "Given Name", "asks you to sign &#34;Lease&#34;.")
	p.take(p.press("send").Want(http.StatusBadRequest))
	p.has(`<a href="#r1.email">Recipient 1: enter the e-mail address<`, `<a href="#r2.email">Recipient 2: enter the e-mail address<`)
	p.set("r1.first_name", "Dora", "r1.last_name", "Day", "r1.email", "dora@sandbox.example", "r2.first_name", "Emil", "r2.last_name", "Ey", "r2.email", "emil@sandbox.example")
	p.press("send").Want(http.StatusSeeOther)
	made := string(c.Send("GET", "/api/packages/"+p.id(), nil).Want(http.StatusOK).Body)
	for _, text := range []string{`"status":"SENT"`, `"type":"PACKAGE"`, `"dora@sandbox.example"`, `"reassign":true`, `"Given Name"`} {
		if !strings.Contains(made, text) {
			t.Errorf("the package lacks %s: %s", text, made)
		}
	}
}
