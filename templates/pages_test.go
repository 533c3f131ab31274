package templates_test

import (
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"countersign/internal/fault"
	"countersign/templates"
)

// sends returns the fields that a form sends when button is pressed, with their present
// values; the fields of other forms do not count.
func sends(t *testing.T, d document, button string) (form *html.Node, fields url.Values) {
	t.Helper()
	b := d.button(button)
	if b == nil {
		t.Fatalf("no button %q on: %s", button, d.text())
	}
	fields = url.Values{}
	if name := get(b, "name"); name != "" {
		fields.Add(name, get(b, "value"))
	}
	form = d.byID(get(b, "form"))
	for n := b; form == nil && n != nil; n = n.Parent {
		if n.Data == "form" {
			form = n
		}
	}
	if form == nil {
		t.Fatalf("button %q belongs to no form", button)
	}
	for _, n := range within(form, "input", "select") {
		if get(n, "name") != "" { // a field without a name is not sent
			fields.Add(get(n, "name"), get(n, "value"))
		}
	}
	return form, fields
}

// TestForms_FieldsAndPaths fixes the forms that handlers rely on: which button sends which fields, and
// to which path.
func TestForms_FieldsAndPaths(t *testing.T) {
	signOut := "Sign out"
	tests := []struct {
		name, button, form string
		write              func(*templates.Pages, io.Writer) error
		want               string
	}{
		{"the person says who they are", "Continue", "post /login", login(), "next=%2Faccount%3Ftab%3D1&remember=yes&step=user&user="},
		{"what was typed stays", "Continue", "post /login", login("Typed", "alice"), "next=%2Faccount%3Ftab%3D1&remember=yes&step=user&user=alice"},
		{"password", "Sign in with your password", "post /login", login("User", alice.ID), "next=%2Faccount%3Ftab%3D1&password=&step=password&user=alice%40sandbox"},
		{"not me, not remembered", "Change user name", "get /login", login("User", alice.ID), "next=%2Faccount%3Ftab%3D1"},
		{"not me, remembered", "Change user name", "post /login", login("User", alice.ID, "Remembered", true), "next=%2Faccount%3Ftab%3D1&step=forget"},
		{"open a name", "Rename Work laptop", "get /authenticators", list(), "rename=id-1"},
		{"open a removal", "Remove Passkey", "get /authenticators", list(), "remove=id-2"},
		{"another language", "Deutsch", "post /login", login("Path", "/login?next=%2Faccount"), "language=de&next=%2Flogin%3Fnext%3D%252Faccount&step=language"},
		{"rename", "Save name", "post /authenticators", list("Renaming", "id-1"), "action=rename&id=id-1&name=Work+laptop"},
		{"name a new one", "Save name", "post /authenticators", list("Added", "id-2"), "action=rename&changed=yes&id=id-2&name="},
		{"remove", "Yes, remove it", "post /authenticators", list("Removing", "id-1"), "action=remove&confirm=yes&id=id-1"},
		{"remove the last", "Remove it all the same", "post /authenticators", list("Removing", "id-2"), "action=remove&confirm=last&id=id-2"},
		{"end others after a change", "End all other sessions", "post /authenticators", list("Changed", true, "OtherSessions", 3), "action=end-others"},
		{"end others", "End all other sessions", "post /account", account(), "action=end-others"},
		{"end one", "End Unknown device", "post /account", account(), "action=end-session&id=s-2"},
		{"an activation password", "Get an activation password", "post /account", account(), "action=activation-password"},
		{"another one", "Get another one", "post /account", account("ActivationPassword", "1234567890"), "action=activation-password"},
		{"language", "Save language", "post /account", account(), "action=language&language=&ticket="},
		{"sign out", signOut, "post /account", list(), "action=sign-out"},
	}
	pages := newPages(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			form, fields := sends(t, render(t, pages, test.write), test.button)
			if got := get(form, "method") + " " + get(form, "action"); got != test.form {
				t.Errorf("goes %s, want %s", got, test.form)
			}
			if got := fields.Encode(); got != test.want {
				t.Errorf("sends %s\nwant  %s", got, test.want)
			}
		})
	}
}

