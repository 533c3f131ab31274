package failures_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

func TestEdge_EveryGuard(t *testing.T) {
	e2etest.Share(
		t, e2etest.Boot(t),
		everyGuardFires, aNavigationFromElsewhereIsLedBack, aWrongAddressLeadsOn, bearerAndCookieAreJudgedByTheBearer, payloadRules,
		programsAreAnsweredInJSONWhateverTheyAccept, optionsOfTheWholeServer, theAdminAddressIsNoOnesPage,
		thePersonAtAWrongAddressIsLedToTheRightOne,
	)
}

// People who are signed in have the navigation on the page of an address that there is not, or of
// a method that it does not have. Others have none.
func aWrongAddressLeadsOn(t *testing.T, app *e2etest.App) {
	alice, out := e2etest.Browser(t, app).SignedIn("alice@sandbox"), e2etest.Browser(t, app)
	for _, wrong := range []struct {
		method, path string
		status       int
	}{
		{"GET", "/nowhere", 404}, {"GET", "/nowhere/", 404}, {"GET", "/packages/a/b/c", 404}, {"GET", "/packages/nope", 404}, {"GET", "/errors/nope", 404},
		{"GET", "/people", 404}, {"GET", "/account/x", 404}, {"POST", "/nowhere", 404}, {"POST", "/", 405}, {"PUT", "/account", 405},
	} {
		if r := alice.Send(wrong.method, wrong.path, nil, "Accept", "text/html").Want(wrong.status); !e2etest.Has(r.Body, `<nav id="nav"`) {
			t.Errorf("%s %s leads nowhere: %s", wrong.method, wrong.path, r.Body)
		}
		if r := out.Send(wrong.method, wrong.path, nil, "Accept", "text/html"); e2etest.Has(r.Body, `<nav id="nav"`) {
			t.Errorf("%s %s leads somebody who is signed out", wrong.method, wrong.path)
		}
	}
	led := out.Send("GET", "/nowhere", nil, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "cross-site", "Accept", "text/html").Want(http.StatusOK)
	if !e2etest.Has(led.Body, `url=/nowhere"`) { // the cookie comes with the next request
		t.Errorf("from elsewhere: %s", led.Body)
	}
}

