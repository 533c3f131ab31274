package browser_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/emulation"

	"countersign/internal/e2e/e2etest"
)

// withoutScripts turns JavaScript off from the next page on.
func (b *tab) withoutScripts() {
	b.t.Helper()
	b.scriptless = true
	call(b, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
}

// Everything that does not need the browser's WebAuthn works without JavaScript.
func TestPages_WithoutJavaScript(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Browser(t, app).SignedIn("alice@sandbox").Register(e2etest.NewPasskey(app))
	b := visit(t, app)
	b.withoutScripts()
	b.open("/login?next=/authenticators")
	b.name("alice@sandbox")
	b.reads("Passkeys need JavaScript, which is off in this browser.")
	b.missing("button", "Sign in with a passkey")
	b.missing("checkbox", "Show password")
	b.missing("status", "")
	b.click("button", "Deutsch")
	b.reads("Passkeys brauchen JavaScript")
	b.click("button", "English")
	b.expect(http.StatusConflict)
	b.fill("Password", "not it")
	b.click("button", "Sign in with your password")
	b.says("alert", "These details do not let you sign in.")
	b.fill("Password", "Sandbox-1!")
	b.click("button", "Sign in with your password")

	b.reads("Adding a passkey needs JavaScript, which is off in this browser.")
	b.missing("button", b.adding())
	b.click("button", "Rename Passkey")
	b.fill("Name", "Blue key")
	b.click("button", "Save name")
	b.says("status", "The new name is saved.")
	b.click("button", "Remove Blue key")
	b.click("button", "Yes, remove it")
	b.says("status", "It was removed and can no longer be used to sign in.")
	b.there("heading", "Sign out everywhere else?")

	b.click("link", "Account")
	b.click("button", "Save language")
	b.says("status", "Your language is saved.")
	b.click("button", "End Go-http-client/1.1")
	b.says("status", "The session has ended.")
	b.signOut()
}
