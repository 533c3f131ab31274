package conformance

import (
	"bytes"
	"context"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"countersign/internal/signing/platform"
)

const packages = "/api/packages"

// members is a JSON object.
type members = map[string]any

func (c signingContract) send(t *T, method, path string, body any) reply {
	return c.do(t, c.request(t, method, c.rewrite(method, path), body))
}

// sendAs posts in a signer's session, whose path cannot be replaced.
func (c signingContract) sendAs(t *T, session, path string, body any) reply {
	r := c.request(t, http.MethodPost, path, body)
	r.Header.Set("Cookie", "ESIGNLIVE_SESSION_ID="+session)
	return c.do(t, r)
}

func (c signingContract) request(t *T, method, path string, body any) *http.Request {
	return request(t, method, c.URL+path, "application/json; esl-api-version=11.68.0", body)
}

// rewrite returns the operation's path according to the platform's settings.
func (c signingContract) rewrite(method, path string) string {
	return rewritePath(method, path, platform.Paths(), c.Paths)
}

func (c signingContract) do(t *T, r *http.Request) reply {
	r.Header.Set("Accept", "application/json; esl-api-version=11.68.0")
	return exchange(t, c.http, c.authorize(t, r, ""))
}

// authorize returns r with the credential.
func (c signingContract) authorize(t *T, r *http.Request, given string) *http.Request {
	value, err := c.Authorize(r.Context(), given)
	if err != nil {
		t.Fatal(err)
	}
	if value != "" {
		r.Header.Set("Authorization", value)
	}
	return r
}

// showing returns c with another credential, "" for none.
func (c signingContract) showing(credential string) signingContract {
	c.Authorize = func(context.Context, string) (string, error) { return credential, nil }
	return c
}

// get returns the object at a path.
func (c signingContract) get(t *T, path string) members {
	return c.send(t, http.MethodGet, path, nil).json(t)
}

// create makes a package, and deletes it after the case; it returns its path.
func (c signingContract) create(t *T, payload members) string {
	return c.made(t, c.send(t, http.MethodPost, packages, payload))
}

func (c signingContract) made(t *T, a reply) string {
	path := packages + "/" + id(a.json(t))
	t.Cleanup(func() {
		r, err := http.NewRequest(http.MethodDelete, c.URL+c.rewrite(http.MethodDelete, path), http.NoBody) //nolint:noctx // The test's context has ended.
		if err == nil {
			c.do(t, r)
		}
	})
	return path
}

// idOf returns the id of the package at a path.
func idOf(path string) string { return strings.TrimPrefix(path, packages+"/") }

// token returns a token, which counts once, of the signer of the package at a path.
func (c signingContract) token(t *T, path string) string {
	made := c.send(t, http.MethodPost, "/api/authenticationTokens/signer/singleUse", members{"packageId": idOf(path), "signerId": "signer1"})
	token, _ := made.json(t)["value"].(string)
	return token
}

// session spends a token for a session of its signer.
func (c signingContract) session(t *T, token string) string {
	session, _ := c.get(t, "/auth?signerAuthenticationToken="+url.QueryEscape(token))["sessionToken"].(string)
	return session
}

// upload makes a package of a document from parts in this order.
func (c signingContract) upload(t *T, order []string, payload members) string {
	text, err := json.Marshal(payload)
	if err != nil {
		t.Fatal(err)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, name := range order {
		var part io.Writer
		content := text
		if name == "file" {
			content = []byte(pagePDF)
			part, err = w.CreateFormFile(name, "contract.pdf")
		} else {
			part, err = w.CreateFormField(name)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.URL+c.rewrite(http.MethodPost, packages), &body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", w.FormDataContentType())
	return c.made(t, c.do(t, r))
}

func (r reply) wantEmpty(t *T) {
	if r.status != http.StatusOK || len(r.body) > 0 {
		t.Errorf("%s: %d %s, want an empty 200", r.call, r.status, r.body)
	}
}

// wantError checks the members of an error that the SDKs read (docs/platform.md S12).
func (r reply) wantError(t *T, status int) {
	body := r.json(t)
	if r.status != status || body["code"] != float64(status) {
		t.Errorf("%s: %d %s, want %d", r.call, r.status, r.body, status)
	}
	for _, name := range []string{"messageKey", "message", "name"} {
		if text, _ := body[name].(string); text == "" {
			t.Errorf("%s: no %s in %s", r.call, name, r.body)
		}
	}
}

func want(t *T, object members, name string, value any) {
	if object[name] != value {
		t.Errorf("%s is %v, want %v", name, object[name], value)
	}
}

func id(object members) string {
	text, _ := object["id"].(string)
	return text
}

// at returns the object at the end of the steps, or nil.
func at(object members, steps ...string) members {
	var value any = object
	for _, step := range steps {
		switch v := value.(type) {
		case members:
			value = v[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i < len(v) {
				value = v[i]
			} else {
				value = nil
			}
		}
	}
	found, _ := value.(members)
	return found
}
