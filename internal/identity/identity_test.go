package identity_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"

	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// platform says one thing to everything, and remembers what it was asked.
type platform struct {
	status int
	body   string

	called string
	sent   string
	calls  int
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sent, _ := io.ReadAll(r.Body)
	p.called, p.sent = r.Method+" "+r.RequestURI, string(sent)
	p.calls++
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	io.WriteString(w, p.body)
}

// says is a Client whose platform answers with status and body.
func says(t *testing.T, status int, body string) (*identity.Client, *platform) {
	t.Helper()
	p := &platform{status: status, body: body}
	return clientOf(t, p, nil), p
}

func clientOf(t testing.TB, h http.Handler, paths map[string]string) *identity.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	up, err := upstream.New(upstream.Options{Name: "identity", BaseURL: server.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return identity.New(identity.Options{Upstream: up, Paths: paths})
}

const alice = "alice@sandbox"

// methods call every operation once, with input that is in order.
var methods = map[string]func(*testing.T, *identity.Client) error{
	"login": func(t *testing.T, c *identity.Client) error {
		_, err := c.Login(t.Context(), alice, identity.LoginInput{})
		return err
	},
	"sessionStatus": func(t *testing.T, c *identity.Client) error {
		_, err := c.SessionStatus(t.Context(), "request-1")
		return err
	},
	"getUser": func(t *testing.T, c *identity.Client) error {
		_, err := c.User(t.Context(), alice)
		return err
	},
	"generateFidoRegistrationRequest": func(t *testing.T, c *identity.Client) error {
		_, err := c.GenerateFIDORegistrationRequest(t.Context(), alice, identity.RegistrationRequestInput{FIDOProtocol: identity.FIDO2})
		return err
	},
	"registerFidoDevice": func(t *testing.T, c *identity.Client) error {
		_, err := c.RegisterFIDODevice(t.Context(), alice, identity.RegisterDeviceInput{FIDOProtocol: identity.FIDO2})
		return err
	},
	"generateFidoAuthenticationRequest": func(t *testing.T, c *identity.Client) error {
		_, err := c.GenerateFIDOAuthenticationRequest(t.Context(), alice, identity.AuthenticationRequestInput{FIDOProtocol: identity.FIDO2})
		return err
	},
	"listFidoRegistrations": func(t *testing.T, c *identity.Client) error {
		_, err := c.Authenticators(t.Context(), alice)
		return err
	},
	"renameFidoRegistration": func(t *testing.T, c *identity.Client) error {
		return c.RenameAuthenticator(t.Context(), alice, "reg-1", "Blue key")
	},
	"deleteFidoRegistration": func(t *testing.T, c *identity.Client) error {
		_, err := c.RemoveAuthenticator(t.Context(), alice, "reg-1")
		return err
	},
	"registerUser": func(t *testing.T, c *identity.Client) error {
		_, err := c.RegisterUser(t.Context(), identity.RegisterUserInput{UserID: alice})
		return err
	},
	"orchestrationCommands": func(t *testing.T, c *identity.Client) error {
		_, err := c.OrchestrationCommands(t.Context(), identity.OrchestrationCommand{Command: "00"})
		return err
	},
	"validateTransaction": func(t *testing.T, c *identity.Client) error {
		_, err := c.ValidateTransaction(t.Context(), alice, identity.TransactionInput{})
		return err
	},
}

// withoutFIDO are the operations that no FIDO server answers.
var withoutFIDO = map[string]bool{"registerUser": true, "orchestrationCommands": true, "sessionStatus": true}

func TestRefusalsMeanWhatTheOperationSays(t *testing.T) {
	want := map[string][3]fault.Key{ // 400, 404, 409
		"login":                             {fault.SignInRefused, fault.SignInRefused, fault.SignInRefused},
		"sessionStatus":                     {fault.SignInUnknown, fault.SignInUnknown, fault.PlatformRefused},
		"getUser":                           {fault.PlatformRefused, fault.AccountUnknown, fault.PlatformRefused},
		"generateFidoRegistrationRequest":   {fault.PlatformRefused, fault.AccountUnknown, fault.PlatformRefused},
		"registerFidoDevice":                {fault.CeremonyRefused, fault.AccountUnknown, fault.CeremonyRefused},
		"generateFidoAuthenticationRequest": {fault.PlatformRefused, fault.PlatformRefused, fault.PlatformRefused},
		"listFidoRegistrations":             {fault.PlatformRefused, fault.AccountUnknown, fault.PlatformRefused},
		"renameFidoRegistration":            {fault.PlatformRefused, fault.AuthenticatorUnknown, fault.PlatformRefused},
		"deleteFidoRegistration":            {fault.PlatformRefused, fault.AuthenticatorUnknown, fault.PlatformRefused},
		"registerUser":                      {fault.ActivationRefused, fault.ActivationRefused, fault.ActivationRefused},
		"orchestrationCommands":             {fault.ActivationRefused, fault.ActivationRefused, fault.ActivationRefused},
		"validateTransaction":               {fault.TransactionRefused, fault.AccountUnknown, fault.TransactionRefused},
	}
	for name, call := range methods {
		for i, status := range []int{400, 404, 409} {
			c, _ := says(t, status, `{"error":"E","message":"Out of luck","uafStatusCode":"1491"}`)
			err := call(t, c)
			var f *fault.Error
			if !errors.As(err, &f) || f.Key != want[name][i] {
				t.Errorf("%s %d: %v, want %s", name, status, err, want[name][i])
				continue
			}
			var said *upstream.Error
			if !errors.As(err, &said) || said.Operation != name || said.Message != "Out of luck" {
				t.Errorf("%s %d: what the platform said is lost: %v", name, status, err)
			}
			var specific fault.Key
			if !withoutFIDO[name] && f.Key != fault.AuthenticatorUnknown {
				specific = fault.UAFRequestInvalid
			}
			if f.UAFStatusCode != 1491 || f.Specific != specific {
				t.Errorf("%s %d: UAF status %d, %q", name, status, f.UAFStatusCode, f.Specific)
			}
		}
	}
}

func TestOutagesMeanTheSameEverywhere(t *testing.T) {
	want := map[int]fault.Key{
		401: fault.PlatformFailed, 403: fault.PlatformFailed, 410: fault.PlatformRefused,
		429: fault.PlatformUnavailable, 500: fault.PlatformFailed, 503: fault.PlatformUnavailable,
	}
	for name, call := range methods {
		for status, key := range want {
			c, _ := says(t, status, `{"message":"m"}`)
			if err := call(t, c); !fault.Is(err, key) {
				t.Errorf("%s %d: %v, want %s", name, status, err, key)
			}
		}
	}
}

func TestAnswersThatLackWhatIsNeeded(t *testing.T) {
	tests := []struct{ name, body string }{
		{"login", ``}, {"login", `{}`}, {"login", `null`}, {"login", `{"sessionStatus":null}`}, {"login", `{"sessionStatus":"welcome"}`},
		{"login", `{"sessionStatus":true}`}, {"login", `{"sessionStatus":"pending"}`}, {"login", `[]`},
		{"login", `{"sessionStatus":"refused","sessionStatus":"accepted"}`},
		{"login", `{"sessionStatus":"accepted","riskResponseCode":"high"}`},
		{"sessionStatus", ``}, {"sessionStatus", `{}`}, {"sessionStatus", `{"sessionStatus":"welcome"}`}, {"sessionStatus", `"accepted"`},
		{"getUser", ``}, {"getUser", `{}`}, {"getUser", `<html>`},
		{"generateFidoRegistrationRequest", ``}, {"generateFidoRegistrationRequest", `{"requestID":"r"}`},
		{"generateFidoRegistrationRequest", `{"registrationRequest":"{}"}`},
		{"generateFidoRegistrationRequest", `{"registrationRequest":{},"requestID":"r"}`},
		{"generateFidoRegistrationRequest", `{"registrationRequest":null,"requestID":"r"}`},
		{"generateFidoAuthenticationRequest", ``}, {"generateFidoAuthenticationRequest", `{"requestID":"r"}`},
		{"generateFidoAuthenticationRequest", `{"authenticationRequest":"{}"}`},
		{"registerFidoDevice", `<html>`},
		{"listFidoRegistrations", ``}, {"listFidoRegistrations", `{}`}, {"listFidoRegistrations", `{"registrations":null}`},
		{"listFidoRegistrations", `{"registrations":[{"name":"Blue key"}]}`}, {"listFidoRegistrations", `[]`},
		{"registerUser", ``}, {"registerUser", `{}`}, {"registerUser", `{"activationPassword":7}`},
		{"orchestrationCommands", ``}, {"orchestrationCommands", `{"command":null}`}, {"orchestrationCommands", `{"command":""}`},
		{"validateTransaction", ``}, {"validateTransaction", `{"sessionStatus":"pending"}`},
	}
	for _, tt := range tests {
		c, _ := says(t, http.StatusOK, tt.body)
		if err := methods[tt.name](t, c); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s answered %s: %v", tt.name, tt.body, err)
		}
	}
}

