package main

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

// promptly is how soon an answer is there, whatever is away.
const promptly = time.Second

// errand is a request that needs Redis. What it takes is prepared in good health.
type errand struct {
	name    string
	by      func(testing.TB, *App) *client
	page    bool
	prepare func(*client) (send func() reply)
	// ends says that, carried out, it ends the session it is made in or begins
	// another: when its answer is lost, nobody can know which of them lives.
	ends bool
}

var errands = []errand{
	{name: "who am I", by: browser, prepare: sends("GET", "/session", nil)},
	{name: "who am I, an app", by: program, prepare: sends("GET", "/session", nil)},
	{name: "language", by: program, prepare: sends("PATCH", "/session", `{"language":"en"}`)},
	{name: "sessions", by: browser, prepare: sends("GET", "/account/sessions", nil)},
	{name: "end others", by: program, prepare: afterSigningInElsewhere(sends("DELETE", "/account/sessions", nil))},
	{name: "sign out", by: browser, prepare: sends("DELETE", "/session", nil), ends: true},
	{name: "sign out, an app", by: program, prepare: sends("DELETE", "/session", nil), ends: true},
	{name: "sign in", by: program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/login", rightPassword))},
	{name: "sign in again", by: browser, prepare: sends("POST", "/users/alice@sandbox/login", rightPassword), ends: true},
	{name: "sign in again, a ceremony open", by: program, prepare: withCeremony(sends("POST", "/users/alice@sandbox/login", rightPassword)), ends: true},
	{name: "sign in with a passkey", by: browser, prepare: passkeySignIn},
	{name: "begin a passkey sign-in", by: program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`))},
	{name: "push", by: program, prepare: asSomebodyNew(sends("POST", "/users/alice@sandbox/login", `{"orchestrationDelivery":["pushNotification"]}`))},
	{name: "poll", by: program, prepare: poll("")},
	{name: "poll an accepted sign-in", by: program, prepare: poll("accept")},
	{name: "begin a registration", by: browser, prepare: sends("POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`)},
	{name: "finish a registration", by: browser, prepare: registration},
	{name: "authenticators", by: program, prepare: sends("GET", "/users/me/authenticators", nil)},
	{name: "rename", by: program, prepare: onAuthenticator("PATCH", `{"name":"Blue key"}`)},
	{name: "remove", by: program, prepare: onAuthenticator("DELETE", nil)},
	{name: "transaction", by: program, prepare: sends("POST", "/users/me/transactions/validate", payment)},
	{name: "activation", by: browser, prepare: sends("POST", "/users/register", `{"userID":"alice@sandbox"}`)},
	{name: "activation with a password", by: program, prepare: asSomebodyNew(sends("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`))},
	{name: "message of a device", by: program, prepare: activate},
	{name: "home page", by: browser, page: true, prepare: opens("/")},
	{name: "sign-in page", by: browser, page: true, prepare: opens("/login?next=/account")},
	{name: "authenticators page", by: browser, page: true, prepare: opens("/authenticators?notice=removed")},
	{name: "account page", by: browser, page: true, prepare: opens("/account")},
	{name: "password form", by: browser, page: true, prepare: submits("/login", "user=alice@sandbox&password=Sandbox-1!"), ends: true},
	{name: "end-others form", by: browser, page: true, prepare: submits("/authenticators", "action=end-others")},
	{name: "language form", by: browser, page: true, prepare: submits("/account", "action=language&language=en")},
	{name: "sign-out form", by: browser, page: true, prepare: submits("/account", "action=sign-out"), ends: true},
}

const (
	rightPassword = `{"credentials":{"passKey":"Sandbox-1!"}}`
	payment       = `{"orchestrationDelivery":["pushNotification"],"data":{"transactionMessage":{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"1 EUR"}}]}}}`
)

func sends(method, path string, body any) func(*client) func() reply {
	return func(c *client) func() reply {
		return func() reply { return c.send(method, path, body) }
	}
}

func opens(path string) func(*client) func() reply {
	return func(c *client) func() reply {
		return func() reply { return c.send("GET", path, nil, "Accept", "text/html") }
	}
}

func submits(path, form string) func(*client) func() reply {
	return func(c *client) func() reply {
		values, err := url.ParseQuery(form)
		if err != nil {
			c.t.Fatal(err)
		}
		return func() reply {
			return c.send("POST", path, values.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
		}
	}
}

// somebody is another client, who asks as patiently.
func (c *client) somebody(by func(testing.TB, *App) *client) *client {
	other := by(c.t, c.app)
	if p, ok := c.http.Transport.(*patient); ok {
		other.patiently(p.line)
	}
	return other
}

func asSomebodyNew(prepare func(*client) func() reply) func(*client) func() reply {
	return func(c *client) func() reply { return prepare(c.somebody(program)) }
}

func afterSigningInElsewhere(prepare func(*client) func() reply) func(*client) func() reply {
	return func(c *client) func() reply {
		c.somebody(program).password("alice@sandbox")
		return prepare(c)
	}
}

func withCeremony(prepare func(*client) func() reply) func(*client) func() reply {
	return func(c *client) func() reply {
		c.requestRegistration().want(http.StatusOK)
		return prepare(c)
	}
}

func registration(c *client) func() reply {
	response := c.create(newPasskey(c.app), c.requestRegistration().want(http.StatusOK))
	return func() reply { return c.finishRegistration(response) }
}

func passkeySignIn(c *client) func() reply {
	key := newPasskey(c.app)
	c.register(key)
	somebody := c.somebody(browser)
	response := somebody.get(key, somebody.requestSignIn("alice@sandbox"))
	return func() reply { return somebody.finishSignIn("alice@sandbox", response) }
}

func poll(decision string) func(*client) func() reply {
	return func(c *client) func() reply {
		somebody := c.somebody(program)
		id := push(somebody, "alice@sandbox").text("requestID")
		if decision != "" {
			manage(c.t, c.app, "POST", "/push/"+id, map[string]any{"decision": decision})
		}
		return sends("GET", "/sessions/"+id, nil)(somebody)
	}
}

func onAuthenticator(method string, body any) func(*client) func() reply {
	return func(c *client) func() reply {
		c.register(newPasskey(c.app))
		id, _ := c.authenticators()[0]["id"].(string)
		return sends(method, "/users/me/authenticators/"+id, body)(c)
	}
}

func activate(c *client) func() reply {
	password := c.send("POST", "/users/register", `{"userID":"alice@sandbox"}`).want(http.StatusOK).text("activationPassword")
	command, err := json.Marshal(map[string]string{"command": "activate", "userID": "alice@sandbox", "activationPassword": password, "deviceType": "ios"})
	if err != nil {
		c.t.Fatal(err)
	}
	return sends("POST", "/orchestration-commands", map[string]string{"command": hex.EncodeToString(command)})(c.somebody(program))
}

// unavailable checks an answer given while something is away: it says so, says
// when to come back, and takes nothing away from anybody.
func (r reply) unavailable(what, key string, page bool) {
	r.t.Helper()
	if r.status != http.StatusServiceUnavailable {
		r.t.Errorf("%s: status %d: %.200s", what, r.status, r.body)
		return
	}
	if seconds, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || seconds < 1 || seconds > 10 {
		r.t.Errorf("%s: Retry-After %q", what, r.header.Get("Retry-After"))
	}
	r.takesNothing(what)
	media := r.header.Get("Content-Type")
	if page && (!strings.HasPrefix(media, "text/html") || !has(r.body, "</html>")) {
		r.t.Errorf("%s: no page but %s: %.200s", what, media, r.body)
	}
	if !page && (media != "application/problem+json" || r.text("key") != key || r.member("retryable") != true) {
		r.t.Errorf("%s: not %s but %s: %.200s", what, key, media, r.body)
	}
}

// withoutRedis checks an answer given while Redis is away: the session says so, or a
// limit, whichever was asked first.
func (r reply) withoutRedis(what string, page bool) {
	r.t.Helper()
	key := "session.unavailable"
	if !page && r.status == http.StatusServiceUnavailable && r.text("key") == "server.unavailable" {
		key = "server.unavailable"
	}
	r.unavailable(what, key, page)
}

// takesNothing checks that a browser keeps all that it has.
func (r reply) takesNothing(what string) {
	r.t.Helper()
	for _, name := range []string{"Set-Cookie", "Clear-Site-Data", "Location", "WWW-Authenticate"} {
		if value := r.header.Get(name); value != "" {
			r.t.Errorf("%s: status %d with %s: %s", what, r.status, name, value)
		}
	}
}
