package browser_test

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/webauthn"
	"github.com/chromedp/chromedp"
	"github.com/go-json-experiment/json"

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
func TestSignal_RefusedPasskey(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	for _, status := range []int{http.StatusConflict, http.StatusBadGateway, http.StatusServiceUnavailable} {
		b.expect(status)
	}
	b.signIn("alice@sandbox", "/authenticators")
	fail := func(status int) {
		e2etest.Manage(t, b.app, "POST", "/faults", map[string]any{"operation": "registerFidoDevice", "status": status})
	}
	fail(http.StatusInternalServerError)
	b.click("button", b.adding())
	b.says("alert", "Request ID:")
	b.keeps(1)

	fail(http.StatusConflict)
	b.click("button", "Try again")
	b.says("alert", "The passkey was not accepted")
	b.keeps(0)
	b.click("button", "Try again")
	b.there("heading", "Your passkey is ready")
	b.keeps(1)
}

// A passkey whose keeper writes unusable copies of what it attests is taken. One that we
// refuse, before the platform has seen it, stays with its keeper.
func TestSignal_LocallyRefusedPasskeyKept(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(`const toJSON = PublicKeyCredential.prototype.toJSON;
PublicKeyCredential.prototype.toJSON = function () {
	const json = toJSON.call(this);
	Object.assign(json.response, {publicKey: "", authenticatorData: "", publicKeyAlgorithm: "-7", transports: "internal"});
	return {...json, type: window.another ?? json.type};
};`)
	b.expect(http.StatusBadRequest)
	b.signIn("alice@sandbox", "/authenticators")
	b.holds(`window.another = "public_key"`)
	b.click("button", b.adding())
	b.says("alert", "The passkey’s response cannot be read")
	b.keeps(1)
	b.holds(`delete window.another`)
	b.click("button", "Try again")
	b.there("heading", "Your passkey is ready")
	b.keeps(1) // instead of the one before, for the same person
}

// The keeper of a passkey is told of its removal, if the page knows its id there.
func TestSignal_RemovedPasskey(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.open("/authenticators")
	b.there("button", b.adding())
	b.keeps(1)
	b.click("button", "Remove Passkey")
	b.click("button", "Yes, remove it")
	b.says("status", "It was removed and can no longer be used to sign in.")
	b.keeps(0)
}

// heard records what the browser is told by the Signal API, and still tells it.
const heard = `for (const name of ["signalUnknownCredential", "signalAllAcceptedCredentials", "signalCurrentUserDetails"]) {
	const original = PublicKeyCredential[name];
	PublicKeyCredential[name] = (told) => {
		sessionStorage.heard = JSON.stringify([...JSON.parse(sessionStorage.heard ?? "[]"), {name, told, at: location.pathname}]);
		return original.call(PublicKeyCredential, told);
	};
}`

// signal is one call of the Signal API, from the page at a path.
type signal struct {
	Name string
	At   string
	Told struct {
		RPID, UserID, Name, DisplayName string
		AllAcceptedCredentialIDs        []string
	}
}

// signals waits until the tab has heard that many signals, and returns them.
func (b *tab) signals(want int) (all []signal) {
	var heard string
	b.t.Helper()
	b.until(fmt.Sprintf("hearing %d signals", want), func(ctx context.Context) (bool, string) {
		text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`sessionStorage.heard ?? "[]"`))
		if err == nil {
			all = nil
			err = json.Unmarshal([]byte(text), &all, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(false))
		}
		heard = cmp.Or(text, heard)
		return err == nil && len(all) == want, fmt.Sprintf("heard %s (%v)", heard, err)
	})
	return all
}

// After each sign-in, and on the page of authenticators, the browser learns which passkeys
// the platform accepts, and what their owner is called, once it is known for which user passkeys
// are made.
func TestSignal_AcceptedPasskeys(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(heard)
	b.signIn("alice@sandbox", "/")
	b.open("/authenticators")
	b.add()
	all := b.signals(2) // none before: of whom?
	if first := all[0]; first.Name != "signalAllAcceptedCredentials" || first.At != "/authenticators" || first.Told.RPID != "localhost" || first.Told.UserID == "" ||
		len(first.Told.AllAcceptedCredentialIDs) != 1 {
		t.Errorf("after the passkey was made: %+v", all)
	}
	if second := all[1]; second.Name != "signalCurrentUserDetails" || second.Told.UserID != all[0].Told.UserID ||
		second.Told.Name != "alice@sandbox" || second.Told.DisplayName == "" {
		t.Errorf("after the passkey was made: %+v", all)
	}
	b.open("/account")
	b.there("button", "Sign out")
	b.open("/authenticators")
	b.signals(4) // the page of the account told nothing
	b.keeps(1)
	b.signOut()
	b.open("/login")
	b.name("mallory@sandbox")
	b.open("/login?next=/account")
	b.name("alice@sandbox")
	b.at("/account") // the authenticator picks the suggestion by itself
	// Signing out cleared what the tab had heard before; the decoy told it nothing.
	if all = b.signals(2); all[0].At != "/account" || len(all[0].Told.AllAcceptedCredentialIDs) != 1 {
		t.Errorf("after the second sign-in: %+v", all)
	}
	b.keeps(1)
}

// A passkey that was removed elsewhere is no longer offered, and a new name is taken over.
func TestSignal_FollowsPlatformChanges(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn()
	b.signIn("alice@sandbox", "/authenticators")
	b.add()
	b.keeps(1)
	e2etest.Manage(t, b.app, "PUT", "/users/alice@sandbox", map[string]any{"displayName": "Alice Newname", "email": "alice@sandbox.example", "status": "active"})
	b.open("/authenticators")
	b.until("the passkey's owner having the new name", func(context.Context) (bool, string) {
		kept := call(b, webauthn.GetCredentials, webauthn.GetCredentialsParams{AuthenticatorID: b.key}).Credentials
		return len(kept) == 1 && kept[0].UserDisplayName == "Alice Newname", fmt.Sprintf("%+v", kept)
	})

	phone := e2etest.Program(t, b.app).SignedIn("alice@sandbox")
	for _, one := range phone.Authenticators() {
		phone.Send("DELETE", "/users/me/authenticators/"+one["id"].(string), nil).Want(http.StatusNoContent)
	}
	b.open("/authenticators")
	b.there("heading", "Create your first passkey")
	b.keeps(0)
}

// Where nobody is signed in nothing is asked, nor told.
func TestSignal_NothingWhenSignedOut(t *testing.T) {
	b := visit(t, e2etest.Boot(t)).plugIn().script(heard).script(noSuggestions)
	for _, user := range []string{"alice@sandbox", "nobody@sandbox"} {
		b.open("/login")
		b.name(user)
		b.click("button", "Sign in with a passkey")
		b.says("status", "No passkey was used.")
	}
	b.signals(0)
}