// Every guard of the edge is triggered once, through the real listener.
func everyGuardFires(t *testing.T, app *e2etest.App) {
	signedIn := e2etest.Browser(t, app)
	signedIn.Password("alice@sandbox")
	out := e2etest.Browser(t, app)
	big := `{"fidoProtocol":"` + strings.Repeat("x", limitOfJSON) + `"}`
	const generate = "/users/me/generate-fido-registration-request"
	payload := map[string]any{"fidoProtocol": "FIDO2"}
	cases := []struct {
		name    string
		by      *e2etest.Client
		method  string
		path    string
		body    any
		headers []string
		status  int
		key     string
	}{
		{"another host", out, "GET", "/session", nil, []string{"Host", "evil.example"}, 421, "request.host"},
		{"another port", out, "GET", "/session", nil, []string{"Host", "localhost:1"}, 421, "request.host"},
		{"no such path", out, "GET", "/nothing/here", nil, nil, 404, "request.not-found"},
		{"no such method", out, "PUT", "/session", nil, nil, 405, "request.method"},
		{"CORS preflight", out, "OPTIONS", "/users/alice@sandbox/login", nil, []string{"Origin", "https://evil.example"}, 405, "request.method"},
		{"signed out", out, "POST", generate, payload, nil, 401, "session.required"},
		{"signed out, somebody's path", out, "POST", strings.Replace(generate, "me", "alice@sandbox", 1), payload, nil, 401, "session.required"},
		{"somebody else's path", signedIn, "POST", strings.Replace(generate, "me", "bob@sandbox", 1), payload, nil, 403, "session.forbidden"},
		{"no user id", signedIn, "POST", strings.Replace(generate, "me", "bob", 1), payload, nil, 404, "request.not-found"},
		{"an escaped slash", out, "POST", "/users/a%2Fb@sandbox/login", payload, nil, 404, "request.not-found"},
		{"a slash that is none", signedIn, "POST", "/users/me%2Flogin", payload, nil, 404, "request.not-found"},
		{"an endless user id", out, "POST", "/users/" + strings.Repeat("a", 65) + "@sandbox/login", payload, nil, 404, "request.not-found"},
		{"another site", signedIn, "POST", generate, payload, []string{"Sec-Fetch-Site", "cross-site"}, 403, "request.cross-origin"},
		{"a sibling site", signedIn, "POST", generate, payload, []string{"Sec-Fetch-Site", "same-site"}, 403, "request.cross-origin"},
		{"another origin", signedIn, "POST", generate, payload, []string{"Sec-Fetch-Site", "", "Origin", "https://evil.example"}, 403, "request.cross-origin"},
		{"an opaque origin of another site", signedIn, "POST", generate, payload, []string{"Sec-Fetch-Site", "cross-site", "Origin", "null"}, 403, "request.cross-origin"},
		{"another origin that says it is ours", signedIn, "POST", generate, payload, []string{"Sec-Fetch-Site", "same-origin", "Origin", "https://evil.example"}, 403, "request.cross-origin"},
		{"an opaque origin", signedIn, "POST", generate, payload, []string{"Sec-Fetch-Site", "", "Origin", "null"}, 403, "request.cross-origin"},
		{"a cookie that says nothing of its origin", signedIn, "POST", generate, payload, []string{"Sec-Fetch-Site", "", "Origin", ""}, 403, "request.cross-origin"},
		{"a sign-in from another site", out, "POST", "/users/alice@sandbox/login", payload, []string{"Sec-Fetch-Site", "cross-site"}, 403, "request.cross-origin"},
		{"credentials in a foreign link", out, "POST", "/users/alice@sandbox/login", payload, []string{"Sec-Fetch-Site", "cross-site", "Authorization", "Basic YTpi"}, 403, "request.cross-origin"},
		{"no content type", signedIn, "POST", generate, payload, []string{"Content-Type", ""}, 415, "request.media-type"},
		{"a form", signedIn, "POST", generate, payload, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "request.media-type"},
		{"too much", signedIn, "POST", generate, big, nil, 413, "request.too-large"},
		{"no JSON", signedIn, "POST", generate, `{"fidoProtocol":`, nil, 400, "request.malformed"},
		{"a member twice", signedIn, "POST", generate, `{"fidoProtocol":"FIDO2","fidoProtocol":"FIDO2"}`, nil, 400, "request.malformed"},
		{"no such session", signedIn, "DELETE", "/account/sessions/nothing", nil, nil, 404, "session.unknown"},
		{"no such sign-in", out, "GET", "/sessions/nothing", nil, nil, 404, "sign-in.unknown"},
		{"no such authenticator", signedIn, "DELETE", "/users/me/authenticators/nothing", nil, nil, 404, "authenticator.unknown"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			e2etest.Untouched(t, app, func() {
				r := tc.by.Send(tc.method, tc.path, tc.body, tc.headers...).Refused(tc.status, tc.key)
				if r.Header.Get("Content-Type") != "application/problem+json" || r.Text("instance") != r.Header.Get("X-Request-Id") {
					t.Errorf("content type %q, instance %q, request %q", r.Header.Get("Content-Type"), r.Text("instance"), r.Header.Get("X-Request-Id"))
				}
			}, "generateFidoRegistrationRequest", "login")
		})
	}
}

// limitOfJSON is 64 KiB.
const limitOfJSON = 64 << 10

// A proxy that sets Referrer-Policy: no-referrer takes the origin of our own forms away; what no page
// can forge still tells where they come from.
func TestOrigin_OpaqueBehindProxy(t *testing.T) {
	app := e2etest.Boot(t)
	alice := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	ask := func(site string) e2etest.Reply {
		return alice.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "FIDO2"}, "Origin", "null", "Sec-Fetch-Site", site)
	}
	for _, site := range []string{"", "none", "cross-site", "same-site"} {
		ask(site).Refused(http.StatusForbidden, "request.cross-origin")
	}
	ask("same-origin").Want(http.StatusOK)
}

