package templates_test

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"countersign/static"
)

var messageID = regexp.MustCompile(`^(page|js|error)\.[a-z]`)

// TestPages_AccessibleAndStrict checks every state of every page by the same rules, for screen
// readers, keyboards and the strict policy.
func TestPages_AccessibleAndStrict(t *testing.T) {
	pages, assets := newPages(t), newAssets(t)
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			d := render(t, pages, s.write)
			checkFrame(t, d, s.name == "interstitial")
			checkIDs(t, d)
			checkControls(t, d)
			checkPolicy(t, d)
			checkAddresses(t, d, assets)
			if strings.Contains(d.source, "ZgotmplZ") || strings.Contains(d.source, "<no value>") {
				t.Error("a value did not fit where it stands")
			}
			for word := range strings.FieldsSeq(d.text()) {
				if messageID.MatchString(word) {
					t.Errorf("a message id is shown: %s", word)
				}
			}
		})
	}
}

// checkFrame checks language, title, landmarks, a link past the head, one h1 and no
// skipped level of headings.
func checkFrame(t *testing.T, d document, bare bool) {
	t.Helper()
	if !strings.HasPrefix(d.source, "<!doctype html>\n") {
		t.Error("not a standards-mode document")
	}
	if get(d.all("html")[0], "lang") != "en" {
		t.Error("no lang")
	}
	if title := d.all("title"); len(title) != 1 || !strings.HasSuffix(text(title[0]), " · Countersign") {
		t.Error("no title")
	}
	landmarks := []string{"header", "main", "footer"}
	if bare {
		landmarks = []string{"main"}
	}
	for _, name := range landmarks {
		if len(d.all(name)) != 1 {
			t.Errorf("%d of the landmark %s", len(d.all(name)), name)
		}
	}
	if first := d.all("a")[0]; !bare && get(first, "href") != "#main" {
		t.Error("the first link does not skip to the content")
	}
	if len(d.all("h1")) != 1 {
		t.Errorf("%d h1", len(d.all("h1")))
	}
	level := 0
	for _, h := range d.all("h1", "h2", "h3", "h4") {
		next := int(h.Data[1] - '0')
		if next > level+1 {
			t.Errorf("heading %q skips a level", text(h))
		}
		level = next
		if text(h) == "" {
			t.Error("an empty heading")
		}
	}
}

// checkIDs checks that ids are unique, and that every reference to one finds it.
func checkIDs(t *testing.T, d document) {
	t.Helper()
	seen := map[string]bool{}
	for _, n := range d.all() {
		if id, ok := lookup(n, "id"); ok && seen[id] {
			t.Errorf("id %q twice", id)
		} else if ok {
			seen[id] = true
		}
	}
	for _, n := range d.all() {
		for _, reference := range []string{"for", "form", "aria-describedby", "aria-labelledby", "aria-controls"} {
			for id := range strings.FieldsSeq(get(n, reference)) {
				if !seen[id] {
					t.Errorf("%s=%q refers to nothing", reference, id)
				}
			}
		}
	}
	focused := slices.DeleteFunc(d.all(), func(n *html.Node) bool { return !has(n, "autofocus") })
	if len(focused) > 1 {
		t.Errorf("%d elements want the focus", len(focused))
	}
}

// checkControls checks that every control has a name, and every form an action.
func checkControls(t *testing.T, d document) {
	t.Helper()
	for _, n := range d.all("input", "select") {
		if get(n, "type") == "hidden" {
			continue
		}
		label := d.one(func(l *html.Node) bool { return l.Data == "label" && get(l, "for") == get(n, "id") })
		if label == nil || text(label) == "" {
			t.Errorf("field %q has no label", get(n, "name"))
		}
		if get(n, "type") != "checkbox" && get(n, "type") != "radio" && n.Data == "input" && get(n, "autocomplete") == "" {
			t.Errorf("field %q does not say how it is filled in", get(n, "name"))
		}
	}
	for _, n := range d.all("button", "a") {
		if text(n) == "" && get(n, "aria-label") == "" {
			t.Errorf("a %s without a name", n.Data)
		}
	}
	for _, n := range d.all("img") {
		if !has(n, "alt") || get(n, "width") == "" || get(n, "height") == "" {
			t.Error("an image without alt or size")
		}
	}
	for _, n := range d.all("form") {
		method, action := get(n, "method"), get(n, "action")
		if method != "post" && method != "get" || !slices.Contains([]string{"/login", "/authenticators", "/account", "/people", "/people/bob@sandbox"}, action) {
			t.Errorf("form goes %s %q", method, action)
		}
	}
}

// checkPolicy checks that the page has nothing that the Content-Security-Policy would
// refuse.
func checkPolicy(t *testing.T, d document) {
	t.Helper()
	for _, n := range d.all() {
		for _, a := range n.Attr {
			if a.Key == "style" || strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.ToLower(a.Val), "javascript:") {
				t.Errorf("<%s %s=%q>", n.Data, a.Key, a.Val)
			}
		}
	}
	for _, n := range d.all("style", "iframe", "object", "embed", "base") {
		t.Errorf("<%s>", n.Data)
	}
	for _, n := range d.all("script") {
		if get(n, "src") == "" || get(n, "type") != "module" || get(n, "nonce") != "n0nce" || n.FirstChild != nil {
			t.Errorf("script %v", n.Attr)
		}
	}
}

// checkAddresses checks that links stay on this site and assets exist.
func checkAddresses(t *testing.T, d document, assets *static.Assets) {
	t.Helper()
	for _, n := range d.all("a", "link", "script", "img") {
		address := get(n, "href") + get(n, "src")
		u, err := url.Parse(address)
		if err != nil || u.IsAbs() || u.Host != "" {
			t.Errorf("%s leads to %q", n.Data, address)
			continue
		}
		name, isAsset := strings.CutPrefix(u.Path, strings.TrimSuffix(assets.URL(""), "/")+"/")
		if n.Data != "a" && (!isAsset || !assets.Has(name)) {
			t.Errorf("%s: no asset %q", n.Data, address)
		}
	}
}
