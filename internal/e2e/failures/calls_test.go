// Package failures_test shows what people and programs are told of wrong requests, and while the
// platform or Redis fails.
package failures_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

// promptly limits the time of an answer, whatever is away.
const promptly = time.Second

// call is a request that needs Redis. Its preparation happens while everything works.
type call struct {
	name    string
	by      func(testing.TB, *e2etest.App) *e2etest.Client
	page    bool
	prepare func(*e2etest.Client) (send func() e2etest.Reply)
	// ends says that the call, carried out, ends its session or begins another: after a
	// lost answer it is unknown which of them lives.
	ends bool
	// spends says that the call spends its ceremony, which after a lost answer of Redis
	// has to be begun again.
	spends bool
}

// unavailable checks the answer to a call while the platform, or Redis, is away.
func (a call) unavailable(what, key string, r e2etest.Reply) {
	r.T.Helper()
	if _, action, after := retry(r); !a.spends || action != "restart" {
		r.Unavailable(what, key, a.page)
	} else if r.TakesNothing(what); r.Status != http.StatusServiceUnavailable || r.Text("key") != key || r.Member("retryable") != false || after != "" {
		r.T.Errorf("%s: status %d, Retry-After %q: %s", what, r.Status, after, r.Body)
	}
}

var calls = []call{
	{name: "who am I", by: e2etest.Browser, prepare: sends("GET", "/session", nil)},
	{name: "who am I, an app", by: e2etest.Program, prepare: sends("GET", "/session", nil)},
	{name: "language", by: e2etest.Program, prepare: sends("PATCH", "/session", `{"language":"en"}`)},
	{name: "sessions", by: e2etest.Browser, prepare: sends("GET", "/account/sessions", nil)},
	{name: "end others", by: e2etest.Program, prepare: afterSigningInElsewhere(sends("DELETE", "/account/sessions", nil))},
	{name: "sign out", by: e2etest.Browser, prepare: sends("DELETE", "/session", nil), ends: true},
	{name: "sign out, an app", by: e2etest.Program, prepare: sends("DELETE", "/session", nil), ends: true},
	{name: "sign in", by: e2etest.Program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/login", e2etest.RightPassword))},
	{name: "sign in again", by: e2etest.Browser, prepare: sends("POST", "/users/alice@sandbox/login", e2etest.RightPassword), ends: true},
	{name: "sign in again, a ceremony open", by: e2etest.Program, prepare: withCeremony(sends("POST", "/users/alice@sandbox/login", e2etest.RightPassword)), ends: true},
	{name: "sign in with a passkey", by: e2etest.Browser, prepare: passkeySignIn, spends: true},
	{name: "begin a passkey sign-in", by: e2etest.Program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`))},
	{name: "push", by: e2etest.Program, prepare: push},
	{name: "poll", by: e2etest.Program, prepare: poll("")},
	{name: "poll an accepted sign-in", by: e2etest.Program, prepare: poll("accept"), spends: true},
	{name: "begin a registration", by: e2etest.Browser, prepare: sends("POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`)},
	{name: "finish a registration", by: e2etest.Browser, prepare: registration, spends: true},
	{name: "authenticators", by: e2etest.Program, prepare: sends("GET", "/users/me/authenticators", nil)},
	{name: "rename", by: e2etest.Program, prepare: onAuthenticator("PATCH", `{"name":"Blue key"}`)},
	{name: "remove", by: e2etest.Program, prepare: onAuthenticator("DELETE", nil)},
	{name: "transaction", by: e2etest.Program, prepare: sends("POST", "/users/me/transactions/validate", e2etest.PushedTransaction)},
	{name: "activation", by: e2etest.Browser, prepare: sends("POST", "/users/register", `{"userID":"alice@sandbox"}`)},
	{name: "activation with a password", by: e2etest.Program, prepare: asSomebodyNew(sends("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`))},
	{name: "message of a device", by: e2etest.Program, prepare: activate},
	{name: "verification", by: e2etest.Program, prepare: onVerification("GET", "/api/transaction/{id}/verification")},
	{name: "audit trail of a verification", by: e2etest.Program, prepare: onVerification("POST", "/api/transaction/{id}/generate-audit-trail")},
	{name: "own verifications", by: e2etest.Program, prepare: sends("GET", "/api/transactions", nil)},
	{name: "verification page", by: e2etest.Browser, page: true, prepare: opensVerification},
	{name: "home page", by: e2etest.Browser, page: true, prepare: opens("/")},
	{name: "sign-in page", by: e2etest.Browser, page: true, prepare: opens("/login?next=/account")},
	{name: "authenticators page", by: e2etest.Browser, page: true, prepare: opens("/authenticators?notice=removed")},
	{name: "account page", by: e2etest.Browser, page: true, prepare: opens("/account")},
	{name: "password form", by: e2etest.Browser, page: true, prepare: submits("/login", "user=alice@sandbox&password=Sandbox-1!"), ends: true},
	{name: "end-others form", by: e2etest.Browser, page: true, prepare: submits("/authenticators", "action=end-others")},
	{name: "language form", by: e2etest.Browser, page: true, prepare: submits("/account", "action=language&language=en")},
	{name: "sign-out form", by: e2etest.Browser, page: true, prepare: submits("/account", "action=sign-out"), ends: true},
}

func sends(method, path string, body any) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		return func() e2etest.Reply { return c.Send(method, path, body) }
	}
}

func opens(path string) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		return func() e2etest.Reply { return c.Send("GET", path, nil, "Accept", "text/html") }
	}
}

