package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"countersign/internal/e2e/e2etest"
)

// readOff returns the activation password as selected text, once it differs from before.
func (b *tab) readOff(before string) string {
	b.t.Helper()
	b.resting("region Your activation password")
	var password string
	b.until("an activation password", func(ctx context.Context) (bool, string) {
		spoken := b.described()
		password = strings.NewReplacer(" ", "", ",", "").Replace(spoken)
		return len(password) == 10 && password != before, fmt.Sprintf("it is heard as %q", spoken)
	})
	b.reads(password)
	return password
}

// submit sends a form of the page by its button's value.
func (b *tab) submit(action string) {
	b.t.Helper()
	evaluate[any](b, fmt.Sprintf(`document.querySelector("main button[value=%s]").click()`, action))
	b.until("the answer to "+action, func(ctx context.Context) (bool, string) {
		there, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && document.querySelector(".password") !== null`))
		return err == nil && there, fmt.Sprint(err)
	})
}

// A person gets an activation password with the mouse or the keyboard, with scripts or
// without, while an earlier one is valid: the phone app accepts the new one.
func TestBrowserAnActivationPassword(t *testing.T) {
	for name, test := range map[string]struct {
		scripts bool
		press   func(b *tab, button string)
	}{
		"with the mouse":    {true, func(b *tab, button string) { b.click("button", button) }},
		"with the keyboard": {true, func(b *tab, button string) { b.reach("button", button); b.press(kb.Enter) }},
		"without scripts":   {false, func(b *tab, button string) { b.click("button", button) }},
	} {
		t.Run(name, func(t *testing.T) {
			app := e2etest.Boot(t)
			first := e2etest.Program(t, app).SignedIn("bob@sandbox").AskFor("bob@sandbox").Want(http.StatusOK).Text("activationPassword")
			b := visit(t, app)
			if !test.scripts {
				b.withoutScripts()
			}
			b.signIn("bob@sandbox", "/")
			b.click("link", "Account")
			b.there("heading", "Your phone app")
			test.press(b, "Get an activation password")
			b.titled("Your activation password · Account")
			second := b.readOff(first)
			b.reads("enter your user name, bob@sandbox, and this password.")
			b.at("/account")
			test.press(b, "Get another one")
			third := b.readOff(second)
			phone := e2etest.Program(t, app)
			phone.Activate("bob@sandbox", second, "ios").Refused(http.StatusConflict, "activation.refused")
			b.says("status", "Waiting for your phone")
			phone.Activate("bob@sandbox", third, "ios").Want(http.StatusOK)
			if !test.scripts {
				b.click("link", "See whether it has worked")
			}
			b.says("status", "Your phone is activated.")
			b.click("link", "Account")
			b.there("button", "Get an activation password")
			b.silent(third[:5])
		})
	}
}

// A sign-in that is too old is renewed on the way, both before the form and after its
// answer.
func TestBrowserAnActivationPasswordAfterAWhile(t *testing.T) {
	app, clock := e2etest.BootWithClock(t)
	b := visit(t, app)
	b.signIn("bob@sandbox", "/account")
	again := func() {
		t.Helper()
		b.there("heading", "Confirm that it is you")
		b.fill("Password", "Sandbox-1!")
		b.click("button", "Sign in with your password")
		b.at("/account#phone")
	}
	clock.Advance(11 * time.Minute)
	b.click("button", "Get an activation password")
	again()
	clock.Advance(11 * time.Minute)
	b.open("/account")
	b.reads("Before you can get an activation password, please sign in once more.")
	b.missing("button", "Get an activation password")
	b.click("link", "Sign in again")
	again()
	if at := b.forward(); at != "button Get an activation password" {
		t.Errorf("the tab key goes to %q", at)
	}
	b.press(kb.Enter)
	b.readOff("")
}

// A person who has activated too often is told so, without a useless button.
func TestBrowserTooManyActivations(t *testing.T) {
	app := e2etest.Boot(t)
	phone := e2etest.Program(t, app).SignedIn("bob@sandbox")
	for r := phone.AskFor("bob@sandbox"); r.Status == http.StatusOK; r = phone.AskFor("bob@sandbox") {
		phone.Activate("bob@sandbox", r.Text("activationPassword"), "android")
	}
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			b := visit(t, app)
			b.expect(http.StatusConflict)
			b.expect(http.StatusServiceUnavailable)
			if !scripts {
				b.withoutScripts()
			}
			b.signIn("bob@sandbox", "/account")
			failing(b, "registerUser", http.StatusServiceUnavailable)
			b.click("button", "Get an activation password")
			b.heard("This does not work right now", "It is our fault, not yours.")
			b.within(1, "button Try again")
			b.press(kb.Enter)
			b.heard("No authenticator is free", "no authenticator is left for this one. Ask your administrator")
			b.missing("button", "Try again")
			b.missing("heading", "Your activation password")
		})
	}
}

// The page that explains an app's error leads to the remedy: through the sign-in, or
// directly for a signed-in person.
func TestBrowserAnErrorLeadsToAnActivationPassword(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	b.open("/errors/orchestration.activation-outdated")
	b.click("link", "Get an activation password")
	b.enter("bob@sandbox")
	b.at("/account#phone")
	b.there("button", "Get an activation password")
	b.open("/errors/orchestration.activation-expired")
	b.click("link", "Get an activation password")
	b.at("/account#phone")
	b.click("button", "Get an activation password")
	b.readOff("")
}

// The password cannot be shown again by going back: the browser asks before it sends the
// form again.
func TestBrowserAnActivationPasswordIsShownOnce(t *testing.T) {
	app := e2etest.Boot(t)
	b := visit(t, app)
	b.signIn("bob@sandbox", "/account")
	b.click("button", "Get an activation password")
	password := b.readOff("")
	b.click("link", "Passkeys")
	b.there("heading", "Passkeys")
	e2etest.Untouched(t, app, func() {
		b.travel(-1)
		b.until("the browser asking nobody for the page", func(ctx context.Context) (bool, string) {
			here, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.href"))
			return err == nil && strings.HasPrefix(here, browsersOwn), "it is at " + here
		})
		b.silent(password)
		b.travel(+1)
		b.there("heading", "Passkeys")
	}, "registerUser")
	e2etest.Program(t, app).Activate("bob@sandbox", password, "ios").Want(http.StatusOK)
}
