package browser_test

import (
	"fmt"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// phone is the window of a phone.
var phone = look{"phone", "light", 390}

// sight is a rule of what one sees: an expression that is true where it holds.
type sight struct{ rule, holds string }

// sees checks what a page looks like, in the window that it has.
func (b *tab) sees(page string, sights ...sight) {
	b.t.Helper()
	for _, s := range sights {
		if !evaluate[bool](b, s.holds) {
			b.t.Errorf("%s: not so: %s", page, s.rule)
		}
	}
	b.photograph("identity " + page)
}

// top is the upper edge of what a selector finds, on the page.
func top(selector string) string {
	return fmt.Sprintf("(document.querySelector(%q).getBoundingClientRect().top + scrollY)", selector)
}

// lines is the number of lines of each element that a selector finds.
func lines(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => { const r = document.createRange(); r.selectNodeContents(e); return new Set([...r.getClientRects()].map((box) => Math.round(box.bottom / 8))).size; })`, selector)
}

// What one sees of an identity check, on a phone.
func TestBrowserLooksOfIdentityChecks(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.expect(400)
	b.signIn("alice@sandbox", "/")
	b.wear(phone)
	b.open("/verifications")
	b.sees("list", sight{"what is shown is said once", `document.querySelector("#list-heading").getBoundingClientRect().height <= 1`})
	for _, language := range []string{"en", "de", "es", "fr", "ja"} {
		b.speaks(language)
		b.open("/verifications/new")
		b.sees("new "+language,
			sight{"the file is no document of identity", `!/^(Document|Dokument|Documento|文書)$/.test(document.querySelector("label[for=document]").textContent.trim())`},
			sight{"what is needed is marked, and nothing else", `[...document.querySelectorAll("form input:is([type=text], [type=email], [type=tel], [type=date], [type=file])")].every((e) => e.required === (e.closest(".field").querySelector(".needed") !== null))`},
		)
	}
	b.speaks("en")
	b.open("/verifications/new")
	b.click("button", "Start")
	b.says("alert", "Please correct what is marked below.")
	b.sees("new refused")

	b.click("radio", "For somebody else")
	b.fill("First name", "Vera")
	b.fill("Last name", "Verified")
	b.click("button", "Start")
	b.there("button", "Make a link")
	once := sight{"one primary button", `document.querySelectorAll("main .button.primary").length === 1`}
	full := sight{"no card without news", `!/No document|appears here/.test(document.querySelector("main").innerText)`}
	b.sees("started", once, full)
	b.click("button", "Make a link")
	b.there("button", "Copy link")
	b.sees("link", once, full, sight{"it is short", `document.querySelector("main").scrollHeight < 1250`})

	id := evaluate[string](b, `document.getElementById("live").dataset.id`)
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"result": "Failed"})
	e2etest.Manage(t, app, "POST", "/transactions/"+id, map[string]any{"status": "completed"})
	for _, language := range []string{"en", "de"} {
		b.speaks(language)
		b.open("/verifications/" + id)
		b.sees("failed "+language,
			sight{"the result comes first", `(document.querySelector("#result-heading").compareDocumentPosition(document.querySelector("#state-heading")) & Node.DOCUMENT_POSITION_FOLLOWING) > 0`},
			sight{"the result is in sight", top("section:has(> * > #result-heading)") + " < 260"},
			sight{"no step takes two lines", lines(".timeline li") + ".every((n) => n === 1)"},
			sight{"a day is told once", `new Set([...document.querySelectorAll(".timeline time")].map((e) => e.textContent.length)).size > 1 || document.querySelectorAll(".timeline time").length === 1`},
		)
	}
}
