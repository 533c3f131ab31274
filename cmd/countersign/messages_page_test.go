package main

import (
	"html"
	"net/http"
	"strings"
	"testing"

	catalogue "countersign/internal/fault"
	"countersign/internal/i18n"
)

// tells wants the page to say what the row of key says, in language, and nothing of
// message; a part of a page names the request to ask about.
func (r reply) tells(words *i18n.Printer, key, message string) {
	r.t.Helper()
	row := catalogue.Lookup(catalogue.Key(key))
	page := html.UnescapeString(string(r.body))
	for _, want := range []string{`lang="` + words.Tag() + `"`, words.T(row.TitleID()), words.T(row.MessageID())} {
		if !strings.Contains(page, want) {
			r.t.Errorf("%s, %s: a page without %q", r.what, message, want)
		}
	}
	if strings.Contains(page, strings.TrimSuffix(message, ".")) {
		r.t.Errorf("%s: the platform's own words %q", r.what, message)
	}
}

// Whoever reads pages is told each of the platform's messages as an app is, with the
// status of the row, in every language; and each has a page that explains it.
func TestPagesTellEveryMessage(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	app := boot(t, "REVEAL_ACCOUNT_STATE=true")
	member := browser(t, app).signedIn("alice@sandbox")
	for _, language := range bundle.Languages() {
		words := bundle.For(language)
		member.header.Set("Accept-Language", language)
		for message, key := range said {
			status := catalogue.Lookup(catalogue.Key(key)).Status
			member.page("/errors/"+key).want(http.StatusOK).tells(words, key, message)
			for operation, send := range map[string]func() reply{
				"listFidoRegistrations":  func() reply { return member.page("/authenticators") },
				"registerUser":           func() reply { return member.post("/account", "action", "activation-password") },
				"renameFidoRegistration": func() reply { return member.post("/authenticators", "action", "rename", "id", "one", "name", "phone") },
			} {
				fails(t, app, operation, message)
				r := send().want(status)
				r.tells(words, key, message)
				if id := r.header.Get("X-Request-Id"); !has(r.body, id) {
					t.Errorf("%s, %s: a page without its request's number", r.what, message)
				}
			}
			if key == "orchestration.no-authenticators" {
				key = "authentication.no-authenticator" // who signs in has none
			}
			fails(t, app, "login", message)
			stranger := browser(t, app)
			stranger.header.Set("Accept-Language", language)
			stranger.post("/login", "step", "password", "user", "alice@sandbox", "password", "Sandbox-1!").want(status).tells(words, key, message)
		}
	}
}
