package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Every guard of the edge is fired once, through the real listener.
func TestEveryGuardFires(t *testing.T) {
	app := boot(t)
	signedIn := browser(t, app)
	signedIn.password("alice@sandbox")
	out := browser(t, app)
	big := `{"fidoProtocol":"` + strings.Repeat("x", limitOfJSON) + `"}`
	const generate = "/users/me/generate-fido-registration-request"
	payload := map[string]any{"fidoProtocol": "FIDO2"}
	cases := []struct {
		name    string
		by      *client
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
			untouched(t, app, func() {
				r := tc.by.send(tc.method, tc.path, tc.body, tc.headers...).refused(tc.status, tc.key)
				if r.header.Get("Content-Type") != "application/problem+json" || r.text("instance") != r.header.Get("X-Request-Id") {
					t.Errorf("content type %q, instance %q, request %q", r.header.Get("Content-Type"), r.text("instance"), r.header.Get("X-Request-Id"))
				}
			}, "generateFidoRegistrationRequest", "login")
		})
	}
}

// limitOfJSON is 64 KiB.
const limitOfJSON = 64 << 10

func TestEveryAnswerCarriesTheDefences(t *testing.T) {
	for _, tc := range []struct{ name, origin string }{{"http", ""}, {"https", "https://cs.example"}} {
		t.Run(tc.name, func(t *testing.T) {
			app := boot(t, "PUBLIC_ORIGIN="+tc.origin)
			c := browser(t, app)
			for _, path := range []string{"/", "/login", "/session", "/nothing", "/errors/ceremony.spent"} {
				r := overLoopback(c, app, "GET", path, "Accept", "text/html")
				for name, value := range map[string]string{
					"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin",
					"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
				} {
					if got := r.header.Get(name); got != value {
						t.Errorf("%s: %s: %q", path, name, got)
					}
				}
				policy := r.header.Get("Content-Security-Policy")
				for _, part := range []string{"object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "'nonce-"} {
					if path != "/session" && r.status != http.StatusSeeOther && !strings.Contains(policy, part) {
						t.Errorf("%s: no %s in %s", path, part, policy)
					}
				}
				if strings.Contains(policy, "unsafe") {
					t.Errorf("%s: %s", path, policy)
				}
				if hsts := r.header.Get("Strict-Transport-Security"); (hsts != "") != (tc.name == "https") {
					t.Errorf("%s: HSTS %q", path, hsts)
				}
				if !strings.Contains(r.header.Get("Permissions-Policy"), "publickey-credentials-get=(self)") {
					t.Errorf("%s: Permissions-Policy %q", path, r.header.Get("Permissions-Policy"))
				}
				if path != "/errors/ceremony.spent" && r.header.Get("Cache-Control") != "no-store" {
					t.Errorf("%s: Cache-Control %q", path, r.header.Get("Cache-Control"))
				}
			}
		})
	}
}

// overLoopback sends to the listener what names the public origin: how it looks
// behind a proxy that ends TLS.
func overLoopback(c *client, app *App, method, path string, headers ...string) reply {
	c.t.Helper()
	request, err := http.NewRequestWithContext(c.t.Context(), method, app.public.url()+path, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	request.Host = app.config.PublicOrigin.Host()
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return c.do(request)
}

func TestTheSessionCookie(t *testing.T) {
	for _, tc := range []struct{ name, origin, want string }{
		{"http", "", "countersign="},
		{"https", "https://cs.example", "__Host-Http-countersign="},
	} {
		t.Run(tc.name, func(t *testing.T) {
			app := boot(t, "PUBLIC_ORIGIN="+tc.origin)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.public.url()+"/users/alice@sandbox/login",
				strings.NewReader(`{"credentials":{"passKey":"Sandbox-1!"}}`))
			if err != nil {
				t.Fatal(err)
			}
			request.Host = app.config.PublicOrigin.Host()
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Origin", app.URL())
			r := browser(t, app).do(request).want(http.StatusOK)
			cookie := r.header.Get("Set-Cookie")
			if !strings.HasPrefix(cookie, tc.want) || strings.Contains(cookie, "Domain") || strings.Contains(cookie, "Secure") != (tc.name == "https") {
				t.Errorf("cookie %q", cookie)
			}
			for _, part := range []string{"Path=/", "HttpOnly", "SameSite=Strict"} {
				if !strings.Contains(cookie, part) {
					t.Errorf("no %s in %q", part, cookie)
				}
			}
			if r.member("sessionToken") != nil {
				t.Errorf("a browser was told its token: %s", r.body)
			}
		})
	}
}