// TestPages_RequiredSentences checks the sentences that a state of a page must show, and those that it
// must not.
func TestPages_RequiredSentences(t *testing.T) {
	tests := []struct {
		name    string
		write   func(*templates.Pages, io.Writer) error
		say     []string
		silence []string
	}{
		{"the refusal and its number", login("Common", common("/login", nil, fault.SignInRefused), "User", alice.ID),
			[]string{"Sign-in not possible", "These details do not let you sign in. Check the password, and whether the user name above is right. You can try again in 2 seconds."}, []string{"Sign in again", "request-1"}},
		{"a wrong name, once", login("Problem", &templates.Problem{Row: fault.Lookup(fault.RequestInvalid), Detail: "A user name has an @."}),
			[]string{"Please check what you typed A user name has an @. User name Remember"}, []string{"request-1", "breaks a rule", "in the form"}},
		{"what the handler knows better", login("Problem", &templates.Problem{Row: fault.Lookup(fault.RequestRate), Detail: "Too many passkeys."}),
			[]string{"Too many passkeys.", "Wait a moment"}, []string{"There were too many tries"}},
		{"what the handler knows about the name", login("Problem", &templates.Problem{Row: fault.Lookup(fault.RequestInvalid), Detail: "A user name has an @."}),
			[]string{"A user name has an @."}, []string{"send the request again", "what is marked"}},
		{"how long to wait, once", login("Common", common("/login", nil, fault.RequestRate)),
			[]string{"There were too many tries", "You can try again in 2 seconds."}, []string{"Wait a moment"}},
		{"how long the platform is away", failure("Common", common("/account", alice, ""), "Key", fault.PlatformUnavailable, "RetryAfter", time.Second),
			[]string{"It is our fault, not yours. If you were signed in, you still are.", "Try again in a moment."}, []string{"second"}},
		{"how long it is away, if that is long", failure("Common", common("/account", alice, ""), "Key", fault.PlatformUnavailable, "RetryAfter", time.Minute),
			[]string{"You can try again in 60 seconds."}, []string{"in a moment"}},
		{"a password that was not checked", login("Common", common("/login", nil, fault.PlatformUnavailable), "User", alice.ID),
			[]string{"This does not work right now It is our fault, not yours. If you were signed in, you still are. Your password could not be checked."}, nil},
		{"how long it is away, not known", failure("Common", common("/account", alice, ""), "Key", fault.PlatformUnavailable),
			[]string{"Try again in a moment."}, []string{"second"}},
		{"an error that does not know who reads it", failure("Common", common("/x", nil, ""), "Key", fault.RequestNotFound), []string{"Go to the start page"}, []string{"Sign in", "Sign out"}},
		{"why once more", login("Person", alice, "User", alice.ID, "StepUp", true),
			[]string{"Confirm that it is you", "needs a recent sign-in. Nothing has been changed yet."}, []string{"Change user name"}},
		{"why once more, for passkeys", login("Person", alice, "User", alice.ID, "StepUp", true, "Next", "/authenticators?remove=id-1"),
			[]string{"You last signed in a while ago. To change passkeys, sign in once more. Nothing has been changed yet."}, []string{"needs a recent"}},
		{"no such page", failure("Common", common("/x", nil, ""), "Key", fault.RequestNotFound), nil, []string{"request-1"}},
		{"nothing remembered", login("User", alice.ID), nil, []string{"This device remembers", "Approve on your phone"}},
		{"kind, provider, dates", list(), []string{"Passkey · Example Vault", "Added 4 March 2026 ", "Not used yet", "Authenticator app", "Date of registration not known"}, []string{"Sign out everywhere else?"}},
		{"a kind, once", list("Authenticators", cut{1, 2}), []string{"Your passkeys Passkey Date of registration"}, nil},
		{"no passkey yet", list("Authenticators", nil), []string{"Create your first passkey"}, []string{"Your passkeys"}},
		{"saved by name of its keeper", list("Added", "id-1", "Place", "key"), []string{"Your passkey is ready", "saved in Example Vault"}, []string{"security key. Use"}},
		{"saved on a key", list("Added", "id-2", "Place", "key"), []string{"It is saved on your security key."}, nil},
		{"saved somewhere", list("Added", "id-2", "Place", "<moon>"), []string{"It is saved where you chose"}, []string{"moon"}},
		{"added, but gone", list("Added", "id-9"), nil, []string{"Your passkey is ready"}},
		{"one other session", list("Changed", true, "OtherSessions", 1), []string{"in one other place"}, nil},
		{"more of them", list("Changed", true, "OtherSessions", 3), []string{"in 3 other places"}, nil},
		{"none of them", list("Changed", true), nil, []string{"Sign out everywhere else?"}},
		{"the last way in", list("Removing", "id-2"), []string{"This is your only way to sign in"}, []string{"Yes, remove it"}},
		{"too long since", list("StepUp", true), []string{"please sign in once more", "Sign in again"}, []string{"Your browser will ask"}},
		{"an app is removed in the app as well", list("Removing", "id-3"), []string{"Remove this account in the app on your phone as well."}, []string{"password manager or on your security key as well"}},
		{"the only one is an app", list("Authenticators", cut{2, -1}, "Removing", "id-3"), []string{"You will not be able to sign in with it any more."}, []string{"your only passkey"}},
		{"a wrong new name, once, at its row", list("Renaming", "id-1", "Problem", &templates.Problem{Row: fault.Lookup(fault.RequestInvalid), Detail: "A name has letters."}), []string{"Your passkeys Work laptop Please check what you typed A name has letters. Name Save name"}, []string{"request-1"}},
		{"a wrong new name of one that is gone", list("Renaming", "id-9", "Problem", &templates.Problem{Row: fault.Lookup(fault.RequestInvalid), Detail: "A name has letters."}), []string{"Please check what you typed A name has letters."}, nil},
		{"why one is here", login("Notice", "session-over"), []string{"Your session has ended. Sign in to go on."}, nil},
		{"home, without a passkey", shown("home", "Common", common("/", alice, ""), "NoPasskey", true), []string{"Welcome, Alice Example", "Create a passkey", "Manage your passkeys"}, []string{"Deutsch", "You are signed in as"}},
		{"home, with one", shown("home", "Common", common("/", alice, "")), []string{"What you can do here", "Your account"}, []string{"Create a passkey", "Register a passkey once", "Go to the packages"}},
		{"the account, without a passkey", account("NoPasskey", true), []string{"Create a passkey"}, nil},
		{"a notice", list("Notice", "removed"), []string{"It was removed"}, nil},
		{"not a notice", list("Notice", "<b>you won</b>"), nil, []string{"you won"}},
		{"who am I", account(), []string{"Alice Example", "alice@sandbox", "alice@example.com", "This session", "English"}, nil},
		{"how to get the app going", account(), []string{"Your phone app", "activate it with an activation password"}, []string{"Your activation password", "Sign in again"}},
		{"the activation password", account("ActivationPassword", "1234567890"),
			[]string{"Your activation password 12345 67890 1 2 3 4 5, 6 7 8 9 0", "your user name, alice@sandbox, and this password", "valid for ten minutes", "this one can no longer be used"}, []string{"1234567890"}},
		{"no activation password so late", account("StepUp", true), []string{"please sign in once more", "Sign in again"}, []string{"Get an"}},
		{"alone", account("Sessions", cut{0, 1}), nil, []string{"End all other sessions"}},
	}
	pages := newPages(t)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			shown := render(t, pages, test.write).text()
			for _, want := range test.say {
				if !strings.Contains(shown, want) {
					t.Errorf("does not say %q: %s", want, shown)
				}
			}
			for _, unwanted := range test.silence {
				if strings.Contains(shown, unwanted) {
					t.Errorf("says %q: %s", unwanted, shown)
				}
			}
		})
	}
}

// TestPasskeyButtons_WaitForScript: no passkey button is offered before the script has asked
// the browser for its abilities.
func TestPasskeyButtons_WaitForScript(t *testing.T) {
	pages := newPages(t)
	for name, write := range map[string]func(*templates.Pages, io.Writer) error{"login": login("User", alice.ID), "list": list()} {
		d := render(t, pages, write)
		start := d.one(func(n *html.Node) bool { return get(n, "data-part") == "start" })
		if start == nil || !hidden(start) || get(start, "type") != "button" {
			t.Errorf("%s: the passkey button is %v", name, start)
		}
		if len(within(d.byID("main"), "noscript")) != 1 {
			t.Errorf("%s: nothing is said to those without scripts", name)
		}
	}
	d := render(t, pages, login("User", alice.ID, "CeremonyTTL", 90*time.Second))
	panel := d.byID("passkey")
	if get(panel, "data-user") != alice.ID || get(panel, "data-lifetime") != "90" {
		t.Errorf("the panel is %v", panel.Attr)
	}
	if fields := get(d.byID("password"), "autocomplete"); fields != "current-password webauthn" {
		t.Errorf("autofill of the password field: %q", fields)
	}
}