func TestIdsStayInTheirSegment(t *testing.T) {
	tests := map[string]string{
		"alice@sandbox":         "/v1/users/alice@sandbox",
		"a+b@sandbox":           "/v1/users/a+b@sandbox",
		"a/b?c#d%2F":            "/v1/users/a%2Fb%3Fc%23d%252F",
		"{registrationID}@x":    "/v1/users/%7BregistrationID%7D@x",
		"a b\r\nX-Evil: 1@home": "/v1/users/a%20b%0D%0AX-Evil:%201@home",
	}
	for user, want := range tests {
		c, p := says(t, http.StatusOK, `{"userID":"a"}`)
		_, err := c.User(t.Context(), user)
		if err != nil || p.called != "GET "+want {
			t.Errorf("%q: called %s, want %s: %v", user, p.called, want, err)
		}
	}
}

func TestIdsThatAreNoneAreNotSent(t *testing.T) {
	for _, id := range []string{"", ".", "..", "../admin", "a/../..", `..\..`, "a/./b"} {
		c, p := says(t, http.StatusOK, `{"sessionStatus":"accepted","userID":"a","registrations":[]}`)
		_, status := c.SessionStatus(t.Context(), id)
		_, login := c.Login(t.Context(), id, identity.LoginInput{})
		_, user := c.User(t.Context(), id)
		_, list := c.Authenticators(t.Context(), id)
		_, removed := c.RemoveAuthenticator(t.Context(), alice, id)
		renamed := c.RenameAuthenticator(t.Context(), alice, id, "Blue key")
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

func TestPathsAreSettings(t *testing.T) {
	p := &platform{status: http.StatusOK, body: `{"sessionStatus":"accepted","userID":"a","registrations":[],` +
		`"registrationRequest":"{}","authenticationRequest":"{}","requestID":"r","activationPassword":"1","command":"00"}`}
	c := clientOf(t, p, map[string]string{
		"PLATFORM_PATHS_LOGIN": "/a/{user}", "PLATFORM_PATHS_SESSION_STATUS": "/b/{requestID}/s", "PLATFORM_PATHS_USER": "/c/{user}",
		"PLATFORM_PATHS_GENERATE_FIDO_REGISTRATION_REQUEST": "/d/{user}", "PLATFORM_PATHS_REGISTER_FIDO_DEVICE": "/e/{user}",
		"PLATFORM_PATHS_GENERATE_FIDO_AUTHENTICATION_REQUEST": "/f/{user}", "PLATFORM_PATHS_FIDO_REGISTRATIONS": "/g/{user}",
		"PLATFORM_PATHS_FIDO_REGISTRATION": "/h/{registrationID}", "PLATFORM_PATHS_REGISTER_USER": "/i",
		"PLATFORM_PATHS_ORCHESTRATION_COMMANDS": "/j", "PLATFORM_PATHS_VALIDATE_TRANSACTION": "/k/{user}",
	})
	want := map[string]string{
		"login": "POST /v1/a/alice@sandbox", "sessionStatus": "GET /v1/b/request-1/s", "getUser": "GET /v1/c/alice@sandbox",
		"generateFidoRegistrationRequest": "POST /v1/d/alice@sandbox", "registerFidoDevice": "POST /v1/e/alice@sandbox",
		"generateFidoAuthenticationRequest": "POST /v1/f/alice@sandbox", "listFidoRegistrations": "GET /v1/g/alice@sandbox",
		"renameFidoRegistration": "PATCH /v1/h/reg-1", "deleteFidoRegistration": "DELETE /v1/h/reg-1",
		"registerUser": "POST /v1/i", "orchestrationCommands": "POST /v1/j", "validateTransaction": "POST /v1/k/alice@sandbox",
	}
	for name, call := range methods {
		if err := call(t, c); err != nil || p.called != want[name] {
			t.Errorf("%s called %q, want %q: %v", name, p.called, want[name], err)
		}
	}
}

func TestDefaultPaths(t *testing.T) {
	want := map[string]string{
		"login": "POST /v1/users/alice@sandbox/login", "sessionStatus": "GET /v1/sessions/request-1", "getUser": "GET /v1/users/alice@sandbox",
		"generateFidoRegistrationRequest":   "POST /v1/users/alice@sandbox/generate-fido-registration-request",
		"registerFidoDevice":                "POST /v1/users/alice@sandbox/register-fido-device",
		"generateFidoAuthenticationRequest": "POST /v1/users/alice@sandbox/generate-fido-authentication-request",
		"listFidoRegistrations":             "GET /v1/users/alice@sandbox/fido-registrations",
		"renameFidoRegistration":            "PATCH /v1/users/alice@sandbox/fido-registrations/reg-1",
		"deleteFidoRegistration":            "DELETE /v1/users/alice@sandbox/fido-registrations/reg-1",
		"registerUser":                      "POST /v1/users/register",
		"orchestrationCommands":             "POST /v1/orchestration-commands",
		"validateTransaction":               "POST /v1/users/alice@sandbox/transactions/validate",
	}
	for name, call := range methods {
		c, p := says(t, http.StatusTeapot, "")
		if _ = call(t, c); p.called != want[name] {
			t.Errorf("%s called %q, want %q", name, p.called, want[name])
		}
	}
}

func TestOnlyReadsAndRenamesAreRepeated(t *testing.T) {
	repeated := map[string]bool{"sessionStatus": true, "getUser": true, "listFidoRegistrations": true, "renameFidoRegistration": true}
	for name, call := range methods {
		c, p := says(t, http.StatusServiceUnavailable, "")
		want := 1
		if repeated[name] {
			want = 3
		}
		if _ = call(t, c); p.calls != want {
			t.Errorf("%s was called %d times, want %d", name, p.calls, want)
		}
	}
}

// While the platform is out of reach Ready says so, before anything is spent.
func TestReady(t *testing.T) {
	c, p := says(t, http.StatusServiceUnavailable, "")
	const untilOpen = 10
	for range untilOpen {
		if err := c.Ready(t.Context()); err != nil {
			t.Fatalf("after %d calls: %v", p.calls, err)
		}
		_, _ = c.Login(t.Context(), alice, identity.LoginInput{})
	}
	for range 2 {
		if err := c.Ready(t.Context()); !fault.Is(err, fault.PlatformUnavailable) || !fault.From(err).Row().Retryable || fault.From(err).RetryAfter == 0 {
			t.Errorf("after %d calls: %v", p.calls, err)
		}
	}
	if p.calls != untilOpen {
		t.Errorf("%d calls", p.calls)
	}
}
