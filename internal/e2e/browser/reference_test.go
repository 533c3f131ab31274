package browser_test

import (
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// The API reference is narrowed to what is searched for, and its commands are copied; without
// scripts the search is a form. Its states are for everybody.
func TestReference_SearchAndCopy(t *testing.T) {
	b := visit(t, e2etest.Boot(t))
	visible := `[...document.querySelectorAll("details[data-find]")].filter((e) => e.checkVisibility()).length`
	b.display([]scene{
		{"reference", func() { b.open("/docs/api"); b.there("heading", "Schemas") }},
		{"reference narrowed", func() {
			b.fill("Search operations, errors and schemas", "endOtherSessions")
			b.says("status", "Found: 1")
			if got := evaluate[int](b, visible); got != 1 {
				t.Errorf("%d entries are shown", got)
			}
		}},
	})
	b.open("/docs/api#login")
	b.there("heading", "Request body")
	evaluate[any](b, `Object.assign(navigator.clipboard, {writeText: async (text) => { window.copied = text; }}) && 0`)
	evaluate[any](b, `document.querySelector("#login [data-copy]").click()`)
	b.says("status", "Copied")
	if command := evaluate[string](b, `window.copied`); !strings.HasPrefix(command, "curl '"+b.app.URL()+"/users/alice@sandbox/login'") {
		t.Errorf("the command is %s", command)
	}
	b.withoutScripts()
	b.display([]scene{{"reference searched", func() {
		b.open("/docs/api")
		b.fill("Search operations, errors and schemas", "sign in")
		b.click("button", "Search")
		b.there("heading", "Search results")
	}}})
	b.click("link", "POST /users/{user}/login")
	b.at("/docs/api#login")
	b.there("heading", "Request body")
}
