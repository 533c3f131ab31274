package compose_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/pdf"
)

// page is the form in a browser without scripts: its address and the values of its
// inputs.
type page struct {
	t      *testing.T
	client *e2etest.Client
	path   string
	body   string
	values url.Values
	files  []upload
}

type upload struct{ name, content string }

// open opens the page at path.
func open(t *testing.T, c *e2etest.Client, path string) *page {
	t.Helper()
	p := &page{t: t, client: c}
	p.take(c.Page(path).Want(http.StatusOK))
	return p
}

// take parses the answered page.
func (p *page) take(r e2etest.Reply) {
	p.t.Helper()
	p.body, p.values, p.files = e2etest.WithoutIsolation(r.Body), url.Values{}, nil
	root, err := html.Parse(bytes.NewReader(r.Body))
	if err != nil {
		p.t.Fatal(err)
	}
	p.read(root, false)
}

// read collects the values that the form would send.
func (p *page) read(n *html.Node, inside bool) {
	attributes := map[string]string{}
	for _, a := range n.Attr {
		attributes[a.Key] = a.Val
	}
	if n.Data == "form" && attributes["id"] == "compose" {
		inside, p.path = true, attributes["action"]
	}
	if _, checked := attributes["checked"]; inside && n.Data == "input" && attributes["type"] != "file" && (attributes["type"] != "checkbox" && attributes["type"] != "radio" || checked) {
		p.values.Set(attributes["name"], attributes["value"])
	}
	if inside && n.Data == "textarea" {
		text := ""
		if n.FirstChild != nil {
			text = n.FirstChild.Data
		}
		p.values.Set(attributes["name"], text)
	}
	if inside && n.Data == "select" {
		p.values.Set(attributes["name"], chosen(n))
	}
	for child := range n.ChildNodes() {
		p.read(child, inside)
	}
}

// chosen returns the value of a list's selected option, else of its first.
func chosen(list *html.Node) string {
	value, first := "", true
	for option := range list.ChildNodes() {
		if option.Data != "option" {
			continue
		}
		for _, a := range option.Attr {
			if a.Key == "value" && first {
				value, first = a.Val, false
			}
		}
		if slices.ContainsFunc(option.Attr, func(a html.Attribute) bool { return a.Key == "selected" }) {
			return option.Attr[0].Val
		}
	}
	return value
}

// set types values into inputs, as name, value pairs; "" unticks a check box.
func (p *page) set(pairs ...string) *page {
	for i := 0; i < len(pairs); i += 2 {
		p.values.Set(pairs[i], pairs[i+1])
	}
	return p
}

// choose chooses a further file.
func (p *page) choose(name, content string) *page {
	p.files = append(p.files, upload{name, content})
	return p
}

// form returns the body that the browser sends.
func (p *page) form(button string) (contentType, body string) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for name, values := range p.values {
		if values[0] != "" || !strings.Contains(name, ".by_") && !strings.Contains(name, ".reassign") {
			_ = w.WriteField(name, values[0]) // it goes to memory
		}
	}
	_ = w.WriteField("do", button)
	for _, file := range p.files {
		part, _ := w.CreateFormFile("files", file.name)
		_, _ = part.Write([]byte(file.content))
	}
	if len(p.files) == 0 {
		_, _ = w.CreateFormFile("files", "")
	}
	w.Close()
	return w.FormDataContentType(), out.String()
}

// press presses a button without following the redirect.
func (p *page) press(button string) e2etest.Reply {
	p.t.Helper()
	contentType, body := p.form(button)
	return p.client.Send("POST", p.path, body, "Content-Type", contentType, "Accept", "text/html")
}

// follow presses a button and opens the page that it leads to.
func (p *page) follow(button string) *page {
	p.t.Helper()
	r := p.press(button)
	if r.Status == http.StatusOK && p.path == "/packages/new" { // without a draft
		p.take(r)
		return p
	}
	to := r.Want(http.StatusSeeOther).Header.Get("Location")
	path, _, _ := strings.Cut(to, "#")
	p.take(p.client.Page(path).Want(http.StatusOK))
	return p
}

// has stops the test unless the page contains each of texts.
func (p *page) has(texts ...string) *page {
	p.t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.body, text) {
			p.t.Fatalf("the page does not say %q: %s", text, p.body)
		}
	}
	return p
}

// id returns the draft's id.
func (p *page) id() string {
	p.t.Helper()
	id, ok := strings.CutPrefix(p.path, "/packages/new/")
	if !ok {
		p.t.Fatalf("the page is at %s", p.path)
	}
	plain, err := url.PathUnescape(id)
	if err != nil {
		p.t.Fatal(err)
	}
	return plain
}

// document returns a PDF of one page with the text.
func document(text string) string { return string(pdf.Text(text)) }

// lines returns a PDF of one page with lines.
func lines(lines ...string) string { return string(pdf.Text(lines...)) }

var firstIsAlice = []string{"r1.first_name", "Alice", "r1.last_name", "Archer", "r1.email", "alice@sandbox.example"}
