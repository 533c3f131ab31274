package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/config"
	"countersign/internal/identity"
	"countersign/web/openapitest"
)

// boot starts the very program that ships, on ports of its own, with further
// settings as NAME=value.
func boot(t testing.TB, settings ...string) *App {
	t.Helper()
	return bootTo(t, io.Discard, settings...)
}

func bootTo(t testing.TB, log io.Writer, settings ...string) *App {
	t.Helper()
	return start(t, unopened(t, log, settings...))
}

// unopened is the program, ready to be opened.
func unopened(t testing.TB, log io.Writer, settings ...string) *App {
	t.Helper()
	environ := []string{
		"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0",
		"COUNTERSIGN_RATE_SIGN_IN=off", "COUNTERSIGN_RATE_SIGN_IN_ADDRESS=off",
		"COUNTERSIGN_RATE_CEREMONY=off", "COUNTERSIGN_RATE_CEREMONY_ADDRESS=off",
	}
	for _, s := range settings {
		environ = append(environ, "COUNTERSIGN_"+s)
	}
	cfg, err := config.Load(environ, os.ReadFile, identity.PathSettings()...)
	if err != nil {
		t.Fatal(err)
	}
	return New(cfg, slog.New(slog.NewTextHandler(log, nil)))
}

// start opens app, and closes it when the test is over.
func start(t testing.TB, app *App) *App {
	t.Helper()
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), drain)
		defer cancel()
		if err := app.Close(ctx); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return app
}

// client is somebody who talks to Countersign: a browser with cookies, which
// says where its requests come from, or a program with a token.
type client struct {
	t      testing.TB
	app    *App
	http   *http.Client
	header http.Header
}

func browser(t testing.TB, app *App) *client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &client{t, app, checked(t, app, &http.Client{Jar: jar, CheckRedirect: stay}), http.Header{
		"Origin": {app.URL()}, "Sec-Fetch-Site": {"same-origin"},
	}}
}

func program(t testing.TB, app *App) *client {
	t.Helper()
	return &client{t, app, checked(t, app, &http.Client{CheckRedirect: stay}), http.Header{"Countersign-Session": {"bearer"}}}
}

// contracts are the OpenAPI documents of the programs under test, by origin.
var contracts sync.Map

// checked is base with every answer held to the program's own OpenAPI document.
func checked(t testing.TB, app *App, base *http.Client) *http.Client {
	t.Helper()
	known, ok := contracts.Load(app)
	if !ok {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, app.public.url()+"/openapi.json", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = app.config.PublicOrigin.Host()
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		document, err := io.ReadAll(response.Body)
		if err != nil {
			t.Fatal(err)
		}
		if known, err = openapitest.New(document); err != nil {
			t.Fatal(err)
		}
		contracts.Store(app, known)
		t.Cleanup(func() { contracts.Delete(app) })
	}
	return known.(*openapitest.Checker).Client(base, t.Errorf)
}

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// reply is an answer, read to its end.
type reply struct {
	t      testing.TB
	what   string
	status int
	header http.Header
	body   []byte
}

// send sends body as JSON, or none if it is nil; further headers are name,
// value, name, value …, an empty value taking the header away.
func (c *client) send(method, path string, body any, headers ...string) reply {
	c.t.Helper()
	var data []byte
	switch b := body.(type) {
	case nil:
	case string:
		data = []byte(b)
	default:
		var err error
		if data, err = json.Marshal(b); err != nil {
			c.t.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(c.t.Context(), method, c.app.URL()+path, bytes.NewReader(data))
	if err != nil {
		c.t.Fatal(err)
	}
	maps.Copy(request.Header, c.header)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if request.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			request.Header.Del(headers[i])
		}
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	return c.do(request)
}

func (c *client) do(request *http.Request) reply {
	c.t.Helper()
	response, err := c.http.Do(request)
	if err != nil {
		c.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return reply{c.t, request.Method + " " + request.URL.Path, response.StatusCode, response.Header, data}
}

// want stops the test unless the answer has this status.
func (r reply) want(status int) reply {
	r.t.Helper()
	if r.status != status {
		r.t.Fatalf("%s: status %d, want %d: %s", r.what, r.status, status, r.body)
	}
	return r
}

// refused stops the test unless the answer is a problem of this status and key.
func (r reply) refused(status int, key string) reply {
	r.t.Helper()
	r.want(status)
	if got := r.text("key"); got != key {
		r.t.Fatalf("%s: key %q, want %q: %s", r.what, got, key, r.body)
	}
	return r
}

// member is a member of the answer's JSON object.
func (r reply) member(name string) any {
	r.t.Helper()
	var all map[string]any
	if err := json.Unmarshal(r.body, &all); err != nil {
		r.t.Fatalf("%s: %v: %s", r.what, err, r.body)
	}
	return all[name]
}

func (r reply) text(name string) string {
	r.t.Helper()
	s, _ := r.member(name).(string)
	return s
}

// password signs in with the demo password.
func (c *client) password(user string) reply {
	c.t.Helper()
	r := c.send("POST", "/users/"+user+"/login", map[string]any{"credentials": map[string]any{"passKey": "Sandbox-1!"}}).want(http.StatusOK)
	c.carry(r)
	return r
}

// signedIn is the client after signing in.
func (c *client) signedIn(user string) *client {
	c.t.Helper()
	c.password(user)
	return c
}

// carry takes over the token of an answer, if it has one.
func (c *client) carry(r reply) {
	c.t.Helper()
	if token := r.text("sessionToken"); token != "" {
		c.header = c.header.Clone()
		c.header.Set("Authorization", "Bearer "+token)
	}
}

// requestRegistration asks for creation options.
func (c *client) requestRegistration() reply {
	c.t.Helper()
	return c.send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "FIDO2"})
}

