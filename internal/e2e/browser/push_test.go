package browser_test

import (
	"context"
	"net/http"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// overheard records the number of the last sign-in that waits for a phone.
const overheard = `{
	const request = window.fetch;
	window.fetch = async (...args) => {
		const answer = await request(...args);
		answer.clone().json().then(({requestID, sessionStatus}) => { window.pushed = (sessionStatus && requestID) ?? window.pushed; }, () => {});
		return answer;
	};
}`

// decide makes the phone answer the waiting sign-in.
func (b *tab) decide(decision string) {
	b.t.Helper()
	var id string
	b.until("a sign-in waiting for the phone", func(ctx context.Context) (bool, string) {
		var err error
		id, err = chromedp.Run(ctx, chromedp.Evaluate[string](`window.pushed ?? ""`))
		return err == nil && id != "", ""
	})
	e2etest.Manage(b.t, b.app, "POST", "/push/"+id, map[string]any{"decision": decision})
}

// A person signs in by their phone: a refusal is announced, and a second try works.
func TestPush_SignInAfterRefusal(t *testing.T) {
	b := visit(t, e2etest.Boot(t, "PUSH_SIGN_IN=true")).script(overheard)
	b.open("/login?next=/account")
	b.name("alice@sandbox")
	b.click("button", "Approve on your phone")
	b.says("status", "Look at your phone and approve the sign-in there.")
	b.resting("heading Approve on your phone")
	b.reads("Time left: 0:")
	b.holds(`[...document.querySelectorAll("#sign-in button")].filter((e) => e.checkVisibility() && !e.disabled).map((e) => e.textContent).join() === "Cancel"`)
	b.examine("sign-in by phone")
	b.click("button", "Cancel")
	b.says("status", "Stopped. Nothing has changed.")
	b.missing("button", "Cancel")
	b.resting("button Approve on your phone")
	b.press("\r") // the page waits for the same sign-in again
	b.there("button", "Cancel")
	b.decide("refuse")
	b.heard("Not approved", "The sign-in was refused on the phone.")
	evaluate[any](b, "delete window.pushed, 0")
	b.within(1, "button Try again")
	b.press("\r")
	b.says("status", "Look at your phone and approve the sign-in there.")
	b.missing("alert", "")
	b.decide("accept")
	b.at("/account")
	b.reads("Signed in with: Approval on a phone")
}

// A push that did not reach the phone is told as such to the person who signs in again.
func TestPush_PhoneNotReached(t *testing.T) {
	app := e2etest.Boot(t, "PUSH_SIGN_IN=true")
	b := visit(t, app)
	b.signIn("alice@sandbox", "/")
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "sessionStatus", "times": 1, "body": map[string]any{"sessionStatus": "failed"}})
	b.open("/login?again=yes&next=/account")
	b.click("button", "Approve on your phone")
	b.heard("We could not reach your phone", "The sign-in did not arrive there.")
	b.there("button", "Try again")
}

// A failed poll says nothing about the phone: the page goes on polling.
func TestPush_PollsThroughOutage(t *testing.T) {
	app := e2etest.Boot(t, "PUSH_SIGN_IN=true")
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "sessionStatus", "times": 1, "status": http.StatusServiceUnavailable})
	b := visit(t, app).script(overheard)
	b.open("/login?next=/account")
	b.name("alice@sandbox")
	b.expect(http.StatusServiceUnavailable)
	b.click("button", "Approve on your phone")
	e2etest.Eventually(t, "a poll fails", func() bool { return slices.Contains(e2etest.Journal(t, app), "sessionStatus") })
	b.decide("accept")
	b.at("/account")
	b.reads("Signed in with: Approval on a phone")
}

// An account that does not exist waits like any other; without scripts no phone is
// offered, because it needs them.
func TestPush_UnknownAccountWaits(t *testing.T) {
	b := visit(t, e2etest.Boot(t, "PUSH_SIGN_IN=true")).script(overheard)
	b.open("/login")
	b.name("nobody@sandbox")
	b.click("button", "Approve on your phone")
	b.says("status", "Look at your phone and approve the sign-in there.")
	b.missing("textbox", "Password")
	b.click("button", "Cancel")
	b.fill("Password", "not it") // the other ways are open again
	b.expect(http.StatusConflict)
	b.click("button", "Sign in with your password")
	b.heard("Sign-in not possible", "These details do not let you sign in.")

	b.withoutScripts()
	b.open("/login")
	b.name("alice@sandbox")
	b.missing("button", "Approve on your phone")
}

// Unless the setting is on, no phone is offered.
func TestPush_NotOfferedByDefault(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.open("/login")
	b.name("alice@sandbox")
	b.there("button", "Sign in with a passkey")
	b.missing("button", "Approve on your phone")
}
