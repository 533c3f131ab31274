package idv_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/sandbox"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/sandboxtest"
)

type object = map[string]any

// client talks to a running sandbox.
type client struct {
	t             *testing.T
	url           string
	token, tenant string // "" sends none
}

// start starts a sandbox whose clock only the test moves.
func start(t *testing.T) client {
	t.Helper()
	begin := time.Now().UTC().Truncate(time.Second)
	url := sandboxtest.Start(t, sandbox.Options{RPID: "localhost", RPOrigins: []string{"http://localhost"}, Now: func() time.Time { return begin }})
	return client{t: t, url: url, token: idv.Token, tenant: idv.Tenant}
}

// answer is an answer of the platform.
type answer struct {
	t      *testing.T
	call   string
	status int
	header http.Header
	text   string
}

func (c client) send(method, path, contentType string, body io.Reader) answer {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+strings.TrimPrefix(path, c.url), body)
	if err != nil {
		c.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
	if c.tenant != "" {
		r.Header.Set("X-Tenant", c.tenant)
	}
	response, text := sandboxtest.Send(c.t, r)
	return answer{c.t, method + " " + path, response.StatusCode, response.Header, text}
}

// call sends body: nothing for nil, a string unchanged, anything else as JSON.
func (c client) call(method, path string, body any) answer {
	c.t.Helper()
	contentType, content := sandboxtest.Body(c.t, body)
	return c.send(method, path, contentType, content)
}

func (c client) get(path string) answer         { c.t.Helper(); return c.call("GET", path, nil) }
func (c client) post(path string, b any) answer { c.t.Helper(); return c.call("POST", path, b) }
func (c client) put(path string, b any) answer  { c.t.Helper(); return c.call("PUT", path, b) }

func (c client) manage(method, path string, b any) answer {
	c.t.Helper()
	a := c.call(method, "/_manage/"+path, b)
	if a.status != http.StatusOK && a.status != http.StatusNoContent {
		c.t.Fatalf("%s: %d %s", a.call, a.status, a.text)
	}
	return a
}

func (c client) advance(by string) {
	c.t.Helper()
	c.manage("POST", "clock", object{"advance": by})
}

// ok checks that the answer is a 200, and returns its JSON.
func (a answer) ok() object {
	a.t.Helper()
	return a.json(http.StatusOK)
}

func (a answer) json(status int) object {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: %d %s, want %d", a.call, a.status, a.text, status)
	}
	var body object
	if err := json.Unmarshal([]byte(a.text), &body); err != nil {
		a.t.Fatalf("%s: %v in %s", a.call, err, a.text)
	}
	return body
}

// refused checks that the answer is an error of that status, which names these fields.
func (a answer) refused(status int, fields ...string) {
	a.t.Helper()
	body := a.json(status)
	violations, _ := body["validationErrors"].([]any)
	var got []string
	for _, v := range violations {
		got = append(got, fmt.Sprint(v.(object)["field"]))
	}
	if strings.Join(got, " ") != strings.Join(fields, " ") || body["message"] == "" {
		a.t.Errorf("%s: %s names %q, want %q", a.call, a.text, got, fields)
	}
}

// payload returns a transaction's payload with changed members.
func payload(change object) object {
	p := object{
		"workflow_id": idv.Workflows()[0], "brand_id": idv.Brands()[1], "language": "en",
		"users":  []object{{"first_name": "Alice", "last_name": "Sample", "dob": "1990-01-31T00:00:00.000Z", "emails": []string{"alice@sandbox.example"}}},
		"tokens": []object{{"role": "customer"}},
	}
	maps.Copy(p, change)
	return p
}

// create starts a transaction and returns its path and the address of its page.
func (c client) create(change object) (path, page string) {
	c.t.Helper()
	made := c.put("/api/transaction/", payload(change)).ok()
	return "/api/transactions/" + made["id"].(string), at(c.t, made, "tokens.0.accessUrl").(string)
}

// data returns the path at which a transaction's caller reads what is kept at address.
func data(path, address string) string { return path + "/data?url=" + url.QueryEscape(address) }

var (
	at   = sandboxtest.At
	same = sandboxtest.Same
)
