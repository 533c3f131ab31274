package static_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/static"
)

func newAssets(t *testing.T) *static.Assets {
	t.Helper()
	assets, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	return assets
}

// names returns the assets' names in the directory.
func names(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"*.css", "*.js", "*.svg"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no %s (%v)", pattern, err)
		}
		out = append(out, found...)
	}
	return out
}

func fetch(t *testing.T, handler http.Handler, method, path, acceptEncoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	if acceptEncoding != "" {
		r.Header.Set("Accept-Encoding", acceptEncoding)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r io.Reader) string {
	t.Helper()
	content, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestAssets_EachServed(t *testing.T) {
	assets := newAssets(t)
	wantType := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	for _, name := range names(t) {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !assets.Has(name) {
			t.Errorf("%s is not an asset", name)
		}
		plain := fetch(t, assets.Handler(), "GET", assets.URL(name), "")
		served := body(t, plain.Body)
		if plain.StatusCode != http.StatusOK || served != withoutComments(t, name, string(content)) || plain.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: %d", name, plain.StatusCode)
		}
		zipped := fetch(t, assets.Handler(), "GET", assets.URL(name), "br, gzip;q=0.8")
		if zipped.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("%s is not compressed", name)
		}
		unzipped, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		if body(t, unzipped) != served {
			t.Errorf("%s changes when compressed", name)
		}
		for _, answer := range []*http.Response{plain, zipped} {
			header := answer.Header
			if header.Get("Content-Type") != wantType[filepath.Ext(name)] || header.Get("Cache-Control") != "public, max-age=31536000, immutable" || header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("%s: %v", name, header)
			}
		}
	}
}

// withoutComments returns an asset as it is served: a stylesheet without its comments, a
// script with empty lines for those that are a comment.
func withoutComments(t *testing.T, name, content string) string {
	t.Helper()
	switch filepath.Ext(name) {
	case ".css":
		for before, rest, found := strings.Cut(content, "/*"); found; before, rest, found = strings.Cut(content, "/*") {
			_, after, _ := strings.Cut(rest, "*/")
			content = before + strings.TrimPrefix(after, "\n")
		}
	case ".js":
		lines := strings.Split(content, "\n")
		for i, line := range lines {
			text := strings.TrimSpace(line)
			if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") && strings.HasSuffix(text, "*/") {
				lines[i] = ""
			}
			if strings.Count(line, "`")%2 != 0 {
				t.Errorf("%s:%d: a text over several lines may have what looks like a comment", name, i+1)
			}
		}
		content = strings.Join(lines, "\n")
	}
	return content
}

func TestAssets_OtherPathsNotFound(t *testing.T) {
	assets := newAssets(t)
	inside := assets.URL("")
	for _, path := range []string{
		"/static/", "/static/app.css", "/static/0000000000000000/app.css", inside, strings.TrimSuffix(inside, "/"),
		inside + "none.css", inside + "static.go", inside + "../static.go", inside + "x/app.css", inside + "app.css/", "/" + "app.css",
	} {
		answer := fetch(t, assets.Handler(), "GET", path, "gzip")
		if answer.StatusCode != http.StatusNotFound || strings.Contains(answer.Header.Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %q", path, answer.StatusCode, answer.Header.Get("Cache-Control"))
		}
	}
	if assets.Has("static.go") || assets.Has("") {
		t.Error("has what is not an asset")
	}
}

func TestAssets_Methods(t *testing.T) {
	assets := newAssets(t)
	server := httptest.NewServer(assets.Handler())
	defer server.Close()
	head, err := server.Client().Head(server.URL + assets.URL("app.css"))
	if err != nil {
		t.Fatal(err)
	}
	defer head.Body.Close()
	if head.StatusCode != http.StatusOK || body(t, head.Body) != "" {
		t.Errorf("HEAD: %d", head.StatusCode)
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS"} {
		answer := fetch(t, assets.Handler(), method, assets.URL("app.css"), "")
		if answer.StatusCode != http.StatusMethodNotAllowed || answer.Header.Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: %d", method, answer.StatusCode)
		}
	}
}

