// Package inspector has the sandbox's pages below /_manage/. They work without scripts.
package inspector

import (
	"embed"
	"html/template"
	"net/http"
	"sync"

	"countersign/internal/sandbox/wire"
)

//go:embed assets
var assets embed.FS

// AssetsPath is where the files of the pages are served.
const AssetsPath = "/_manage/assets"

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.ParseFS(assets, "assets/*.html"))
})

// policy lets a page load its own files, connect to us and post its forms to us.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// page returns an answer with the page of that template.
func page(name string, data any, status int) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Referrer-Policy", "same-origin")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		wire.Page{Template: templates().Lookup(name), Data: data, Policy: policy, Language: "en", Status: status}.ServeHTTP(w, r)
	})
}

// Login returns the page that asks for the management key; problem says what is wrong with
// the one that was given.
func Login(problem string, status int) http.Handler {
	return page("login.html", struct{ Problem string }{problem}, status)
}

// Assets returns the route of the pages' files.
func Assets() wire.Route {
	return wire.Route{Method: http.MethodGet, Path: AssetsPath + "/{asset}", Call: wire.Assets(assets)}
}