// finishRegistration sends what the authenticator made.
func (c *client) finishRegistration(response string) reply {
	c.t.Helper()
	return c.send("POST", "/users/me/register-fido-device", map[string]any{"fidoProtocol": "FIDO2", "registrationResponse": response})
}

// register carries a registration through.
func (c *client) register(a *authenticator.FIDO2) {
	c.t.Helper()
	c.finishRegistration(c.create(a, c.requestRegistration().want(http.StatusOK))).want(http.StatusOK)
}

// create has the authenticator answer the creation options.
func (c *client) create(a *authenticator.FIDO2, r reply) string {
	c.t.Helper()
	response, err := a.Create(r.text("registrationRequest"))
	if err != nil {
		c.t.Fatal(err)
	}
	return response
}

// requestSignIn asks for request options.
func (c *client) requestSignIn(user string) reply {
	c.t.Helper()
	r := c.send("POST", "/users/"+user+"/generate-fido-authentication-request", map[string]any{"fidoProtocol": "FIDO2"}).want(http.StatusOK)
	c.carry(r)
	return r
}

// get has the authenticator answer the request options.
func (c *client) get(a *authenticator.FIDO2, r reply) string {
	c.t.Helper()
	response, err := a.Get(r.text("authenticationRequest"))
	if err != nil {
		c.t.Fatal(err)
	}
	return response
}

// finishSignIn sends what the authenticator signed.
func (c *client) finishSignIn(user, response string) reply {
	c.t.Helper()
	r := c.send("POST", "/users/"+user+"/login", map[string]any{
		"credentials": map[string]any{"fidoAuthenticator": map[string]any{"authenticationResponse": response}},
	})
	if r.status == http.StatusOK {
		c.carry(r)
	}
	return r
}

// passkey signs in with an authenticator.
func (c *client) passkey(user string, a *authenticator.FIDO2) reply {
	c.t.Helper()
	return c.finishSignIn(user, c.get(a, c.requestSignIn(user))).want(http.StatusOK)
}

// newPasskey is an authenticator as a browser on Countersign's page would use it.
func newPasskey(app *App) *authenticator.FIDO2 {
	return authenticator.NewFIDO2(authenticator.Options{Origin: app.URL(), UserVerifying: true, Discoverable: true})
}

// manage steers the sandbox.
func manage(t testing.TB, app *App, method, path string, body any) reply {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, app.SandboxURL()+"/_manage"+path, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	r := (&client{t: t, http: http.DefaultClient}).do(request)
	if r.status >= 300 {
		t.Fatalf("manage %s %s: %d %s", method, path, r.status, r.body)
	}
	return r
}

// journal is which operations the sandbox was asked for since it was emptied.
func journal(t testing.TB, app *App) []string {
	t.Helper()
	var body struct {
		Entries []struct{ Operation string } `json:"entries"`
	}
	if err := json.Unmarshal(manage(t, app, "GET", "/journal", nil).body, &body); err != nil {
		t.Fatal(err)
	}
	var operations []string
	for _, e := range body.Entries {
		operations = append(operations, e.Operation)
	}
	return operations
}

// untouched runs do, and fails the test if the sandbox was asked for any of
// operations meanwhile.
func untouched(t testing.TB, app *App, do func(), operations ...string) {
	t.Helper()
	manage(t, app, "DELETE", "/journal", nil)
	do()
	for _, operation := range journal(t, app) {
		if slices.Contains(operations, operation) {
			t.Errorf("the sandbox was asked for %s", operation)
		}
	}
}

// eventually waits until ok, for as long as a slow machine may need.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline, tick := time.After(10*time.Second), time.NewTicker(20*time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: not within ten seconds", what)
		case <-tick.C:
		}
	}
}

func has(haystack []byte, needle string) bool { return strings.Contains(string(haystack), needle) }