func TestCompression_OnRequest(t *testing.T) {
	assets := newAssets(t)
	for accept, want := range map[string]string{
		"": "", "gzip": "gzip", "GZIP": "gzip", "deflate, gzip": "gzip", "gzip;q=1": "gzip", "gzip; q=0.001": "gzip",
		"gzip;q=0": "", "gzip; q=0.0": "", "gzip;q=": "", "gzipped": "", "identity": "", "br": "",
	} {
		if got := fetch(t, assets.Handler(), "GET", assets.URL("app.css"), accept).Header.Get("Content-Encoding"); got != want {
			t.Errorf("%q: %q, want %q", accept, got, want)
		}
	}
}

// TestURL_SameInEveryProcess: the address is the same in every process of one release.
func TestURL_SameInEveryProcess(t *testing.T) {
	one, other := newAssets(t).URL("app.css"), newAssets(t).URL("app.css")
	if one != other || !regexp.MustCompile(`^/static/[0-9a-f]{16}/app\.css$`).MatchString(one) {
		t.Errorf("%s, %s", one, other)
	}
}

var (
	forbidden = regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|createContextualFragment|setTimeout\("|localStorage|sessionStorage|document\.cookie|console\.|debugger`)
	// allowed are the exceptions that a script needs: storage.js keeps a person's input to a
	// package in its tab over a sign-in, and the public name of a passkey made in the tab
	// until the passkey is removed.
	allowed  = map[string]string{"storage.js": "sessionStorage."}
	imports  = regexp.MustCompile(`from "\./([^"]+)"`)
	exports  = regexp.MustCompile(`export (?:async )?(?:function|class|const) (\w+)`)
	imported = regexp.MustCompile(`import \{([^}]+)\} from "\./([^"]+)"`)
)

// TestScripts_KeepPolicy: scripts use nothing that Trusted Types refuses, store nothing
// that belongs in an HttpOnly cookie, and import only names that exist.
func TestScripts_KeepPolicy(t *testing.T) {
	scripts := map[string]string{}
	for _, name := range names(t) {
		if filepath.Ext(name) == ".js" {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			scripts[name] = string(content)
		}
	}
	for name, source := range scripts {
		if found := forbidden.FindString(strings.ReplaceAll(source, allowed[name], "")); found != "" {
			t.Errorf("%s uses %s", name, found)
		}
		if !strings.HasPrefix(source, "// ") {
			t.Errorf("%s does not say what it is for", name)
		}
		for _, match := range imports.FindAllStringSubmatch(source, -1) {
			if _, ok := scripts[match[1]]; !ok {
				t.Errorf("%s imports %s", name, match[1])
			}
		}
		for _, match := range imported.FindAllStringSubmatch(source, -1) {
			checkImports(t, name, strings.Split(match[1], ","), scripts[match[2]])
		}
	}
}

func checkImports(t *testing.T, importer string, wanted []string, source string) {
	t.Helper()
	var offered []string
	for _, match := range exports.FindAllStringSubmatch(source, -1) {
		offered = append(offered, match[1])
	}
	for _, name := range wanted {
		if !slices.Contains(offered, strings.TrimSpace(name)) {
			t.Errorf("%s imports %s, which nobody exports", importer, name)
		}
	}
}

// TestStylesheet_FetchesNothing: the stylesheet fetches nothing from other sites, and honours
// the preferences for less motion, more contrast and dark colours.
func TestStylesheet_FetchesNothing(t *testing.T) {
	content, err := os.ReadFile("app.css")
	if err != nil {
		t.Fatal(err)
	}
	css := string(content)
	for _, unwanted := range []string{"url(", "@import", "http:", "https:"} {
		if strings.Contains(css, unwanted) {
			t.Errorf("app.css has %s", unwanted)
		}
	}
	for _, wanted := range []string{"prefers-reduced-motion", "prefers-color-scheme: dark", "forced-colors", ":focus-visible"} {
		if !strings.Contains(css, wanted) {
			t.Errorf("app.css lacks %s", wanted)
		}
	}
}
