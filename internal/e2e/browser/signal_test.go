package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// keeps waits until the authenticator has that many passkeys.
func (b *tab) keeps(want int) {
	b.t.Helper()
	b.until(fmt.Sprintf("keeping %d passkeys", want), func(context.Context) (bool, string) {
		got := b.passkeys()
		return got == want, fmt.Sprintf("it keeps %d", got)
	})
}

// The keeper of a passkey that the platform refuses is told to forget it, but not if the
// passkey may have been accepted.
func TestBrowserARefusedPasskeyIsForgotten(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	for _, status := range []int{http.StatusConflict, http.StatusBadGateway, http.StatusServiceUnavailable} {
		b.expect(status)
	}
	b.signIn("alice@sandbox", "/authenticators")
	fail := func(status int) {
		e2etest.Manage(t, b.app, "POST", "/faults", map[string]any{"operation": "registerFidoDevice", "status": status})
	}
	fail(http.StatusInternalServerError)
	b.click("button", "Add a passkey")
	b.says("alert", "Request number:")
	b.keeps(1)

	fail(http.StatusConflict)
	b.click("button", "Try again")
	b.says("alert", "The authenticator was not accepted")
	b.keeps(0)
	b.click("button", "Try again")
	b.there("heading", "Your passkey is ready")
	b.keeps(1)
}

// Without the interface, with one that fails, or with an unexpected one, the person still
// learns of the refusal.
func TestBrowserForgettingIsACourtesy(t *testing.T) {
	for name, script := range map[string]string{
		"absent":  `delete PublicKeyCredential.signalUnknownCredential`,
		"failing": `PublicKeyCredential.signalUnknownCredential = () => Promise.reject(new DOMException("", "SecurityError"))`,
	} {
		t.Run(name, func(t *testing.T) {
			b := visit(t, e2etest.Boot(t)).plugIn().script(script)
			b.expect(http.StatusConflict)
			b.signIn("alice@sandbox", "/authenticators")
			e2etest.Manage(t, b.app, "POST", "/faults", map[string]any{"operation": "registerFidoDevice", "status": http.StatusConflict})
			b.click("button", "Add a passkey")
			b.says("alert", "The authenticator was not accepted")
			b.keeps(1)
		})
	}
}

// The keeper of a passkey is told of its removal, if the page knows its id there.
func TestBrowserARemovedPasskeyIsForgotten(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.open("/authenticators")
	b.there("button", "Add a passkey")
	b.keeps(1)
	b.click("button", "Remove Passkey")
	b.click("button", "Yes, remove it")
	b.says("status", "It was removed and can no longer be used to sign in.")
	b.keeps(0)
}
