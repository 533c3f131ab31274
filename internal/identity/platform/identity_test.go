package platform_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
	"countersign/internal/leaktest"
	"countersign/internal/upstream"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// platform gives one answer to every request, and remembers the requests.
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

// says returns a Client whose platform answers with status and body.
func says(t *testing.T, status int, body string) (*identityapi.Client, *platform) {
	t.Helper()
	p := &platform{status: status, body: body}
	return clientOf(t, p, identityapi.Options{}), p
}

// at returns a client of the platform at that address, with o's other settings.
func at(t testing.TB, url string, o identityapi.Options) *identityapi.Client {
	t.Helper()
	up, err := upstream.New(upstream.Options{Name: "identity", BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	o.Upstream = up
	return identityapi.New(o)
}

// clientOf returns a client of the platform that h serves below /v1.
func clientOf(t testing.TB, h http.Handler, o identityapi.Options) *identityapi.Client {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return at(t, server.URL+"/v1", o)
}

const alice = "alice@sandbox"

// methods call every operation once, with valid input.
var methods = map[string]func(*testing.T, *identityapi.Client) error{
	"login": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.Login(t.Context(), alice, identityapi.LoginInput{})
		return err
	},
	"sessionStatus": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.SessionStatus(t.Context(), "request-1")
		return err
	},
	"getUser": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.User(t.Context(), alice)
		return err
	},
	"queryUsers": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.FindUsers(t.Context(), identityapi.Search{Limit: identityapi.MostFound})
		return err
	},
	"updateUser": func(t *testing.T, c *identityapi.Client) error { return c.Enable(t.Context(), alice) },
	"unlockUser": func(t *testing.T, c *identityapi.Client) error { return c.Unlock(t.Context(), alice) },
	"checkActivationStatus": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.ActivationStatus(t.Context(), alice)
		return err
	},
	"generateFidoRegistrationRequest": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.GenerateFIDORegistrationRequest(t.Context(), alice, identityapi.RegistrationRequestInput{FIDOProtocol: identityapi.FIDO2})
		return err
	},
	"registerFidoDevice": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.RegisterFIDODevice(t.Context(), alice, identityapi.RegisterDeviceInput{FIDOProtocol: identityapi.FIDO2})
		return err
	},
	"generateFidoAuthenticationRequest": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.GenerateFIDOAuthenticationRequest(t.Context(), alice, identityapi.AuthenticationRequestInput{FIDOProtocol: identityapi.FIDO2})
		return err
	},
	"listFidoRegistrations": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.Authenticators(t.Context(), alice)
		return err
	},
	"renameFidoRegistration": func(t *testing.T, c *identityapi.Client) error {
		return c.RenameAuthenticator(t.Context(), identityapi.Unlisted(alice, "reg-1"), "Blue key")
	},
	"deleteFidoRegistration": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.RemoveAuthenticator(t.Context(), identityapi.Unlisted(alice, "reg-1"))
		return err
	},
	"registerUser": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.RegisterUser(t.Context(), identityapi.RegisterUserInput{UserID: alice})
		return err
	},
	"orchestrationCommands": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
		return err
	},
	"validateTransaction": func(t *testing.T, c *identityapi.Client) error {
		_, err := c.ValidateTransaction(t.Context(), alice, identityapi.TransactionInput{})
		return err
	},
}

// withoutFIDO are the operations that do not involve a FIDO server.
var withoutFIDO = map[string]bool{"registerUser": true, "orchestrationCommands": true, "sessionStatus": true, "checkActivationStatus": true}

func TestRefusal_KeyByOperation(t *testing.T) {
	want := map[string][3]fault.Key{ // 400, 404, 409
		"login":                             {fault.SignInRefused, fault.SignInRefused, fault.SignInRefused},
		"sessionStatus":                     {fault.SignInUnknown, fault.SignInUnknown, fault.PlatformRefused},
		"getUser":                           {fault.PlatformRefused, fault.AccountUnknown, fault.PlatformRefused},
		"queryUsers":                        {fault.PlatformRefused, fault.PlatformRefused, fault.PlatformRefused},
		"updateUser":                        {fault.PlatformRefused, fault.AccountUnknown, fault.PlatformRefused},
		"unlockUser":                        {fault.PlatformRefused, fault.AccountUnknown, fault.AccountNotLocked},
		"checkActivationStatus":             {fault.PlatformRefused, fault.AccountUnknown, fault.PlatformRefused},
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

func TestOutage_SameForEveryOperation(t *testing.T) {
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
			if key != fault.PlatformUnavailable {
				continue
			}
			c, _ = says(t, status, `{"message":"User is locked"}`) // the text does not make a refusal of it
			if f := fault.From(call(t, c)); f.Key != key || f.Specific != "" || f.RetryAfter == 0 {
				t.Errorf("%s %d: %+v", name, status, f)
			}
		}
	}
}

func TestResponse_MissingMembers(t *testing.T) {
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
		{"listFidoRegistrations", `{"registrations":[{"name":"Blue key"}]}`}, {"listFidoRegistrations", `[]`}, {"listFidoRegistrations", `{"registrations":{}}`},
		{"queryUsers", ``}, {"queryUsers", `{}`}, {"queryUsers", `[]`}, {"queryUsers", `[{"users":[]},{"users":[]}]`}, {"queryUsers", `{"users":null}`},
		{"queryUsers", `{"users":[1]}`}, {"queryUsers", `"x"`},
		{"updateUser", `{"userID":"alice","domain":"sandbox","enabled":false}`},
		{"checkActivationStatus", ``}, {"checkActivationStatus", `{}`}, {"checkActivationStatus", `{"activationStatus":"soon"}`},
		{"registerUser", ``}, {"registerUser", `{}`}, {"registerUser", `{"activationPassword":7}`},
		{"orchestrationCommands", ``}, {"orchestrationCommands", `{"command":null}`}, {"orchestrationCommands", `{"command":""}`}, {"orchestrationCommands", `{"command":5}`}, {"orchestrationCommands", `"00"`},
		{"orchestrationCommands", `[]`},
		{"validateTransaction", ``}, {"validateTransaction", `{"sessionStatus":"pending"}`},
	}
	for _, tt := range tests {
		c, _ := says(t, http.StatusOK, tt.body)
		if err := methods[tt.name](t, c); !fault.Is(err, fault.PlatformFailed) {
			t.Errorf("%s answered %s: %v", tt.name, tt.body, err)
		}
	}
}

func TestClient_RetriesIdempotentCallsOnly(t *testing.T) {
	repeated := map[string]bool{"sessionStatus": true, "getUser": true, "listFidoRegistrations": true, "renameFidoRegistration": true,
		"queryUsers": true, "updateUser": true, "checkActivationStatus": true}
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

// While the platform is out of reach, Ready returns an error before anything is spent.
func TestReady_PlatformUnreachable(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	c := at(t, server.URL, identityapi.Options{})
	for i := range 10 {
		if err := c.Ready(t.Context()); err != nil {
			t.Fatalf("after %d calls: %v", i, err)
		}
		_, _ = c.Login(t.Context(), alice, identityapi.LoginInput{})
	}
	for range 2 {
		if err := c.Ready(t.Context()); !fault.Is(err, fault.PlatformUnavailable) || !fault.From(err).Row().Retryable || fault.From(err).RetryAfter == 0 {
			t.Errorf("while it is away: %v", err)
		}
	}
}
