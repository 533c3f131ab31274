package signing_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/pdf"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/pdf/pdftest"
	"countersign/internal/sandbox/sandboxtest"
)

func TestMain(m *testing.M) {
	pdftest.Serve()
	os.Exit(m.Run())
}

type object = map[string]any

// client talks to a running sandbox.
type client struct {
	t       *testing.T
	url     string
	key     string // the API key; "" sends none
	session string // a signer's; may be ""

	language string // the browser's; may be ""
}

func start(t *testing.T) client {
	t.Helper()
	return startWithKey(t, "")
}

func startWithKey(t *testing.T, key string) client {
	t.Helper()
	url := sandboxtest.Start(t, sandbox.Options{RPID: "localhost", RPOrigins: []string{"http://localhost"}, Now: time.Now, APIKey: key, PDF: pdf.NewWorkers(pdftest.Options())})
	return client{t: t, url: url, key: key}
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
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if contentType != "" {
		r.Header.Set("Content-Type", contentType)
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Basic "+c.key)
	}
	if c.session != "" {
		r.AddCookie(&http.Cookie{Name: "ESIGNLIVE_SESSION_ID", Value: c.session})
	}
	if c.language != "" {
		r.Header.Set("Accept-Language", c.language)
	}
	return c.do(r)
}

func (c client) do(r *http.Request) answer {
	c.t.Helper()
	response, text := sandboxtest.Send(c.t, r)
	return answer{c.t, r.Method + " " + r.URL.Path, response.StatusCode, response.Header, text}
}

// call sends body: nothing for nil, a string unchanged, anything else as JSON.
func (c client) call(method, path string, body any) answer {
	c.t.Helper()
	contentType, content := sandboxtest.Body(c.t, body)
	if _, raw := body.(string); contentType != "" && !raw {
		contentType += "; esl-api-version=11.68.0"
	}
	return c.send(method, path, contentType, content)
}

func (c client) get(path string) answer         { c.t.Helper(); return c.call("GET", path, nil) }
func (c client) post(path string, b any) answer { c.t.Helper(); return c.call("POST", path, b) }
func (c client) put(path string, b any) answer  { c.t.Helper(); return c.call("PUT", path, b) }
func (c client) delete(path string) answer      { c.t.Helper(); return c.call("DELETE", path, nil) }
func (c client) manage(method, path string, b any) answer {
	c.t.Helper()
	a := c.call(method, "/_manage/"+path, b)
	if a.status != http.StatusOK && a.status != http.StatusNoContent {
		c.t.Fatalf("%s: %d %s", a.call, a.status, a.text)
	}
	return a
}

// upload sends a payload, and files, in parts: each "payload" or "file".
func (c client) upload(method, path string, payload any, order string, files ...string) answer {
	c.t.Helper()
	text, err := json.Marshal(payload)
	if err != nil {
		c.t.Fatal(err)
	}
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name := range strings.FieldsSeq(order) {
		content := text
		if name == "file" {
			content, files = []byte(files[0]), files[1:]
		}
		part, err := w.CreateFormFile(name, name)
		if err != nil {
			c.t.Fatal(err)
		}
		if _, err := part.Write(content); err != nil {
			c.t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		c.t.Fatal(err)
	}
	return c.send(method, path, w.FormDataContentType(), &body)
}

// packaged creates a package with a file and returns its path.
func (c client) packaged(payload object, file string) string {
	c.t.Helper()
	return "/api/packages/" + c.upload("POST", "/api/packages", payload, "payload file", file).ok()["id"].(string)
}

// signingPage returns the path of the page on which a package is signed.
func signingPage(path string) string {
	return "/transaction/" + strings.TrimPrefix(path, "/api/packages/") + "/sign"
}

// press sends a form of the signing page.
func (c client) press(page, form string) answer {
	c.t.Helper()
	return c.send("POST", page, "application/x-www-form-urlencoded", strings.NewReader(form))
}

// ok checks that the answer is a 200, and returns its JSON.
func (a answer) ok() object {
	a.t.Helper()
	if a.status != http.StatusOK {
		a.t.Fatalf("%s: %d %s", a.call, a.status, a.text)
	}
	if a.text == "" {
		return nil
	}
	var body object
	if err := json.Unmarshal([]byte(a.text), &body); err != nil {
		a.t.Fatalf("%s: %v in %s", a.call, err, a.text)
	}
	return body
}

// getList returns an answered array.
func (c client) getList(path string) (list []any) {
	c.t.Helper()
	if err := json.Unmarshal([]byte(c.get(path).text), &list); err != nil {
		c.t.Fatal(err)
	}
	return list
}

// empty checks that the answer is a 200 without a body.
func (a answer) empty() {
	a.t.Helper()
	if a.status != http.StatusOK || a.text != "" {
		a.t.Fatalf("%s: %d %q", a.call, a.status, a.text)
	}
}

// refused checks that the answer is an error in the platform's form.
func (a answer) refused(status int, key string) {
	a.t.Helper()
	var body object
	err := json.Unmarshal([]byte(a.text), &body)
	if err != nil || a.status != status || body["code"] != float64(status) || body["messageKey"] != key {
		a.t.Errorf("%s: %d %s, want %d %s", a.call, a.status, a.text, status, key)
		return
	}
	if body["message"] == "" || body["name"] == "" || body["message"] == nil || body["name"] == nil {
		a.t.Errorf("%s: no message or name in %s", a.call, a.text)
	}
}

// create creates a package from JSON and returns its path.
func (c client) create(payload object) string {
	c.t.Helper()
	return "/api/packages/" + c.post("/api/packages", payload).ok()["id"].(string)
}

var (
	at   = sandboxtest.At
	same = sandboxtest.Same
)

const blankPDF = "%PDF-1.4\n%%EOF\n"

func signerRole(id, email string) object {
	return object{"id": id, "type": "SIGNER", "signers": []object{{"email": email, "firstName": "Ada", "lastName": "Lovelace"}}}
}

// uploadForm sends the fields of a form, and a file.
func (c client) uploadForm(path string, fields object, control, name, content string) answer {
	c.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range fields {
		if err := w.WriteField(name, value.(string)); err != nil {
			c.t.Fatal(err)
		}
	}
	part, err := w.CreateFormFile(control, name)
	if err == nil {
		_, err = part.Write([]byte(content))
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		c.t.Fatal(err)
	}
	return c.send("POST", path, w.FormDataContentType(), &body)
}
