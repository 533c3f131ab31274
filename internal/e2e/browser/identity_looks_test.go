package browser_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// phone is the window of a phone.
var phone = look{"phone", "light", 390}

// sight is a rule of what one sees: an expression that is true where it holds.
type sight struct{ rule, holds string }

// sees waits until a page looks as it should, in the window that it has.
func (b *tab) sees(page string, sights ...sight) {
	b.t.Helper()
	for _, s := range sights {
		b.until(page+": "+s.rule, func(ctx context.Context) (bool, string) { // a page scrolls once it is there
			holds, err := chromedp.Run(ctx, chromedp.Evaluate[bool](s.holds))
			return err == nil && holds, fmt.Sprint(err)
		})
	}
	b.photograph("identity " + page)
}

// top is the upper edge of what a selector finds, on the page.
func top(selector string) string {
	return fmt.Sprintf("(document.querySelector(%q).getBoundingClientRect().top + scrollY)", selector)
}

// lines is the number of lines of each element that a selector finds.
func lines(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].map((e) => { const r = document.createRange(); r.selectNodeContents(e); const ends = [...r.getClientRects()].map((box) => box.bottom).sort((a, b) => a - b); return ends.filter((end, i) => i === 0 || end - ends[i - 1] > 8).length; })`, selector)
}

// What one sees of an identity check, on a phone.
func TestIdentityCheck_LooksOnPhone(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.expect(400)
	b.signIn("alice@sandbox", "/")
	b.wear(phone)
	b.open("/verifications")
	b.sees("list", sight{"what is shown is said once", `document.querySelector("#list-heading").getBoundingClientRect().height <= 1`})
	for _, language := range inTwo {
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

	b.click("radio", "For someone else")
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
	for _, language := range inTwo {
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

// ringless is true where nothing that cannot be used has a ring around it.
const ringless = `(() => {
	const around = (e) => e ? [e, ...around(e.parentElement)] : [];
	return [...document.querySelectorAll('[tabindex="-1"]')].flatMap(around).every((e) => getComputedStyle(e).outlineStyle === "none");
})()`

// What one sees of signing in and of passkeys, on a phone.
func TestPasskeyPages_LooksOnPhone(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	b := visit(t, app).plugIn().script(noSuggestions)
	for _, status := range []int{404, 409} {
		b.expect(status)
	}
	b.wear(phone)
	noRing := sight{"no ring around what cannot be used", ringless}
	noNumber := sight{"no number of the request", `[...document.querySelectorAll(".request")].every((e) => !e.checkVisibility())`}
	b.recognised(false)
	b.open("/login")
	b.name("alice@sandbox")
	b.sees("sign-in", sight{"the way to another name is on the label's line", `Math.abs((([a, c]) => a.top + a.height / 2 - c.top - c.height / 2)([document.querySelector("label[for=user]"), document.querySelector(".person .quiet")].map((e) => e.getBoundingClientRect()))) <= 12`})
	b.click("button", "Sign in with a passkey")
	b.says("status", "No passkey was used.")
	b.sees("sign-in cancelled", sight{"what was not done is said in ink", `getComputedStyle(document.querySelector("#status")).color === getComputedStyle(document.body).color`})
	b.fill("Password", "not it")
	b.click("button", "Sign in with your password")
	b.says("alert", "Check the password, and whether the user name above is right.")
	b.sees("sign-in refused", noNumber, noRing)
	b.open("/nothing/here")
	b.sees("not found", noNumber, noRing)

	b.recognised(true)
	b.wear(looks[0])
	b.signIn("alice@sandbox", "/")
	b.wear(phone)
	b.click("link", "Create a passkey")
	b.there("button", "Create a passkey")
	b.sees("passkeys none", sight{"the page begins at its beginning", "scrollY === 0"})
	b.add()
	b.sees("passkey added", noRing)
	b.click("button", "Add a passkey")
	b.says("status", "There is nothing more to do.")
	b.sees("passkey exists", sight{"nothing alarms", `![...document.querySelectorAll(".alert")].some((e) => e.checkVisibility())`})
	b.open("/authenticators")
	b.click("button", "Remove Passkey")
	b.there("link", "Go back")
	b.sees("passkey remove", noRing, sight{"going back comes first", `document.querySelector(".edit .button.secondary").getBoundingClientRect().left < document.querySelector(".edit .button.danger").getBoundingClientRect().left || document.querySelector(".edit .button.secondary").getBoundingClientRect().top < document.querySelector(".edit .button.danger").getBoundingClientRect().top`})
	b.open("/account")
	b.click("button", "Get an activation password")
	b.there("heading", "Your activation password")
	b.sees("activation password", noRing)

	clock.Advance(11 * time.Minute)
	b.open("/authenticators")
	b.click("button", "Remove Passkey")
	b.there("heading", "Confirm that it is you")
	b.sees("confirm")
	b.click("button", "Sign in with a passkey")
	b.click("button", "Yes, remove it")
	b.says("status", "It was removed and can no longer be used to sign in.")
	b.sees("passkey removed", noRing)
}

// pairs is true where no label is parted from its value.
var pairs = lines(".pair") + ".every((n) => n === 1)"

// What one sees of one's account, on a phone.
func TestAccountPage_LooksOnPhone(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app).plugIn().script(noSuggestions)
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	for i := range 9 { // eleven events in all
		b.open("/authenticators?rename=" + evaluate[string](b, `document.querySelector("[data-authenticator]").dataset.authenticator`))
		b.fill("Name", fmt.Sprintf("Key %d", i))
		b.click("button", "Save name")
		b.says("status", "The new name is saved.")
	}
	b.wear(phone)
	for _, language := range inTwo {
		b.speaks(language)
		b.open("/account")
		b.sees("account "+language,
			sight{"the language comes before what happened", top("#language-heading") + " < 1300"},
			sight{"five events are shown, the others on demand", `document.querySelectorAll("section[aria-labelledby=events] > ul > li").length === 5 && document.querySelectorAll(".older li").length === 6 && !document.querySelector(".older").open`},
			sight{"nothing is said of other sessions, for there are none", `document.querySelector("section[aria-labelledby=sessions] > p") === null`},
			sight{"no label is parted from its value", pairs},
		)
		b.open("/authenticators")
		b.sees("passkeys "+language, sight{"dates take one line", lines(".row-main .meta:has(time)") + ".every((n) => n === 1)"})
	}
	b.speaks("en")
	call(b, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	b.open("/authenticators")
	b.there("button", "Add a passkey")
	ground := `getComputedStyle(document.querySelector("[data-part=start]")).backgroundColor`
	before, at := evaluate[string](b, ground), b.boxOf("button", "Add a passkey")
	x, y := at.middle()
	call(b, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: x, Y: y}) // where a tap leaves the pointer
	b.holds(`document.querySelector("[data-part=start]:hover") !== null`)
	if after := evaluate[string](b, ground); after != before {
		t.Errorf("after a tap the button is %s, not %s", after, before)
	}
}

// What an operator sees of a person, on a phone.
func TestPersonPage_LooksOnPhone(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.expect(400)
	e2etest.Browser(t, app).SignedIn("bob@sandbox")
	b.signIn("carol@sandbox", "/")
	b.wear(phone)
	b.open("/people/bob@sandbox")
	b.click("link", "End all sessions")
	b.resting("heading End all sessions of bob@sandbox?")
	b.missing("button", "End Go-http-client/1.1")
	inSight := sight{"the answer is in sight", `document.querySelector("button[value=end-all]").getBoundingClientRect().bottom <= innerHeight`}
	b.sees("end all", inSight, sight{"no ring around what cannot be used", ringless})
	b.click("button", "End all sessions")
	b.reads("Give a reason: it is kept in the audit trail.")
	b.fill("Reason", "lost phone")
	b.click("button", "End all sessions")
	b.says("status", "All sessions of this person have ended.")
	b.missing("link", "End all sessions")
	b.sees("ended", sight{"no label is parted from its value", pairs})
}
