package templates_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"countersign/internal/fault"
	"countersign/templates"
)

// offer is a page's link after an error: its name and address, both empty if there is
// none.
type offer struct{ name, href string }

// offered returns the links of a page that errors can have.
func offered(d document) []offer {
	names := []string{"Try again", "Sign in", "Sign in again", "Manage your passkeys", "Change your password", "Get an activation password", "Try another one", "Get help"}
	var out []offer
	for _, n := range d.all("a", "button") {
		if slices.Contains(names, text(n)) && !hidden(n) {
			out = append(out, offer{text(n), get(n, "href")})
		}
	}
	return out
}

func checkOffer(t *testing.T, what string, d document, want offer) {
	t.Helper()
	wanted := []offer{want}
	if want == (offer{}) {
		wanted = nil
	}
	if got := offered(d); !slices.Equal(got, wanted) {
		t.Errorf("%s: offers %q, want %q", what, got, wanted)
	}
}

// TestErrors_OfferTheirAction goes through the catalogue: each row's page, help page and
// notice offer the link of the row's action, or none.
func TestErrors_OfferTheirAction(t *testing.T) {
	retry, manage, change := offer{"Try again", "/account?x=1"}, offer{"Manage your passkeys", "/authenticators"}, offer{"Change your password", "/.well-known/change-password"}
	activate, activateFirst := offer{"Get an activation password", "/account#phone"}, offer{"Get an activation password", "/login?next=%2Faccount%23phone"}
	type offers struct{ page, signedIn, help, notice offer }
	byAction := map[fault.Action]offers{
		"":                                {},
		fault.ActionRetry:                 {page: retry, signedIn: retry, notice: offer{"Try again", ""}},
		fault.ActionRestart:               {page: retry, signedIn: retry, notice: offer{"Try again", ""}},
		fault.ActionContact:               {},
		fault.ActionConfirm:               {page: manage, signedIn: manage, help: manage}, // the notice stands above the question
		fault.ActionSignIn:                {offer{"Sign in", "/login?next=%2Faccount%3Fx%3D1"}, offer{"Sign in again", "/login?again=yes&next=%2Faccount%3Fx%3D1"}, offer{"Sign in", "/login"}, offer{"Sign in again", "/login?again=yes&next=%2Felsewhere%3Fx%3D1"}},
		fault.ActionChangePassword:        {change, change, change, change},
		fault.ActionOtherAuthenticator:    {manage, manage, manage, manage},
		fault.ActionNewActivationPassword: {activateFirst, activate, activateFirst, activate},
	}
	help := offer{"Get help", "https://accounts.example/help"}
	helped := newPagesWith(t, templates.Options{HelpURL: help.href})
	pages, nowhere := newPagesWith(t, templates.Options{ChangePassword: true}), newPages(t)
	met := map[fault.Action]bool{}
	for _, row := range fault.Rows() {
		want, ok := byAction[row.Action]
		if !ok {
			t.Fatalf("%s: what to do about %q?", row.Key, row.Action)
		}
		met[row.Action] = true
		signedOut, person := common("/account?x=1", nil, ""), common("/account?x=1", alice, "")
		key := string(row.Key)
		checkOffer(t, key, render(t, pages, failure("Common", signedOut, "Key", row.Key)), want.page)
		checkOffer(t, key+", signed in", render(t, pages, failure("Common", person, "Key", row.Key)), want.signedIn)
		checkOffer(t, key+", explained", render(t, pages, failure("Common", signedOut, "Key", row.Key, "Help", true)), want.help)
		checkOffer(t, key+", above its form", render(t, pages, refusedForm(row.Key)), want.notice)
		if row.Action == fault.ActionChangePassword {
			checkOffer(t, key+", no page for it", render(t, nowhere, failure("Common", signedOut, "Key", row.Key)), offer{})
		}
		if row.Action == fault.ActionChangePassword || row.Action == fault.ActionContact {
			checkOffer(t, key+", with help", render(t, helped, failure("Common", person, "Key", row.Key)), help)
			checkOffer(t, key+", above its form, with help", render(t, helped, refusedForm(row.Key)), help)
		}
	}
	for action := range byAction {
		if !met[action] {
			t.Errorf("no row has the action %q", action)
		}
	}
}

// refusedForm returns a page with a failed form that does not show its other options.
func refusedForm(key fault.Key) func(*templates.Pages, io.Writer) error {
	c := common("/elsewhere?x=1", alice, key)
	c.Problem.Again = map[string]string{"action": "end-session", "id": "s-2"}
	return shown("authenticators", "Common", c)
}

// A notice does not repeat a link of the form below it.
func TestNotices_RepeatNoLink(t *testing.T) {
	pages := newPages(t)
	checkOffer(t, "the sign-in's own form", render(t, pages, login("Common", common("/login", nil, fault.SignInRefused), "User", alice.ID)), offer{})
	checkOffer(t, "the list itself", render(t, pages, list("Common", common("/authenticators", alice, fault.AuthenticationNoAuthenticator))), offer{})
	checkOffer(t, "the phone app below", render(t, pages, account("Common", common("/account", alice, fault.OrchestrationProvisioningError))), offer{"Get an activation password", ""})
	checkOffer(t, "a password is not kept", render(t, pages, login("Common", common("/login", nil, fault.PlatformFailed), "User", alice.ID)), offer{})
}

