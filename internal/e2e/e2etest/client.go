package e2etest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// Client sends requests to Countersign: as a browser, with cookies and the headers that
// tell a request's origin, or as a program with a token.
type Client struct {
	T      testing.TB
	App    *App
	HTTP   *http.Client
	Header http.Header // of every request
}

// Browser returns a browser without any cookie.
func Browser(t testing.TB, app *App) *Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Client{t, app, checked(t, app, &http.Client{Jar: jar, CheckRedirect: Stay}), http.Header{
		"Origin": {app.URL()}, "Sec-Fetch-Site": {"same-origin"},
	}}
}

// Program returns a program without a token.
func Program(t testing.TB, app *App) *Client {
	t.Helper()
	return &Client{t, app, checked(t, app, &http.Client{CheckRedirect: Stay}), http.Header{"Countersign-Session": {"bearer"}}}
}

// Stay makes a client return redirects instead of following them.
func Stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Send sends body as JSON, or unchanged if it is a string; nil sends none. Headers are
// name, value, name, value …; an empty value removes the header.
func (c *Client) Send(method, path string, body any, headers ...string) Reply {
	c.T.Helper()
	request := newRequest(c.T, method, c.App.URL()+path, body)
	kind := request.Header.Get("Content-Type")
	if maps.Copy(request.Header, c.Header); kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if request.Header.Set(headers[i], headers[i+1]); headers[i+1] == "" {
			request.Header.Del(headers[i])
		}
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	return c.Do(request)
}

// newRequest returns a request of body as JSON, or unchanged if it is a string; nil is none.
func newRequest(t testing.TB, method, address string, body any) *http.Request {
	t.Helper()
	data, isText := body.(string)
	if body != nil && !isText {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		data = string(encoded)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// AtPlatform sends a request to the sandbox itself, past Countersign, which must succeed.
func AtPlatform(t testing.TB, app *App, method, path string, body any) Reply {
	t.Helper()
	r := Plain(t).Do(newRequest(t, method, app.SandboxURL()+path, body))
	if r.Status >= 300 {
		t.Fatalf("%s %s at the platform: %d %s", method, path, r.Status, r.Body)
	}
	return r
}

// Do sends request and reads the answer to its end.
func (c *Client) Do(request *http.Request) Reply {
	c.T.Helper()
	response, err := c.HTTP.Do(request)
	if err != nil {
		c.T.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		c.T.Fatal(err)
	}
	return Reply{c.T, request.Method + " " + request.URL.Path, response.StatusCode, response.Header, data}
}

// Stream sends a GET whose answer, a success, is still to be read: Send reads it to its end.
func (c *Client) Stream(path string, headers ...string) *http.Response {
	c.T.Helper()
	r := newRequest(c.T, http.MethodGet, c.App.ListenURL()+path, nil)
	maps.Copy(r.Header, c.Header)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header[headers[i]] = []string{headers[i+1]}
	}
	r.Host = c.App.Host()
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		c.T.Fatal(err)
	}
	c.T.Cleanup(func() { response.Body.Close() })
	if response.StatusCode != http.StatusOK {
		c.T.Fatalf("%s is answered %d", path, response.StatusCode)
	}
	return response
}

// Password signs in with the demo password.
func (c *Client) Password(user string) Reply {
	c.T.Helper()
	r := c.Send("POST", "/users/"+user+"/login", map[string]any{"credentials": map[string]any{"passKey": "Sandbox-1!"}}).Want(http.StatusOK)
	c.Carry(r)
	return r
}

// SignedIn signs in with the demo password and returns the client.
func (c *Client) SignedIn(user string) *Client {
	c.T.Helper()
	c.Password(user)
	return c
}

// Carry uses the token of an answer from now on, if it has one.
func (c *Client) Carry(r Reply) {
	c.T.Helper()
	if token := r.Text("sessionToken"); token != "" {
		c.Header = c.Header.Clone()
		c.Header.Set("Authorization", "Bearer "+token)
	}
}

// Authenticators lists the authenticators of the signed-in person.
func (c *Client) Authenticators() []map[string]any {
	c.T.Helper()
	var body struct{ Authenticators []map[string]any }
	if err := json.Unmarshal(c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Body, &body); err != nil {
		c.T.Fatal(err)
	}
	return body.Authenticators
}

