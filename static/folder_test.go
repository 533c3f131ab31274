package static

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func folder(t *testing.T, files map[string]string) (*Folder, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "app")
	for name, content := range files {
		at := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := OpenFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f, dir
}

func ask(f *Folder, method, path string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://cs.example"+path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	if !f.Serve(w, r) {
		w.Code = 0
	}
	return w
}

func TestFolder_ServesFiles(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{
		"index.html": "<!doctype html>app", "assets/index-Di3rgTda.js": "js", "app.js": "js", "a.b/file.xyz": "?", ".env": "KEY=1", ".git/config.json": "x", "sub/index.html": "sub",
	})
	if err := os.WriteFile(filepath.Join(filepath.Dir(dir), "secret.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"out.txt", "in.js"} {
		if err := os.Symlink(map[string]string{"out.txt": "../secret.txt", "in.js": "app.js"}[link], filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	const page = "text/html; charset=utf-8"
	for path, want := range map[string]struct{ kind, caching, content string }{
		"/app/":                         {page, checked + asMade, "<!doctype html>app"},
		"/app/index.html":               {page, checked + asMade, "<!doctype html>app"},
		"/app/orders/7":                 {page, checked + asMade, "<!doctype html>app"},
		"/app/a.b/orders":               {page, checked + asMade, "<!doctype html>app"},
		"/app/assets":                   {page, checked + asMade, "<!doctype html>app"},
		"/app/sub/index.html":           {page, checked + asMade, "sub"},
		"/app/assets/index-Di3rgTda.js": {"text/javascript; charset=utf-8", caching, "js"},
		"/app/app.js":                   {"text/javascript; charset=utf-8", checked, "js"},
		"/app/in.js":                    {"text/javascript; charset=utf-8", checked, "js"},
		"/app/a.b/file.xyz":             {"application/octet-stream", checked, "?"},
	} {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			w := ask(f, method, path)
			if method == http.MethodHead {
				want.content = ""
			}
			if got := w.Header(); w.Code != http.StatusOK || got.Get("Content-Type") != want.kind || got.Get("Cache-Control") != want.caching || w.Body.String() != want.content {
				t.Errorf("%s %s: %d %v %q", method, path, w.Code, got, w.Body)
			}
			if !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'; script-src 'self'; style-src 'self';") {
				t.Errorf("%s: policy %q", path, w.Header().Get("Content-Security-Policy"))
			}
		}
	}
	for _, path := range []string{
		"/app/other.js", "/app/assets/index-Di3rgTda.css", "/app/.env", "/app/.git/config.json", "/app/out.txt", "/app/../secret.txt", "/app/%2e%2e/secret.txt",
		"/app/..%2fsecret.txt", "/app/a.b", "/app//secret.txt", "/app/../session", "/app/..", "/other", "/app/a.b/../.env", "/app/app.js/x.js",
	} {
		if w := ask(f, http.MethodGet, path); w.Code != 0 || len(w.Header()) > 0 {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
}

// A navigation to a page whose path looks like a file's is shown the application.
func TestFolder_Navigation(t *testing.T) {
	t.Parallel()
	f, _ := folder(t, map[string]string{"index.html": "app", "app.js": "js"})
	for path, want := range map[string]string{"/app/people/alice@sandbox.example": "app", "/app/.env": "app", "/app/app.js": "js"} {
		if w := ask(f, http.MethodGet, path, "Accept", "text/html,*/*;q=0.8"); w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: %d %q", path, w.Code, w.Body)
		}
	}
	if w := ask(f, http.MethodGet, "/app/people/alice@sandbox.example", "Accept", "*/*"); w.Code != 0 {
		t.Errorf("a script: %d", w.Code)
	}
}

// A new version is told from the old one although its files have the same time.
func TestFolder_NewVersion(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"index.html": "one"})
	first := ask(f, http.MethodGet, "/app/").Header().Get("ETag")
	if w := ask(f, http.MethodGet, "/app/x", "If-None-Match", first); w.Code != http.StatusNotModified {
		t.Errorf("the same: %d", w.Code)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if w := ask(f, http.MethodGet, "/app/", "If-None-Match", first); w.Code != http.StatusOK || w.Body.String() != "two" {
		t.Errorf("another: %d %q", w.Code, w.Body)
	}
}

func TestFolder_NamedByContent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"assets/index-Di3rgTda.js": true, "main.3f2a1bc9.js": true, "main-3FTVMDGP.js": true, "chunk.0a1b2c3d4e5f.css": true, "logo-B_x3-9aQ.svg": true,
		"app.js": false, "index.html": false, "my-component.js": false, "logo-20261128.png": false, "app-version2.js": false, "app-2026version.js": false,
		"photo-2026-11-28.png": false, "main.min.js": false, "MyWidget-LongName.js": false, "3f2a1bc9.js": false,
	} {
		if got := isNamedByContent(name); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestFolder_CannotBeOpened(t *testing.T) {
	t.Parallel()
	empty := t.TempDir()
	for _, dir := range []string{filepath.Join(empty, "none"), empty} {
		if f, err := OpenFolder(dir); err == nil || f != nil {
			t.Errorf("%s: %v, %v", dir, f, err)
		}
	}
}

// A large file goes out in parts, and is not held in memory.
func TestFolder_LargeFile(t *testing.T) {
	f, dir := folder(t, map[string]string{"index.html": "app"})
	large, err := os.Create(filepath.Join(dir, "film.mp4"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(large.Truncate(64<<20), large.Close()); err != nil {
		t.Fatal(err)
	}
	if w := ask(f, http.MethodGet, "/app/film.mp4", "Range", "bytes=67108860-"); w.Code != http.StatusPartialContent || w.Body.Len() != 4 {
		t.Errorf("its end: %d, %d bytes", w.Code, w.Body.Len())
	}
	var before, after runtime.MemStats // no other test runs meanwhile
	runtime.ReadMemStats(&before)
	ask(f, http.MethodHead, "/app/film.mp4")
	runtime.ReadMemStats(&after)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 1<<20 {
		t.Errorf("%d bytes are held", spent)
	}
}