// A form whose input was not at fault is sent again by one button.
func TestForm_SentAgainAfterFailure(t *testing.T) {
	c := common("/account", alice, fault.SessionUnavailable)
	c.Problem.Again = map[string]string{"action": "end-session", "id": "s-2"}
	form, fields := sends(t, render(t, newPages(t), account("Common", c)), "Try again")
	if get(form, "method") != "post" || get(form, "action") != "/account" || fields.Encode() != "action=end-session&id=s-2" {
		t.Errorf("sends %s %s %s", get(form, "method"), get(form, "action"), fields.Encode())
	}
}

// The problem shown by scripts has the same links, hidden until one fits.
func TestScripts_HaveNextSteps(t *testing.T) {
	d := render(t, newPagesWith(t, templates.Options{ChangePassword: true}), list())
	got := map[string]string{}
	for _, n := range within(d.byID("problem"), "a", "button") {
		if !hidden(n) {
			t.Errorf("%q is shown", text(n))
		}
		got[get(n, "data-action")] = text(n) + " " + get(n, "href")
	}
	for action, want := range map[string]string{
		"sign-in":                 "Sign in again /login?again=yes&next=%2Fauthenticators",
		"change-password":         "Change your password /.well-known/change-password",
		"new-activation-password": "Get an activation password /account#phone",
		"retry restart":           "Try again ",
		"other-authenticator":     "Try another one ",
	} {
		if got[action] != want {
			t.Errorf("%s: %q, want %q", action, got[action], want)
		}
	}
}

// On the sign-in page, signing in again is offered as another try.
func TestSignInPage_OffersAnotherTry(t *testing.T) {
	d := render(t, newPages(t), login("User", alice.ID))
	for _, n := range within(d.byID("problem"), "a", "button") {
		if slices.Contains(strings.Fields(get(n, "data-action")), "sign-in") != (text(n) == "Try again") {
			t.Errorf("%q is for %q", text(n), get(n, "data-action"))
		}
	}
}

// The account page offers the change of the password if the error advises it and there is
// a page for it.
func TestAccountPage_OffersPasswordChange(t *testing.T) {
	for there, want := range map[bool]string{true: "/.well-known/change-password", false: ""} {
		d := render(t, newPagesWith(t, templates.Options{ChangePassword: there}), account())
		if got := get(d.button("Change your password"), "href"); got != want {
			t.Errorf("a page for it %t: leads to %q, want %q", there, got, want)
		}
	}
}

// An error is announced: the title begins with it, and the focus is on it or on its
// field.
func TestErrors_AnnouncedToScreenReaders(t *testing.T) {
	refused := common("/login", nil, fault.SignInRefused)
	invalid := func(path string) templates.Common { return common(path, alice, fault.RequestInvalid) }
	for name, test := range map[string]struct {
		write                 func(*templates.Pages, io.Writer) error
		title, focus, explain string
	}{
		"the password": {login("Common", refused, "User", alice.ID),
			"Sign-in not possible · Sign in · Countersign", "password", "problem-text"},
		"the user name": {login("Common", invalid("/login"), "Typed", "alice"),
			"Please check what you typed · Sign in · Countersign", "user", "problem-text"},
		"the name": {list("Common", invalid("/authenticators"), "Renaming", "id-1", "Typed", " "),
			"Please check what you typed · Passkeys · Countersign", "name", "problem-text"},
		"no field": {login("Common", common("/login", nil, fault.RequestRate), "User", alice.ID),
			"Too many tries · Sign in · Countersign", "problem", ""},
		"no form": {account("Common", common("/account", alice, fault.SessionUnknown)),
			"No such session · Account · Countersign", "problem", ""},
		"no page": {failure("Common", common("/account", alice, ""), "Key", fault.PlatformUnavailable),
			"This does not work right now · Countersign", "told", ""},
		"nothing happened": {failure("Common", common("/x", nil, ""), "Key", fault.CeremonySpent, "Help", true),
			"Already used · Countersign", "", ""},
		"good news": {list("Notice", "removed"),
			"It was removed and can no longer be used to sign in. · Passkeys · Countersign", "", ""},
	} {
		d := render(t, newPages(t), test.write)
		if got := text(d.all("title")[0]); got != test.title {
			t.Errorf("%s: the title is %q, want %q", name, got, test.title)
		}
		at := d.one(func(n *html.Node) bool { return has(n, "autofocus") })
		if get(at, "id") != test.focus || hidden(at) {
			t.Errorf("%s: the focus is on %q, want %q", name, get(at, "id"), test.focus)
		}
		if test.explain != "" && (get(at, "aria-describedby") != test.explain || get(at, "aria-invalid") != "true") {
			t.Errorf("%s: the field is %v", name, at.Attr)
		}
		if heard := d.one(func(n *html.Node) bool { return get(n, "role") == "alert" && !hidden(n) }); (heard != nil) != (test.focus != "") {
			t.Errorf("%s: what is announced is %v", name, heard)
		}
	}
}