// Session is a session of the signed-in person.
type Session struct {
	ID             string
	Current, Bound bool
}

// Sessions lists the sessions of the signed-in person.
func (c *Client) Sessions() []Session {
	c.T.Helper()
	var body struct{ Sessions []Session }
	if err := json.Unmarshal(c.Send("GET", "/account/sessions", nil).Want(http.StatusOK).Body, &body); err != nil {
		c.T.Fatal(err)
	}
	return body.Sessions
}

// WrongPassword signs in with a wrong password.
func WrongPassword(c *Client, user string) Reply {
	c.T.Helper()
	return c.Send("POST", "/users/"+user+"/login", `{"credentials":{"passKey":"not it"}}`)
}

var addresses atomic.Uint32

// Elsewhere returns the client at an unused address.
func (c *Client) Elsewhere() *Client {
	n, other := addresses.Add(1), *c
	other.Header = c.Header.Clone()
	other.Header.Set("X-Forwarded-For", fmt.Sprintf("198.18.%d.%d", n>>8&255, n&255))
	return &other
}

// Push begins a sign-in by push, from an unused address, since each may have only one
// waiting; the client then carries its session.
func Push(c *Client, user string) Reply {
	c.T.Helper()
	r := c.Elsewhere().Send("POST", "/users/"+user+"/login", `{"orchestrationDelivery":["pushNotification"]}`).Want(http.StatusAccepted)
	c.Carry(r)
	return r
}

// Decided polls a push until it is no longer pending, or the poll fails. The platform is
// asked once a second.
func (c *Client) Decided(requestID string) (r Reply) {
	c.T.Helper()
	Eventually(c.T, "the push is decided", func() bool {
		r = c.Send("GET", "/sessions/"+requestID, nil)
		return r.Status != http.StatusOK || r.Text("sessionStatus") != "pending"
	})
	return r
}

// CookieOf returns the Cookie header of a browser.
func CookieOf(c *Client) string {
	request, err := http.NewRequestWithContext(c.T.Context(), http.MethodGet, c.App.URL(), nil)
	if err != nil {
		c.T.Fatal(err)
	}
	var all []string
	for _, cookie := range c.HTTP.Jar.Cookies(request.URL) {
		all = append(all, cookie.String())
	}
	return strings.Join(all, "; ")
}

// Page requests a page like a browser.
func (c *Client) Page(path string) Reply {
	c.T.Helper()
	return c.Send("GET", path, nil, "Accept", "text/html")
}

// ShownTo returns the value of the hidden input of every form that is shown to the client's
// person; "" when signed out. It is read from a page that asks nothing of the platform.
func (c *Client) ShownTo() string {
	c.T.Helper()
	_, after, _ := strings.Cut(string(c.Page("/nowhere").Body), `name="shown_to" value="`)
	value, _, _ := strings.Cut(after, `"`)
	return value
}

// Post sends a page's form like a browser without scripts, as it is shown to the client's
// person.
func (c *Client) Post(path string, fields ...string) Reply {
	c.T.Helper()
	form := url.Values{}
	if path != "/login" {
		form.Set("shown_to", c.ShownTo())
	}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return c.Send("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
}

// PostParts is Post of a form with a place for files.
func (c *Client) PostParts(path string, fields ...string) Reply {
	c.T.Helper()
	return c.SendParts(path, append([]string{"shown_to", c.ShownTo()}, fields...)...)
}

// SendParts sends the fields of a form with a place for files, and no others.
func (c *Client) SendParts(path string, fields ...string) Reply {
	c.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1]) // it goes to memory
	}
	_ = w.Close()
	return c.Send("POST", path, body.String(), "Content-Type", w.FormDataContentType(), "Accept", "text/html")
}

// OverLoopback sends a request for the public origin to the listener, without the
// client's headers, like a proxy that ends TLS.
func OverLoopback(c *Client, app *App, method, path string, headers ...string) Reply {
	c.T.Helper()
	request, err := http.NewRequestWithContext(c.T.Context(), method, app.ListenURL()+path, nil)
	if err != nil {
		c.T.Fatal(err)
	}
	request.Host = app.Host()
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	return c.Do(request)
}

// Plain returns a client for addresses other than the public one.
func Plain(t testing.TB) *Client {
	t.Helper()
	return &Client{T: t, HTTP: http.DefaultClient}
}