func TestANavigationFromElsewhereIsLedBack(t *testing.T) {
	app := boot(t)
	elsewhere := []string{"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Site", "cross-site", "Accept", "text/html"}
	c := browser(t, app)
	r := c.send("GET", "/authenticators?x=1&y=%22", nil, elsewhere...).want(http.StatusOK)
	if !has(r.body, `http-equiv="refresh"`) || !has(r.body, "/authenticators?x=1&amp;y=%22") || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%s: %s", r.header.Get("Cache-Control"), r.body)
	}
	c.password("alice@sandbox")
	r = c.send("GET", "/account", nil, elsewhere...).want(http.StatusOK)
	if has(r.body, `http-equiv="refresh"`) {
		t.Error("somebody whose cookie came along was led around")
	}
}

func TestBearerAndCookieAreJudgedByTheBearer(t *testing.T) {
	app := boot(t)
	c := browser(t, app)
	c.password("alice@sandbox")
	c.send("GET", "/session", nil, "Authorization", "Bearer "+strings.Repeat("A", 43)).refused(401, "session.required")
	c.send("GET", "/session", nil, "Authorization", "Basic "+strings.Repeat("A", 43)).refused(401, "session.required")
	c.send("GET", "/session", nil).want(http.StatusOK)
}

func TestPayloadRules(t *testing.T) {
	app := boot(t)
	c := browser(t, app)
	c.password("alice@sandbox")
	const generate, register, authenticate = "generate-fido-registration-request", "register-fido-device", "generate-fido-authentication-request"
	cases := []struct {
		call, body string
		pointers   []string
	}{
		{generate, `{}`, []string{"/fidoProtocol"}},
		{generate, `{"fidoProtocol":null}`, []string{"/fidoProtocol"}},
		{generate, `{"fidoProtocol":"fido2"}`, []string{"/fidoProtocol"}},
		{generate, `{"fidoProtocol":2}`, []string{"/fidoProtocol"}},
		{generate, `[]`, []string{""}},
		{generate, `{"fidoProtocol":"FIDO2","attestation":"enterprise","surprise":1}`, []string{"/attestation", "/surprise"}},
		{generate, `{"fidoProtocol":"FIDO2","authenticatorSelection":[]}`, []string{"/authenticatorSelection"}},
		{generate, `{"fidoProtocol":"FIDO2","authenticatorSelection":{"userVerification":"maybe","requireResidentKey":"true","authenticatorAttachment":"usb","a/b~c":1}}`,
			[]string{"/authenticatorSelection/authenticatorAttachment", "/authenticatorSelection/userVerification", "/authenticatorSelection/requireResidentKey", "/authenticatorSelection/a~1b~0c"}},
		{generate, `{"fidoProtocol":"UAF11","displayName":"x","attestation":"none","authenticatorSelection":{}}`,
			[]string{"/displayName", "/authenticatorSelection", "/attestation"}},
		{register, `{"fidoProtocol":"FIDO2"}`, []string{"/registrationResponse"}},
		{register, `{"fidoProtocol":"FIDO2","registrationResponse":{"id":"x"}}`, []string{"/registrationResponse"}},
		{register, `{"fidoProtocol":"FIDO2","registrationResponse":"{}","requestID":7}`, []string{"/requestID"}},
		{register, `{"fidoProtocol":"UAF11","registrationResponse":"[]","requestID":"x"}`, []string{"/requestID"}},
		{authenticate, `{"fidoProtocol":"FIDO2","authenticationMessage":"pay"}`, []string{"/authenticationMessage"}},
		{authenticate, `{"fidoProtocol":"UAF11","userVerification":"required"}`, []string{"/userVerification"}},
		{authenticate, `{"fidoProtocol":"UAF11","authenticationMessage":""}`, []string{"/authenticationMessage"}},
		{authenticate, `{"fidoProtocol":"UAF11","authenticationMessage":"Bezahle 5 € an Bob"}`, []string{"/authenticationMessage"}},
		{authenticate, `{"fidoProtocol":"UAF11","authenticationMessage":"` + strings.Repeat("x", 201) + `"}`, []string{"/authenticationMessage"}},
		{"login", `{}`, []string{"/credentials"}},
		{"login", `{"credentials":{}}`, []string{"/credentials"}},
		{"login", `{"credentials":{"passKey":"a","authenticator":{"OTP":"1"}}}`, []string{"/credentials"}},
		{"login", `{"credentials":{"fidoAuthenticator":{"authenticationResponse":{"id":"x"}}}}`, []string{"/credentials/fidoAuthenticator/authenticationResponse"}},
		{"login", `{"orchestrationDelivery":["pigeon"]}`, []string{"/orchestrationDelivery"}},
	}
	for _, tc := range cases {
		t.Run(tc.call+" "+tc.body, func(t *testing.T) {
			untouched(t, app, func() {
				r := c.send("POST", "/users/me/"+tc.call, tc.body).refused(http.StatusBadRequest, "request.invalid")
				if got := pointers(t, r); got != strings.Join(tc.pointers, " ") {
					t.Errorf("pointers %q, want %q", got, tc.pointers)
				}
				if r.text("error") != "Bad Request" || r.text("message") == "" || r.member("validationErrors") == nil {
					t.Errorf("no platform error in %s", r.body)
				}
			}, "generateFidoRegistrationRequest", "registerFidoDevice", "login")
		})
	}
	for _, body := range []string{
		`{"fidoProtocol":"FIDO2","displayName":null,"attestation":null,"authenticatorSelection":null}`,
		`{"fidoProtocol":"FIDO2","authenticatorSelection":{"authenticatorAttachment":null,"userVerification":"discouraged","requireResidentKey":false},"attestation":"indirect"}`,
	} {
		c.send("POST", "/users/me/"+generate, body).want(http.StatusOK)
	}
}