// shownToOf remembers what the forms of each client say, since no page is shown during an
// outage.
var shownToOf sync.Map

func shownTo(c *e2etest.Client) string {
	value, ok := shownToOf.Load(c)
	if !ok {
		value = c.ShownTo()
		shownToOf.Store(c, value)
	}
	return value.(string)
}

func submits(path, form string) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		values, err := url.ParseQuery(form)
		if err != nil {
			c.T.Fatal(err)
		}
		values.Set("shown_to", shownTo(c))
		return func() e2etest.Reply {
			return c.Send("POST", path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		}
	}
}

// somebody returns another client, which is as patient.
func somebody(c *e2etest.Client, by func(testing.TB, *e2etest.App) *e2etest.Client) *e2etest.Client {
	other := by(c.T, c.App)
	if p, ok := c.HTTP.Transport.(*e2etest.Patient); ok {
		other.Patiently(p.Line)
	}
	return other
}

func asSomebodyNew(prepare func(*e2etest.Client) func() e2etest.Reply) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply { return prepare(somebody(c, e2etest.Program)) }
}

func afterSigningInElsewhere(prepare func(*e2etest.Client) func() e2etest.Reply) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		somebody(c, e2etest.Program).Password("alice@sandbox")
		return prepare(c)
	}
}

func withCeremony(prepare func(*e2etest.Client) func() e2etest.Reply) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		c.RequestRegistration().Want(http.StatusOK)
		return prepare(c)
	}
}

func registration(c *e2etest.Client) func() e2etest.Reply {
	response := c.Create(e2etest.NewPasskey(c.App), c.RequestRegistration().Want(http.StatusOK))
	return func() e2etest.Reply { return c.FinishRegistration(response) }
}

// registered registers a new passkey for c. If Redis is too slow to say whether a
// ceremony was spent, it begins another one.
func registered(c *e2etest.Client) *authenticator.FIDO2 {
	for range 10 {
		key := e2etest.NewPasskey(c.App)
		if c.FinishRegistration(c.Create(key, c.RequestRegistration().Want(http.StatusOK))).Status == http.StatusOK {
			return key
		}
	}
	c.T.Fatal("no passkey can be registered")
	return nil
}

func passkeySignIn(c *e2etest.Client) func() e2etest.Reply {
	key := registered(c)
	somebody := somebody(c, e2etest.Browser)
	response := somebody.Get(key, somebody.RequestSignIn("alice@sandbox"))
	return func() e2etest.Reply { return somebody.FinishSignIn("alice@sandbox", response) }
}

// push uses an unused address, since each may have only one waiting.
func push(c *e2etest.Client) func() e2etest.Reply {
	return sends("POST", "/users/alice@sandbox/login", e2etest.PushedSignIn)(e2etest.Program(c.T, c.App).Elsewhere())
}

// pushed begins a sign-in by push. If Redis is too slow to say whether one waits, it begins
// another one from elsewhere.
func pushed(c *e2etest.Client) (id string) {
	for range 10 {
		if r := c.Elsewhere().Send("POST", "/users/alice@sandbox/login", e2etest.PushedSignIn); r.Status == http.StatusAccepted {
			c.Carry(r)
			return r.Text("requestID")
		}
	}
	c.T.Fatal("no push can be begun")
	return ""
}

func poll(decision string) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		somebody := somebody(c, e2etest.Program)
		id := pushed(somebody)
		if decision != "" {
			e2etest.Manage(c.T, c.App, "POST", "/push/"+id, map[string]any{"decision": decision})
		}
		return sends("GET", "/sessions/"+id, nil)(somebody)
	}
}

func onAuthenticator(method string, body any) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		registered(c)
		id, _ := c.Authenticators()[0]["id"].(string)
		return sends(method, "/users/me/authenticators/"+id, body)(c)
	}
}

const aVerification = `{"users":[{"first_name":"Anna","last_name":"Muster"}]}`

// onVerification returns a call about a verification that was started before.
func onVerification(method, path string) func(*e2etest.Client) func() e2etest.Reply {
	return func(c *e2etest.Client) func() e2etest.Reply {
		id := c.Send("PUT", "/api/transaction", aVerification).Want(http.StatusOK).Text("id")
		return sends(method, strings.ReplaceAll(path, "{id}", id), nil)(c)
	}
}

func opensVerification(c *e2etest.Client) func() e2etest.Reply {
	id := c.Send("PUT", "/api/transaction", aVerification).Want(http.StatusOK).Text("id")
	return opens("/verifications/" + id)(c)
}

func activate(c *e2etest.Client) func() e2etest.Reply {
	password := c.Send("POST", "/users/register", `{"userID":"alice@sandbox"}`).Want(http.StatusOK).Text("activationPassword")
	device := somebody(c, e2etest.Program)
	return func() e2etest.Reply { return device.Activate("alice@sandbox", password, "ios") }
}
