package platform_test

import (
	"net/http"
	"testing"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

func TestPath_IDsEscaped(t *testing.T) {
	tests := map[string]string{
		"alice@sandbox":         "/v1/users/alice@sandbox",
		"a+b@sandbox":           "/v1/users/a+b@sandbox",
		"a/b?c#d%2F":            "/v1/users/a%2Fb%3Fc%23d%252F",
		"{registrationID}@x":    "/v1/users/%7BregistrationID%7D@x",
		"a b\r\nX-Evil: 1@home": "/v1/users/a%20b%0D%0AX-Evil:%201@home",
	}
	for user, want := range tests {
		c, p := says(t, http.StatusOK, `{"enabled":true,"locked":false}`)
		_, err := c.User(t.Context(), user)
		if err != nil || p.called != "GET "+want {
			t.Errorf("%q: called %s, want %s: %v", user, p.called, want, err)
		}
	}
}

func TestPath_InvalidIDsNotSent(t *testing.T) {
	for _, id := range []string{"", ".", "..", "../admin", "a/../..", `..\..`, "a/./b"} {
		c, p := says(t, http.StatusOK, `{"sessionStatus":"accepted","enabled":true,"locked":false,"registrations":[]}`)
		_, status := c.SessionStatus(t.Context(), id)
		_, login := c.Login(t.Context(), id, identityapi.LoginInput{})
		_, user := c.User(t.Context(), id)
		_, list := c.Authenticators(t.Context(), id)
		_, removed := c.RemoveAuthenticator(t.Context(), identityapi.Unlisted(alice, id))
		renamed := c.RenameAuthenticator(t.Context(), identityapi.Unlisted(alice, id), "Blue key")
		for key, err := range map[error]fault.Key{
			status: fault.SignInUnknown, login: fault.SignInRefused, user: fault.AccountUnknown,
			list: fault.AccountUnknown, removed: fault.AuthenticatorUnknown, renamed: fault.AuthenticatorUnknown,
		} {
			if !fault.Is(key, err) {
				t.Errorf("%q: %v, want %s", id, key, err)
			}
		}
		if p.calls != 0 {
			t.Errorf("%q was sent: %s", id, p.called)
		}
	}
}

func TestPath_FromSettings(t *testing.T) {
	p := &platform{status: http.StatusOK, body: `{"sessionStatus":"accepted","enabled":true,"locked":false,"registrations":[],` +
		`"registrationRequest":"{}","authenticationRequest":"{}","requestID":"r","activationPassword":"1","command":"00","users":[],"activationStatus":"pending"}`}
	c := clientOf(t, p, identityapi.Options{Paths: map[string]string{
		"login": "/a/{user}", "sessionStatus": "/b/{requestID}/s", "getUser": "/c/{user}",
		"generateFidoRegistrationRequest": "/d/{user}", "registerFidoDevice": "/e/{user}",
		"generateFidoAuthenticationRequest": "/f/{user}", "listFidoRegistrations": "/g/{user}",
		"renameFidoRegistration": "/h/{registrationID}", "deleteFidoRegistration": "/l/{user}/{registrationID}", "registerUser": "/i",
		"orchestrationCommands": "/j", "validateTransaction": "/k/{user}",
		"queryUsers": "/m", "updateUser": "/n/{user}", "unlockUser": "/o/{user}", "checkActivationStatus": "/p",
	}})
	want := map[string]string{
		"login": "POST /v1/a/alice@sandbox", "sessionStatus": "GET /v1/b/request-1/s", "getUser": "GET /v1/c/alice@sandbox",
		"generateFidoRegistrationRequest": "POST /v1/d/alice@sandbox", "registerFidoDevice": "POST /v1/e/alice@sandbox",
		"generateFidoAuthenticationRequest": "POST /v1/f/alice@sandbox", "listFidoRegistrations": "GET /v1/g/alice@sandbox?offset=0&limit=100",
		"renameFidoRegistration": "PATCH /v1/h/reg-1", "deleteFidoRegistration": "DELETE /v1/l/alice@sandbox/reg-1",
		"registerUser": "POST /v1/i", "orchestrationCommands": "POST /v1/j", "validateTransaction": "POST /v1/k/alice@sandbox",
		"queryUsers": "GET /v1/m?limit=100&offset=0", "updateUser": "PATCH /v1/n/alice@sandbox", "unlockUser": "POST /v1/o/alice@sandbox",
		"checkActivationStatus": "POST /v1/p",
	}
	for name, call := range methods {
		if err := call(t, c); err != nil || p.called != want[name] {
			t.Errorf("%s called %q, want %q: %v", name, p.called, want[name], err)
		}
	}
}
