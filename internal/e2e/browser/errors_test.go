package browser_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"

	"countersign/internal/e2e/e2etest"
)

// titled waits until the title of the page begins so, which a screen reader reads first.
func (b *tab) titled(beginning string) {
	b.t.Helper()
	b.until("the title "+beginning, func(ctx context.Context) (bool, string) {
		title, err := chromedp.Run(ctx, chromedp.Title())
		return err == nil && strings.HasPrefix(title, beginning+" · "), fmt.Sprintf("it is %q (%v)", title, err)
	})
}

// described returns the description that a screen reader adds to the name of the focused
// element.
func (b *tab) described() string {
	b.t.Helper()
	for _, node := range call(b, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
		if !node.Ignored && axBool(node, accessibility.PropertyNameFocused) && axText(node.Role) != "RootWebArea" {
			return axText(node.Description)
		}
	}
	return ""
}

func axBool(node *accessibility.Node, name accessibility.PropertyName) bool {
	for _, property := range node.Properties {
		if property.Name == name {
			return string(property.Value.Value) == "true"
		}
	}
	return false
}

// heard checks that an error is announced to people who cannot see: in the title, in an
// alert, and by the focus, which is on the alert or on the erroneous field, with the
// error as its description.
func (b *tab) heard(title, sentence string) {
	b.t.Helper()
	b.titled(title)
	b.says("alert", sentence)
	b.until("the focus on the error", func(context.Context) (bool, string) {
		at := b.focused()
		return strings.HasPrefix(at, "alert") || strings.HasPrefix(at, "textbox") && b.described() != "", fmt.Sprintf("it is on %q, %q", at, b.described())
	})
}

// within checks that at most so many presses of the tab key focus the button or link that
// mends the error.
func (b *tab) within(presses int, stop string) {
	b.t.Helper()
	var passed []string
	for range presses {
		at := b.forward()
		if at == stop {
			return
		}
		passed = append(passed, at)
	}
	b.t.Fatalf("from the error the tab key goes to %q, not to %s", passed, stop)
}

// Every kind of form error is announced, with scripts and without, and its remedy is the
// next control.
func TestFormError_Announced(t *testing.T) {
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			app := e2etest.Boot(t)
			e2etest.Browser(t, app).SignedIn("alice@sandbox").Register(e2etest.NewPasskey(app))
			b := visit(t, app)
			for _, status := range []int{400, 404, 409, 429, 503} {
				b.expect(status)
			}
			if !scripts {
				b.withoutScripts()
			}
			b.open("/login")
			b.fill("User name", "alice")
			b.click("button", "Continue")
			b.heard("Please check what you typed", "A user name looks like name@domain.")
			b.resting("textbox User name")
			b.name("alice@sandbox")
			b.fill("Password", "not it")
			b.click("button", "Sign in with your password")
			b.heard("Sign-in not possible", "These details do not let you sign in.")
			b.resting("textbox Password")
			b.within(2, "button Sign in with your password")

			failing(b, "login", http.StatusServiceUnavailable)
			b.fill("Password", "Sandbox-1!")
			b.click("button", "Sign in with your password")
			b.heard("This does not work right now", "It is our fault, not yours.")
			b.fill("Password", "Sandbox-1!")
			b.click("button", "Sign in with your password")
			b.there("link", "Manage your passkeys")

			b.open("/authenticators")
			b.click("button", "Rename Passkey")
			b.fill("Name", "  ")
			b.click("button", "Save name")
			b.heard("Please check what you typed", "A name has 1 to 64 characters")
			b.resting("textbox Name")

			b.fill("Name", "Blue key")
			for range 3 { // the page asks again by itself, twice
				failing(b, "renameFidoRegistration", http.StatusServiceUnavailable)
			}
			b.click("button", "Save name")
			b.heard("This does not work right now", "It is our fault, not yours.")
			b.within(1, "button Try again")
			b.press("\r")
			b.says("status", "The new name is saved.")
			b.titled("The new name is saved.")

			b.click("button", "Remove Blue key")
			failing(b, "deleteFidoRegistration", http.StatusServiceUnavailable)
			b.click("button", "Yes, remove it")
			b.heard("This does not work right now", "It is our fault, not yours.")
			b.there("button", "Yes, remove it") // the question is still open
			b.within(1, "button Try again")
			b.press("\r")
			b.says("status", "It was removed and can no longer be used to sign in.")
		})
	}
}

