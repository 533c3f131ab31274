package failures_test

import (
	"fmt"
	"html"
	"io"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/explain"
	catalogue "countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/logtest"
)

// unknown is a message of the platform with a row in every flow.
const unknown = "User account not found"

// Whatever people do, the platform's message reaches them as an error of ours, in their language
// and without the platform's words; a client that is not signed in learns nothing of the account.
func TestPlatformMessage_TranslatedForClients(t *testing.T) {
	app := e2etest.Boot(t)
	passkey, phone := e2etest.NewPasskey(app), e2etest.PhoneOf(t, app, "alice@sandbox")
	own := e2etest.Program(t, app).SignedIn("alice@sandbox")
	own.Register(passkey)
	first := "/users/me/authenticators/" + fmt.Sprint(own.Authenticators()[0]["id"])
	post := func(path, body string) func(*e2etest.Client) e2etest.Reply {
		return func(c *e2etest.Client) e2etest.Reply { return c.Send("POST", path, body) }
	}
	finish := func(c *e2etest.Client) e2etest.Reply {
		return c.FinishRegistration(c.Create(e2etest.NewPasskey(app), c.RequestRegistration().Want(http.StatusOK)))
	}
	uaf := func(c *e2etest.Client) e2etest.Reply { return c.FinishUAF(c.Enrol(e2etest.Phone(t, app))) }
	withPasskey := func(c *e2etest.Client) e2etest.Reply {
		return c.FinishSignIn("alice@sandbox", c.Get(passkey, c.RequestSignIn("alice@sandbox")))
	}
	withUAF := func(c *e2etest.Client) e2etest.Reply {
		return c.FinishSignIn("alice@sandbox", c.Sign("alice@sandbox", phone, ""))
	}
	confirm := func(c *e2etest.Client) e2etest.Reply { return c.Confirm("me", c.Sign("me", phone, "Pay")) }
	poll := func(c *e2etest.Client) e2etest.Reply {
		return c.Send("GET", "/sessions/"+c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID"), nil)
	}
	list := func(c *e2etest.Client) e2etest.Reply { return c.Send("GET", "/users/me/authenticators", nil) }
	rename := func(c *e2etest.Client) e2etest.Reply { return c.Send("PATCH", first, `{"name":"phone"}`) }
	remove := func(c *e2etest.Client) e2etest.Reply { return c.Send("DELETE", first+"?confirm=last", nil) }
	out := e2etest.Program(t, app)
	for _, flow := range []struct {
		by        *e2etest.Client
		operation string
		key       string
		send      func(*e2etest.Client) e2etest.Reply
	}{
		{out, "login", "sign-in.refused", post("/users/alice@sandbox/login", e2etest.RightPassword)},
		{own, "login", "sign-in.refused", post("/users/alice@sandbox/login", e2etest.RightPassword)},
		{out, "login", "sign-in.refused", withPasskey}, {out, "login", "sign-in.refused", withUAF},
		{own, "generateFidoAuthenticationRequest", "account.unknown", post("/users/me/generate-fido-authentication-request", `{"fidoProtocol":"UAF11","authenticationMessage":"Pay"}`)},
		{own, "generateFidoAuthenticationRequest", "account.unknown", post("/users/me/generate-fido-authentication-request", e2etest.AskPasskey)},
		{own, "generateFidoRegistrationRequest", "account.unknown", post("/users/me/generate-fido-registration-request", e2etest.AskPasskey)},
		{own, "registerFidoDevice", "account.unknown", finish}, {own, "registerFidoDevice", "account.unknown", uaf},
		{own, "registerUser", "account.unknown", post("/users/register", `{"userID":"alice@sandbox"}`)},
		{out, "registerUser", "sign-in.refused", post("/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`)},
		{own, "orchestrationCommands", "account.unknown", post("/orchestration-commands", `{"command":"00"}`)},
		{out, "orchestrationCommands", "activation.refused", post("/orchestration-commands", `{"command":"00"}`)},
		{own, "validateTransaction", "account.unknown", post("/users/me/transactions/validate", e2etest.PushedTransaction)},
		{own, "validateTransaction", "account.unknown", confirm}, {own, "sessionStatus", "account.unknown", poll},
		{own, "listFidoRegistrations", "account.unknown", list}, {own, "renameFidoRegistration", "account.unknown", rename},
		{own, "deleteFidoRegistration", "account.unknown", remove},
	} {
		c := *flow.by
		c.Header = c.Header.Clone()
		c.Header.Set("Accept-Language", "ja")
		e2etest.Fails(t, app, flow.operation, unknown)
		r := flow.send(&c).Refused(http.StatusConflict, flow.key)
		if r.Header.Get("Content-Language") != "ja" || r.Header.Get("Retry-After") != "" || strings.Contains(string(r.Body), unknown) {
			t.Errorf("%s: %v %s", r.What, r.Header, r.Body)
		}
	}
}

// People who use pages are told the same.
func TestPlatformMessage_TranslatedOnPages(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	app := e2etest.Boot(t)
	member, out := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app)
	for _, page := range []struct {
		by             *e2etest.Client
		operation, key string
		send           func() e2etest.Reply
	}{
		{member, "listFidoRegistrations", "account.unknown", func() e2etest.Reply { return member.Page("/authenticators") }},
		{member, "registerUser", "account.unknown", func() e2etest.Reply { return member.Post("/account", "action", "activation-password") }},
		{out, "login", "sign-in.refused", func() e2etest.Reply {
			return out.Post("/login", "step", "password", "user", "alice@sandbox", "password", "Sandbox-1!")
		}},
	} {
		page.by.Header.Set("Accept-Language", "ja")
		e2etest.Fails(t, app, page.operation, unknown)
		r, row := page.send().Want(http.StatusConflict), catalogue.Lookup(catalogue.Key(page.key))
		words := bundle.For("ja").T
		wants := []string{`lang="ja"`, words(row.TitleID()), words(row.MessageID())}
		if page.by == member { // a person who mistypes has no use for a number
			wants = append(wants, r.Header.Get("X-Request-Id"))
		}
		for _, want := range wants {
			if shown := html.UnescapeString(string(r.Body)); !strings.Contains(shown, want) || strings.Contains(shown, unknown) {
				t.Errorf("%s: a page without %q: %s", r.What, want, shown)
			}
		}
	}
}

// A message without a row is answered with the row of the call, counted, and logged.
func TestPlatformMessage_UnknownIsCounted(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "registerUser", "error": "The moon is full"})
	r := c.Send("POST", "/users/register", `{"userID":"alice@sandbox"}`).Refused(http.StatusConflict, "activation.refused")
	if strings.Contains(string(r.Body), "moon") {
		t.Errorf("told: %s", r.Body)
	}
	for _, want := range []string{"untranslated=true", "The moon is full", "correlation="} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q", want)
		}
	}
	story := explained(t, r.Header.Get("X-Request-Id"), log.String())
	for _, want := range []string{"alice@sandbox, from", "POST /users/register", "registerUser: status 409, correlation ID ", "Cause ", "The moon is full", "docs/runbooks/CountersignUntranslatedRefusals.md"} {
		if !strings.Contains(story, want) {
			t.Errorf("the story lacks %q:\n%s", want, story)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.AdminURL()+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	metrics := e2etest.Plain(t).Do(request)
	if want := `countersign_untranslated_total{route="/users/register"} 1`; !strings.Contains(string(metrics.Body), want) {
		t.Errorf("the metrics lack %s", want)
	}
}

// explained returns the story that a log tells of a request.
func explained(t *testing.T, id, log string) string {
	t.Helper()
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var story strings.Builder
	source := explain.Source{Name: "log", Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(log)), nil }}
	if err := explain.Request(&story, bundle.For("en"), id, []explain.Source{source}); err != nil {
		t.Fatal(err)
	}
	return story.String()
}
