package templates_test

import (
	"testing"

	"countersign/internal/fault"
	"countersign/templates"
)

// The page of an error, and its help page, lead to where the person can act.
func TestErrorsLeadOn(t *testing.T) {
	pages := newPages(t)
	for key, want := range map[fault.Key]struct{ name, href, help string }{
		fault.SessionRequired:               {"Sign in", "/login?next=%2faccount", "/login"},
		fault.AccountUnknown:                {"Sign in", "/login?next=%2faccount", "/login"},
		fault.PlatformUnavailable:           {"Try again", "/account", ""},
		fault.OrchestrationSessionUnknown:   {"Try again", "/account", ""},
		fault.AuthenticationNoAuthenticator: {"Manage your passkeys", "/authenticators", "/authenticators"},
		fault.UAFUnknownAAID:                {"Manage your passkeys", "/authenticators", "/authenticators"},
		fault.AccountLocked:                 {},
	} {
		for _, help := range []bool{false, true} {
			d := render(t, pages, failure(templates.Error{
				Common: templates.Common{Language: "en", Path: "/account"}, Key: key, Help: help,
			}))
			href := want.href
			if help {
				href = want.help
			}
			if got := get(d.button(want.name), "href"); got != href {
				t.Errorf("%s, help %t: %q leads to %q, want %q", key, help, want.name, got, href)
			}
		}
	}
}
