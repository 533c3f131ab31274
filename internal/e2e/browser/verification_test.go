package browser_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
)

// startVerification starts a verification by the form, and returns its id.
func (b *tab) startVerification() string {
	b.t.Helper()
	b.open("/verifications")
	b.click("link", "Start an identity check")
	b.fill("First name", "Ada")
	b.fill("Last name", "Archer")
	b.click("button", "Start")
	b.there("heading", "In progress")
	return evaluate[string](b, `document.getElementById("live").dataset.id`)
}

// A person makes a link to pass on and copies it; a person who has it ends the check, and the
// link goes away with it. What failed is tried again with the same person.
func TestVerification_LinkPassedOn(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	b.open("/verifications/new")
	b.click("radio", "For someone else")
	b.fill("First name", "Vera")
	b.fill("Last name", "Verified")
	b.click("button", "Start")
	b.there("heading", "Identity check of Vera Verified")
	id := evaluate[string](b, `document.getElementById("live").dataset.id`)
	b.click("button", "Make a link")
	b.there("image", "QR code of the link")
	link := evaluate[string](b, `document.getElementById("link").value`)
	b.click("button", "Copy link")
	b.reads("The link is ")
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"result": "Failed"})
	player := b.another()
	player.do(chromedp.Navigate(link))
	player.click("button", "Finish") // with a result, all else is there
	b.says("status", "Completed · Failed")
	b.missing("textbox", "Link")
	b.click("button", "Try again")
	b.there("button", "Make a link")
	b.there("heading", "Identity check of Vera Verified")
	b.there("heading", "In progress")
}

// The link to an audit trail appears by itself once the trail is made, even if everything
// else is over by then.
func TestAuditTrail_LinkAppearsByItself(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	b.startVerification()
	b.click("button", "Make the audit trail")
	b.there("link", "Audit trail")
	b.there("heading", "In progress")
	id := b.startVerification()
	b.click("button", "Make the audit trail")
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": "completed"})
	b.there("heading", "Completed")
	b.there("link", "Audit trail")
}

// Every state of the pages of verifications is accessible, and fits in every language.
func TestVerification_PagesAccessible(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.expect(400)
	b.signIn("carol@sandbox", "/")
	id := b.startVerification()
	page := "/verifications/" + id
	become := func(member, value string) {
		e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{member: value})
	}
	scenes := []scene{
		{"verification", func() { b.open(page) }},
		{"verification link", func() { b.click("button", "Make a link"); b.there("button", "Copy link") }},
		{"verification cancel", func() { b.open(page); b.click("link", "Cancel this check"); b.there("link", "Go back") }},
		{"verification failed", func() {
			become("result", "Failed")
			become("status", "completed")
			b.open(page)
			b.there("button", "Try again")
		}},
		{"verification erase", func() { b.click("link", "Erase"); b.there("textbox", "Days") }},
		{"verification erase refused", func() {
			b.fill("Days", "soon")
			b.click("button", "Erase")
			b.says("alert", "Please check")
		}},
		{"verification erased later", func() {
			b.open(page + "?ask=erase")
			b.click("button", "Erase")
			b.there("button", "Cancel the erasure")
		}},
		{"verifications", func() { b.open("/verifications"); b.there("link", "Start an identity check") }},
		{"verifications done", func() { b.click("link", "Done"); b.there("heading", "Done") }},
		{"verification new", func() { b.open("/verifications/new"); b.there("button", "Start") }},
		{"verification new refused", func() { b.press(kb.Enter); b.click("button", "Start"); b.says("alert", "Please check") }},
	}
	b.display(scenes)
	b.wear(look{"narrow", "light", 320})
	for _, language := range inTwo {
		b.speaks(language)
		for _, path := range []string{"/verifications", "/verifications?tab=done", "/verifications/new", page, page + "?ask=erase"} {
			b.open(path)
			for _, finding := range slices.Concat(evaluate[[]string](b, layout), evaluate[[]string](b, cut)) {
				t.Errorf("%s %s: %s", language, path, finding)
			}
			b.photograph(language + strings.ReplaceAll(strings.ReplaceAll(path, id, ""), "/", " "))
		}
	}
}
