package web

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/web/reference"
)

// got is an answer to a GET.
type got struct {
	status int
	header http.Header
	body   []byte
}

// get asks for a path of the site.
func (s site) get(t *testing.T, path string, header http.Header) got {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.origin+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	if header == nil {
		r.Header = http.Header{}
	}
	answer, err := s.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return got{answer.StatusCode, answer.Header, body}
}

// everything returns the texts of a page, the values of attribute id, and its links within it.
func everything(t *testing.T, page []byte) (text string, ids map[string]bool, links []string) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	ids = map[string]bool{}
	for n := range root.Descendants() {
		if n.Type == html.TextNode {
			all.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "id" {
				if ids[a.Val] {
					t.Errorf("two elements have the id %s", a.Val)
				}
				ids[a.Val] = true
			}
			if to, ok := strings.CutPrefix(a.Val, "#"); ok && a.Key == "href" {
				links = append(links, to)
			}
		}
	}
	return all.String(), ids, links
}

// The reference has every operation with a command, every error and every schema of the
// document, and its links lead somewhere, in every language.
func TestReference_ShowsDocument(t *testing.T) {
	site := newSite(t, known)
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	doc := parsed(t)
	for _, language := range bundle.Languages() {
		answer := site.get(t, reference.Path, http.Header{"Accept-Language": {language}})
		text, ids, links := everything(t, answer.body)
		for at, operation := range operationsOf(doc) {
			if _, path, _ := strings.Cut(at, " "); !strings.Contains(text, path) {
				t.Errorf("%s: %s is missing", language, at)
			}
			if id := operation.OperationID; !ids[id] && !strings.HasSuffix(id, "Alias") {
				t.Errorf("%s: %s is missing", language, id)
			}
		}
		words := bundle.For(language)
		for _, row := range fault.Rows() {
			if !ids["error."+string(row.Key)] || !strings.Contains(text, words.T(row.MessageID())) {
				t.Errorf("%s: %s is missing", language, row.Key)
			}
		}
		for name := range doc.Components.Schemas {
			if !ids["schema."+name] {
				t.Errorf("%s: %s is missing", language, name)
			}
		}
		for _, to := range links {
			if !ids[to] {
				t.Errorf("%s: #%s leads nowhere", language, to)
			}
		}
	}
}

// A browser keeps the page and asks whether it has changed. Its policy lets one file be a
// script, since a nonce would be another each time.
func TestReference_CachedAndRevalidated(t *testing.T) {
	site := newSite(t, known)
	plain := site.get(t, reference.Path, http.Header{"Accept-Encoding": {"identity"}})
	zipped := site.get(t, reference.Path, http.Header{"Accept-Encoding": {"gzip"}})
	r, err := gzip.NewReader(bytes.NewReader(zipped.body))
	if err != nil {
		t.Fatal(err)
	}
	if unzipped, err := io.ReadAll(r); err != nil || !bytes.Equal(unzipped, plain.body) {
		t.Errorf("compressed it is another page (%v)", err)
	}
	german := site.get(t, reference.Path, http.Header{"Accept-Encoding": {"gzip"}, "Accept-Language": {"de"}})
	tags := map[string]bool{}
	for _, one := range []got{plain, zipped, german} {
		tags[one.header.Get("ETag")] = true
		if policy, want := one.header.Get("Content-Security-Policy"), "script-src "+site.origin+site.assets.URL("reference.js")+";"; !strings.Contains(policy, want) {
			t.Errorf("the policy is %s", policy)
		}
		if cached := one.header.Get("Cache-Control"); cached != "public, max-age=300, no-transform" {
			t.Errorf("Cache-Control: %s", cached)
		}
	}
	if len(tags) != 3 || tags[""] {
		t.Errorf("the tags of three pages are %v", tags)
	}
	again := site.get(t, reference.Path, http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {zipped.header.Get("ETag")}})
	if again.status != http.StatusNotModified || len(again.body) > 0 {
		t.Errorf("asked again: %d, %d bytes", again.status, len(again.body))
	}
}

// A search lists what has all its words, and repeats nothing as markup.
func TestReference_Search(t *testing.T) {
	site := newSite(t, known)
	for query, want := range map[string][]string{
		"q=Sign+IN":             {"/docs/api#login"},
		"q=transactions/":       {"/docs/api#getTransaction"},
		"q=signing.state":       {"/docs/api#error.signing.state"},
		"q=acceptedlogin":       {"/docs/api#schema.AcceptedLogin"},
		"q=%22%3E%3Cscript%3Ex": nil,
		"q=%FF%00":              nil,
		"q=" + strings.Repeat("%F0%9F%98%80", 99): nil,
	} {
		answer := site.get(t, reference.Path+"?"+query, nil)
		for _, href := range want {
			if !bytes.Contains(answer.body, []byte(`href="`+href+`"`)) {
				t.Errorf("%s: %s is missing", query, href)
			}
		}
		if hits := bytes.Count(answer.body, []byte(`href="/docs/api#`)); (hits == 0) != (want == nil) || answer.status != http.StatusOK || bytes.Contains(answer.body, []byte("<script")) {
			t.Errorf("%s: %d, %d hits", query, answer.status, hits)
		}
		if answer.header.Get("ETag") != "" || answer.header.Get("Cache-Control") != "no-store, no-transform" {
			t.Errorf("%s is kept: %v", query, answer.header)
		}
	}
}