// failing makes the next call of an operation fail.
func failing(b *tab, operation string, status int) {
	b.t.Helper()
	e2etest.Manage(b.t, b.app, "POST", "/faults", map[string]any{"operation": operation, "status": status})
}

// The page of an error is announced as well; a page that only explains an error is not an
// alert.
func TestErrorPage_Announced(t *testing.T) {
	for name, scripts := range map[string]bool{"with scripts": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			b := visit(t, e2etest.Boot(t, "CHANGE_PASSWORD_URL=https://account.example/password"))
			b.expect(http.StatusNotFound)
			b.expect(http.StatusServiceUnavailable)
			if !scripts {
				b.withoutScripts()
			}
			b.open("/nothing/here")
			b.heard("Not found", "There is nothing at this address")
			b.within(1, "link Go to the start page")

			b.signIn("alice@sandbox", "/nothing/here")
			b.heard("Not found", "There is nothing at this address")
			b.there("button", "Sign out")

			e2etest.Manage(t, b.app, "POST", "/faults", map[string]any{"operation": "listFidoRegistrations", "times": 0, "status": 503})
			b.open("/authenticators")
			b.heard("This does not work right now", "It is our fault, not yours.")
			e2etest.Manage(t, b.app, "POST", "/reset", nil)
			b.within(1, "link Try again")
			b.press("\r")
			b.there("heading", "Passkeys")

			b.open("/errors/account.password-expired")
			b.titled("The password has expired")
			b.missing("alert", "")
			b.there("link", "Change your password")
		})
	}
}

// fulfil answers the page's requests to addresses like pattern with a problem.
func (b *tab) fulfil(pattern, action string) {
	b.t.Helper()
	b.script(fmt.Sprintf(`{
		const request = window.fetch;
		window.fetch = (address, ...rest) => String(address).includes(%q)
			? Promise.resolve(new Response(JSON.stringify({title: "It failed", detail: "For a reason.", key: "some.key", action: %q, instance: "request-1"}),
				{status: 409, headers: {"Content-Type": "application/problem+json"}}))
			: request(address, ...rest);
	}`, pattern, action))
}

// An error from a script is announced in the same way, with exactly the link or button of
// its action, and disappears when it is resolved.
func TestScriptError_Announced(t *testing.T) {
	b := visit(t, e2etest.Boot(t, "CHANGE_PASSWORD_URL=https://account.example/password")).plugIn()
	b.signIn("alice@sandbox", "/account")
	ways := map[string]string{
		"retry":                   "button Try again",
		"restart":                 "button Try again",
		"other-authenticator":     "button Try another one",
		"sign-in":                 "link Sign in again",
		"change-password":         "link Change your password",
		"new-activation-password": "link Get an activation password",
		"contact":                 "",
		"confirm":                 "",
		"":                        "",
	}
	for action, way := range ways {
		t.Logf("action %q", action)
		b.fulfil("generate-fido-registration-request", action)
		b.open("/authenticators")
		b.click("button", b.adding())
		b.heard("It failed", "For a reason.")
		b.says("alert", "Request ID: request-1")
		for _, other := range slices.Compact(slices.Sorted(maps.Values(ways))) {
			role, name, _ := strings.Cut(other, " ")
			switch other {
			case "":
			case way:
				b.within(1, way)
			default:
				b.missing(role, name)
			}
		}
		if strings.HasPrefix(way, "button") {
			b.press("\r") // it fails and is announced once more
			b.heard("It failed", "For a reason.")
		}
	}
}

// A cancelled prompt is not an error: it is announced politely, and the focus stays on
// the button.
func TestPrompt_CancelIsNoError(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	failing(b, "registerFidoDevice", http.StatusConflict)
	b.expect(http.StatusConflict)
	b.click("button", b.adding())
	b.heard("The passkey was not accepted", "Request ID:")
	b.recognised(false)
	b.click("button", "Try again")
	b.says("status", "No passkey was created. You can try again whenever you like.")
	b.titled("Passkeys")
	b.missing("alert", "")
}