func TestOrigin_Defences(t *testing.T) {
	for origin, cookie := range map[string]string{"": "countersign=", "https://cs.example": "__Host-Http-countersign="} {
		app := e2etest.Boot(t, "PUBLIC_ORIGIN="+origin, "SANDBOX=on")
		t.Run("defences of "+app.URL(), func(t *testing.T) {
			c := e2etest.Browser(t, app)
			for _, path := range []string{"/", "/login", "/session", "/nothing", "/errors/ceremony.spent"} {
				r := e2etest.OverLoopback(c, app, "GET", path, "Accept", "text/html")
				wantHeaders(t, path, r.Header)
				policy := r.Header.Get("Content-Security-Policy")
				for _, part := range []string{"object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "'nonce-"} {
					if path != "/session" && r.Status != http.StatusSeeOther && !strings.Contains(policy, part) {
						t.Errorf("%s: no %s in %s", path, part, policy)
					}
				}
				if strings.Contains(policy, "unsafe") {
					t.Errorf("%s: %s", path, policy)
				}
				if hsts := r.Header.Get("Strict-Transport-Security"); (hsts != "") != (origin != "") {
					t.Errorf("%s: HSTS %q", path, hsts)
				}
				kept := "no-store, no-transform"
				switch path {
				case "/errors/ceremony.spent":
					kept = "public, max-age=300, no-transform"
				case "/session":
					kept = "no-store"
				}
				if r.Header.Get("Cache-Control") != kept {
					t.Errorf("%s: Cache-Control %q", path, r.Header.Get("Cache-Control"))
				}
			}
		})
		t.Run("session cookie of "+app.URL(), func(t *testing.T) {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.ListenURL()+"/users/alice@sandbox/login",
				strings.NewReader(`{"credentials":{"passKey":"Sandbox-1!"}}`))
			if err != nil {
				t.Fatal(err)
			}
			request.Host = app.Host()
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Origin", app.URL())
			r := e2etest.Browser(t, app).Do(request).Want(http.StatusOK)
			got := r.Header.Get("Set-Cookie")
			if !strings.HasPrefix(got, cookie) || strings.Contains(got, "Domain") || strings.Contains(got, "Secure") != (origin != "") {
				t.Errorf("cookie %q", got)
			}
			for _, part := range []string{"Path=/", "HttpOnly", "SameSite=Strict"} {
				if !strings.Contains(got, part) {
					t.Errorf("no %s in %q", part, got)
				}
			}
			if r.Member("sessionToken") != nil {
				t.Errorf("a browser was told its token: %s", r.Body)
			}
		})
	}
}

