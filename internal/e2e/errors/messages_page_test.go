package errors_test

import (
	"html"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	catalogue "countersign/internal/fault"
	"countersign/internal/i18n"
)

// tells checks that the page shows the texts of key's row, in language, and nothing of
// message; part of the page names the request's id.
func tells(r e2etest.Reply, words *i18n.Printer, key, message string) {
	r.T.Helper()
	row := catalogue.Lookup(catalogue.Key(key))
	page := html.UnescapeString(string(r.Body))
	for _, want := range []string{`lang="` + words.Tag() + `"`, words.T(row.TitleID()), words.T(row.MessageID())} {
		if !strings.Contains(page, want) {
			r.T.Errorf("%s, %s: a page without %q", r.What, message, want)
		}
	}
	if strings.Contains(page, strings.TrimSuffix(message, ".")) {
		r.T.Errorf("%s: the platform's own words %q", r.What, message)
	}
}

// People who use pages get each of the platform's messages like an app does, with the
// row's status, in the languages in turn; and each has a page that explains it.
func TestPagesTellEveryMessage(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	app := e2etest.Boot(t, "REVEAL_ACCOUNT_STATE=true")
	member := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	own := e2etest.Program(t, app).SignedIn("alice@sandbox")
	own.Register(e2etest.NewPasskey(app))
	one := first(own)
	languages := bundle.Languages()
	for i, message := range slices.Sorted(maps.Keys(said)) {
		key, language := said[message], languages[i%len(languages)]
		words := bundle.For(language)
		member.Header.Set("Accept-Language", language)
		tells(member.Page("/errors/"+key).Want(http.StatusOK), words, key, message)
		for operation, send := range map[string]func() e2etest.Reply{
			"listFidoRegistrations": func() e2etest.Reply { return member.Page("/authenticators") },
			"registerUser":          func() e2etest.Reply { return member.Post("/account", "action", "activation-password") },
			"renameFidoRegistration": func() e2etest.Reply {
				return member.Post("/authenticators", "action", "rename", "id", one, "name", "phone")
			},
		} {
			e2etest.Fails(t, app, operation, message)
			told := flow{operation: operation}.reason(message, "22.R4")
			r := send().Want(statusOf(told))
			tells(r, words, told, message)
			if id := r.Header.Get("X-Request-Id"); !e2etest.Has(r.Body, id) {
				t.Errorf("%s, %s: a page without its request's number", r.What, message)
			}
		}
		e2etest.Fails(t, app, "login", message)
		outsider := e2etest.Browser(t, app)
		outsider.Header.Set("Accept-Language", language)
		told := flow{operation: "login"}.reason(message, "22.R4")
		r := outsider.Post("/login", "step", "password", "user", "alice@sandbox", "password", "Sandbox-1!").Want(statusOf(told))
		tells(r, words, told, message)
	}
}