func pointers(t *testing.T, r reply) string {
	t.Helper()
	var body struct {
		Fields []struct{ Pointer, Detail string } `json:"fields"`
	}
	if err := json.Unmarshal(r.body, &body); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range body.Fields {
		all = append(all, f.Pointer)
		if f.Detail == "" || strings.HasPrefix(f.Detail, "field.") {
			t.Errorf("%s has no sentence: %q", f.Pointer, f.Detail)
		}
	}
	return strings.Join(all, " ")
}

func TestTheLogHasNoSecret(t *testing.T) {
	var log lockedBuffer
	app := bootTo(t, &log)
	c := program(t, app)
	c.password("alice@sandbox")
	c.send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"wrong-but-secret"}}`).refused(409, "sign-in.refused")
	c.send("GET", "/session?token=in-the-query", nil).want(http.StatusOK)
	token := strings.TrimPrefix(c.header.Get("Authorization"), "Bearer ")
	c.send("DELETE", "/session", nil).want(http.StatusNoContent)
	for _, secret := range []string{token, "Sandbox-1!", "wrong-but-secret", "in-the-query"} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("%q is in the log:\n%s", secret, log.String())
		}
	}
	if !strings.Contains(log.String(), "key=sign-in.refused") || !strings.Contains(log.String(), "person=alice@sandbox") {
		t.Errorf("the log does not tell what happened:\n%s", log.String())
	}
}

// What HTTP clients say of their own accord that they accept changes nothing for
// programs: their calls are answered in JSON.
func TestProgramsAreAnsweredInJSONWhateverTheyAccept(t *testing.T) {
	c := program(t, boot(t))
	for _, accept := range []string{"text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", "application/json,text/html", "text/html;q=0"} {
		c.send("GET", "/session", nil, "Accept", accept).refused(http.StatusUnauthorized, "session.required")
		c.send("POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`, "Accept", accept).refused(http.StatusUnauthorized, "session.required")
	}
	if r := c.send("GET", "/nothing", nil, "Accept", "text/html").want(http.StatusNotFound); !has(r.body, "<!doctype html>") {
		t.Errorf("a person who opens an address that is none is answered %s", r.body)
	}
	if r := c.send("GET", "/account?notice=session-ended&tab=1", nil).want(http.StatusSeeOther); r.header.Get("Location") != "/login?next=%2Faccount%3Ftab%3D1" {
		t.Errorf("what was told once is told again at %q", r.header.Get("Location"))
	}
	if r := c.send("GET", "/account", nil).want(http.StatusSeeOther); r.header.Get("Location") != "/login?next=%2Faccount" {
		t.Errorf("a page of one's own leads to %q", r.header.Get("Location"))
	}
}

func TestOptionsOfTheWholeServer(t *testing.T) {
	app := boot(t)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, app.public.url(), nil)
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

func TestTheAdminAddressIsNoOnesPage(t *testing.T) {
	app := boot(t)
	for host, status := range map[string]int{"": 200, "localhost:9090": 200, "127.0.0.1": 200, "[::1]:9090": 200, "evil.example": 421} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.AdminURL()+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = host
		(&client{t: t, http: http.DefaultClient}).do(request).want(status)
	}
}