// wantHeaders checks the defences that every answer has, and those of documents, which
// JSON answers do not have.
func wantHeaders(t *testing.T, path string, header http.Header) {
	t.Helper()
	want := map[string]string{"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
	document := map[string]string{"Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "X-Frame-Options": "DENY"}
	permissions := "publickey-credentials-get=(self)"
	if strings.HasSuffix(header.Get("Content-Type"), "json") {
		document, permissions = map[string]string{"Referrer-Policy": "", "Cross-Origin-Opener-Policy": "", "X-Frame-Options": ""}, ""
	}
	maps.Copy(want, document)
	for name, value := range want {
		if got := header.Get(name); got != value {
			t.Errorf("%s: %s: %q", path, name, got)
		}
	}
	if got := header.Get("Permissions-Policy"); !strings.Contains(got, permissions) || (got == "") != (permissions == "") {
		t.Errorf("%s: Permissions-Policy %q", path, got)
	}
}

func aNavigationFromElsewhereIsLedBack(t *testing.T, app *e2etest.App) {
	elsewhere := []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "cross-site", "Accept", "text/html"}
	c := e2etest.Browser(t, app)
	r := c.Send("GET", "/authenticators?x=1&y=%22", nil, elsewhere...).Want(http.StatusOK)
	if !e2etest.Has(r.Body, `http-equiv="refresh"`) || !e2etest.Has(r.Body, "/authenticators?x=1&amp;y=%22") || r.Header.Get("Cache-Control") != "no-store, no-transform" {
		t.Errorf("%s: %s", r.Header.Get("Cache-Control"), r.Body)
	}
	c.Password("alice@sandbox")
	r = c.Send("GET", "/account", nil, elsewhere...).Want(http.StatusOK)
	if e2etest.Has(r.Body, `http-equiv="refresh"`) {
		t.Error("somebody whose cookie came along was led around")
	}
}

func bearerAndCookieAreJudgedByTheBearer(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	c.Send("GET", "/session", nil, "Authorization", "Bearer "+strings.Repeat("A", 43)).Refused(401, "session.required")
	c.Send("GET", "/session", nil, "Authorization", "Basic "+strings.Repeat("A", 43)).Refused(401, "session.required")
	c.Send("GET", "/session", nil).Want(http.StatusOK)
}

// Each route says what is wrong with its payload, also in the platform's form, and asks the platform
// nothing.
func payloadRules(t *testing.T, app *e2etest.App) {
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	for _, tc := range []struct{ call, body, pointers string }{
		{"generate-fido-registration-request", `{"fidoProtocol":"FIDO2","attestation":"enterprise","surprise":1}`, "/attestation /surprise"},
		{"generate-fido-registration-request", `[]`, ""},
		{"register-fido-device", `{"fidoProtocol":"FIDO2"}`, "/registrationResponse"},
		{"generate-fido-authentication-request", `{"fidoProtocol":"FIDO2","authenticationMessage":"pay"}`, "/authenticationMessage"},
		{"login", `{"credentials":{}}`, "/credentials"},
	} {
		e2etest.Untouched(t, app, func() {
			r := c.Send("POST", "/users/me/"+tc.call, tc.body).Refused(http.StatusBadRequest, "request.invalid")
			if got := e2etest.Pointers(t, r); got != tc.pointers {
				t.Errorf("%s %s: pointers %q, want %q", tc.call, tc.body, got, tc.pointers)
			}
			if r.Text("error") != "Bad Request" || r.Text("message") == "" || r.Member("validationErrors") == nil {
				t.Errorf("no platform error in %s", r.Body)
			}
		}, "generateFidoRegistrationRequest", "registerFidoDevice", "login")
	}
}

func TestLog_HasNoSecret(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	c := e2etest.Program(t, app)
	c.Password("alice@sandbox")
	c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"wrong-but-secret"}}`).Refused(409, "sign-in.refused")
	c.Send("GET", "/session?token=in-the-query", nil).Want(http.StatusOK)
	token := strings.TrimPrefix(c.Header.Get("Authorization"), "Bearer ")
	c.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	for _, secret := range []string{token, "Sandbox-1!", "wrong-but-secret", "in-the-query"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), "key=sign-in.refused") || !strings.Contains(log.String(), "person=alice@sandbox") {
		t.Errorf("the log does not tell what happened:\n%s", log.String())
	}
}

// The default Accept headers of HTTP clients change nothing for programs: their calls are
// answered in JSON.
func programsAreAnsweredInJSONWhateverTheyAccept(t *testing.T, app *e2etest.App) {
	c := e2etest.Program(t, app)
	for _, accept := range []string{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "application/json,text/html", "text/html;q=0"} {
		c.Send("GET", "/session", nil, "Accept", accept).Refused(http.StatusUnauthorized, "session.required")
		c.Send("POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`, "Accept", accept).Refused(http.StatusUnauthorized, "session.required")
	}
	if r := c.Send("GET", "/nothing", nil, "Accept", "text/html").Want(http.StatusNotFound); !e2etest.Has(r.Body, "<!doctype html>") {
		t.Errorf("a person who opens an address that is none is answered %s", r.Body)
	}
	if r := c.Send("GET", "/account?notice=session-ended&tab=1", nil).Want(http.StatusSeeOther); r.Header.Get("Location") != "/login?next=%2Faccount%3Ftab%3D1" {
		t.Errorf("what was told once is told again at %q", r.Header.Get("Location"))
	}
	if r := c.Send("GET", "/account", nil).Want(http.StatusSeeOther); r.Header.Get("Location") != "/login?next=%2Faccount" {
		t.Errorf("a page of one's own leads to %q", r.Header.Get("Location"))
	}
}

func optionsOfTheWholeServer(t *testing.T, app *e2etest.App) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, app.ListenURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	request.URL.Opaque, request.Host = "*", "evil.example"
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if response.StatusCode != http.StatusMisdirectedRequest || response.Header.Get("X-Request-Id") == "" {
		t.Errorf("OPTIONS * is %d", response.StatusCode)
	}
}

func theAdminAddressIsNoOnesPage(t *testing.T, app *e2etest.App) {
	for host, status := range map[string]int{"": 200, "localhost:9090": 200, "127.0.0.1": 200, "[::1]:9090": 200, "evil.example": 421} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.AdminURL()+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		e2etest.Plain(t).Do(request).Want(status)
	}
}
