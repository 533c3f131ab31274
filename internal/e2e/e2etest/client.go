package e2etest

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// Client is somebody who talks to Countersign: a browser with cookies, which
// says where its requests come from, or a program with a token.
type Client struct {
	T      testing.TB
	App    *App
	HTTP   *http.Client
	Header http.Header
}

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

func Program(t testing.TB, app *App) *Client {
	t.Helper()
	return &Client{t, app, checked(t, app, &http.Client{CheckRedirect: Stay}), http.Header{"Countersign-Session": {"bearer"}}}
}

func Stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// Send sends body as JSON, or none if it is nil; further headers are name,
// value, name, value …, an empty value taking the header away.
func (c *Client) Send(method, path string, body any, headers ...string) Reply {
	c.T.Helper()
	var data []byte
	switch b := body.(type) {
	case nil:
	case string:
		data = []byte(b)
	default:
		var err error
		if data, err = json.Marshal(b); err != nil {
			c.T.Fatal(err)
		}
	}
	request, err := http.NewRequestWithContext(c.T.Context(), method, c.App.URL()+path, bytes.NewReader(data))
	if err != nil {
		c.T.Fatal(err)
	}
	maps.Copy(request.Header, c.Header)
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
	return c.Do(request)
}

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

// Password signs in with the demo password.
func (c *Client) Password(user string) Reply {
	c.T.Helper()
	r := c.Send("POST", "/users/"+user+"/login", map[string]any{"credentials": map[string]any{"passKey": "Sandbox-1!"}}).Want(http.StatusOK)
	c.Carry(r)
	return r
}

// SignedIn is the client after signing in.
func (c *Client) SignedIn(user string) *Client {
	c.T.Helper()
	c.Password(user)
	return c
}

// Carry takes over the token of an answer, if it has one.
func (c *Client) Carry(r Reply) {
	c.T.Helper()
	if token := r.Text("sessionToken"); token != "" {
		c.Header = c.Header.Clone()
		c.Header.Set("Authorization", "Bearer "+token)
	}
}

func (c *Client) Authenticators() []map[string]any {
	c.T.Helper()
	var body struct{ Authenticators []map[string]any }
	if err := json.Unmarshal(c.Send("GET", "/users/me/authenticators", nil).Want(http.StatusOK).Body, &body); err != nil {
		c.T.Fatal(err)
	}
	return body.Authenticators
}

func WrongPassword(c *Client, user string) Reply {
	c.T.Helper()
	return c.Send("POST", "/users/"+user+"/login", `{"credentials":{"passKey":"not it"}}`)
}

func Push(c *Client, user string) Reply {
	c.T.Helper()
	r := c.Send("POST", "/users/"+user+"/login", `{"orchestrationDelivery":["pushNotification"]}`).Want(http.StatusAccepted)
	c.Carry(r)
	return r
}

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

// Page is a page as a browser asks for it.
func (c *Client) Page(path string) Reply {
	c.T.Helper()
	return c.Send("GET", path, nil, "Accept", "text/html")
}

// Post sends a form of a page, as a browser without scripts does.
func (c *Client) Post(path string, fields ...string) Reply {
	c.T.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return c.Send("POST", path, form.Encode(), "Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html")
}

// OverLoopback sends to the listener what names the public origin: how it looks
// behind a proxy that ends TLS.
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

// Plain is a client that nothing is known of: for addresses other than the
// program's public one.
func Plain(t testing.TB) *Client { return &Client{T: t, HTTP: http.DefaultClient} }
