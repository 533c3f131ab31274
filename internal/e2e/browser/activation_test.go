package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

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
func TestActivationPassword_ReplacesEarlierOne(t *testing.T) {
	for name, test := range map[string]struct {
		scripts bool
		press   func(b *tab, button string)
	}{
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

// The password cannot be shown again by going back: the browser asks before it sends the
// form again.
func TestActivationPassword_ShownOnce(t *testing.T) {
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
