package templates_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/static"
	"countersign/templates"
)

// sample is one state of one page.
type sample struct {
	name  string
	write func(*templates.Pages, io.Writer) error
}

var (
	noon  = time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)
	alice = &templates.Person{ID: "alice@sandbox", DisplayName: "Alice Example"}
)

func common(path string, person *templates.Person, problem fault.Key) templates.Common {
	c := templates.Common{Language: "en", Nonce: "n0nce", RequestID: "request-1", Path: path, Person: person}
	if problem != "" {
		c.Problem = &templates.Problem{Row: fault.Lookup(problem), RetryAfter: 1500 * time.Millisecond}
	}
	return c
}

func login(change func(*templates.SignIn)) func(*templates.Pages, io.Writer) error {
	page := templates.SignIn{Common: common("/login", nil, ""), Next: "/account?tab=1"}
	change(&page)
	return func(p *templates.Pages, w io.Writer) error { return p.Write(w, "signin", page) }
}

func list(change func(*templates.Authenticators)) func(*templates.Pages, io.Writer) error {
	page := templates.Authenticators{
		Common: common("/authenticators", alice, ""),
		Authenticators: []templates.Authenticator{
			{ID: "id-1", Name: "Work laptop", Protocol: "FIDO2", Provider: "Example Vault", CreatedAt: noon, LastUsedAt: noon},
			{ID: "id-2", Protocol: "FIDO2", Last: true},
			{ID: "id-3", Name: "Bank app", Protocol: "UAF11", CreatedAt: noon},
		},
	}
	change(&page)
	return func(p *templates.Pages, w io.Writer) error { return p.Write(w, "authenticators", page) }
}

func person(change func(*templates.OnePerson)) func(*templates.Pages, io.Writer) error {
	page := templates.OnePerson{
		Common: common("/people/bob@sandbox", alice, ""), User: "bob@sandbox", DisplayName: "Bob", Email: "bob@example.com", Status: "active",
		Sessions:       []templates.Session{{ID: "s-1", CreatedAt: noon, LastUsedAt: noon, UserAgent: "curl/8", Address: "192.0.2.1", Methods: []string{"password"}, Bound: true}},
		Authenticators: []templates.Authenticator{{ID: "id-1", Name: "Work laptop", Protocol: "FIDO2", CreatedAt: noon, Last: true}},
		Events: []templates.Event{
			{Kind: "sign-in.accepted", At: noon, UserAgent: "curl/8", Address: "192.0.2.1", Method: "password"},
			{Kind: "operator.ended", At: noon, By: "carol@sandbox", Reason: "a stolen phone"}, {Kind: "account.ended", At: noon},
		},
	}
	change(&page)
	return func(p *templates.Pages, w io.Writer) error { return p.Write(w, "person", page) }
}

func account(change func(*templates.Account)) func(*templates.Pages, io.Writer) error {
	page := templates.Account{
		Common: common("/account", alice, ""), Email: "alice@example.com", Languages: []string{"en"},
		Sessions: []templates.Session{
			{ID: "s-1", Current: true, CreatedAt: noon, LastUsedAt: noon, UserAgent: "curl/8", Address: "192.0.2.1", Methods: []string{"password"}},
			{ID: "s-2", CreatedAt: noon, LastUsedAt: noon, Methods: []string{"push", "otp", "uaf"}, Bound: true},
		},
		Events: []templates.Event{
			{Kind: "sign-in.accepted", At: noon, UserAgent: "curl/8", Address: "192.0.2.1", Method: "fido2"},
			{Kind: "authenticator.removed", At: noon}, {Kind: "operator.enabled", At: noon, Unclear: true},
		},
	}
	change(&page)
	return func(p *templates.Pages, w io.Writer) error { return p.Write(w, "account", page) }
}

func failure(page templates.Error) func(*templates.Pages, io.Writer) error {
	return func(p *templates.Pages, w io.Writer) error { return p.Write(w, "error", page) }
}

// samples returns all pages in all their states, for the rules that hold for every page.
func samples() []sample {
	all := []sample{
		{"home", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "home", templates.Home{Common: common("/", nil, "")})
		}},
		{"home signed in", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "home", templates.Home{Common: common("/", alice, "")})
		}},
		{"login", login(func(*templates.SignIn) {})},
		{"login wrong name", login(func(s *templates.SignIn) {
			s.Typed = "alice"
			s.Problem = &templates.Problem{Row: fault.Lookup(fault.RequestInvalid)}
		})},
		{"login limited", login(func(s *templates.SignIn) { s.Common = common("/login", nil, fault.RequestRate) })},
		{"login known", login(func(s *templates.SignIn) { s.User = alice.ID })},
		{"login remembered", login(func(s *templates.SignIn) { s.User, s.Remembered, s.Push = alice.ID, true, true })},
		{"login refused", login(func(s *templates.SignIn) { s.Common, s.User = common("/login", nil, fault.SignInRefused), alice.ID })},
		{"login step-up", login(func(s *templates.SignIn) { s.Person, s.User, s.StepUp = alice, alice.ID, true })},
		{"login step-up, no passkey", login(func(s *templates.SignIn) {
			s.Person, s.User, s.StepUp, s.NoPasskey, s.Push = alice, alice.ID, true, true, true
		})},
		{"login for signing", login(func(s *templates.SignIn) {
			s.Person, s.User, s.StepUp, s.ForSigning, s.Next = alice, alice.ID, true, true, "/packages/p-1/sign"
		})},
		{"login for signing, no passkey", login(func(s *templates.SignIn) {
			s.Common, s.User, s.StepUp, s.ForSigning, s.NoPasskey, s.Next = common("/login", alice, fault.SignInRefused), alice.ID, true, true, true, "/packages/p-1/sign"
		})},
		{"authenticators for signing", list(func(a *templates.Authenticators) {
			a.Next, a.Added, a.Changed, a.OtherSessions = "/packages/p-1/sign", "id-1", true, 1
		})},
		{"authenticators none, for signing", list(func(a *templates.Authenticators) {
			a.Next, a.Authenticators, a.StepUp = "/packages/p-1/sign", nil, true
		})},
		{"authenticators", list(func(*templates.Authenticators) {})},
		{"authenticators none", list(func(a *templates.Authenticators) { a.Authenticators = nil })},
		{"authenticators step-up", list(func(a *templates.Authenticators) {
			a.Common = common("/authenticators", alice, fault.SessionStepUp)
			a.StepUp = true
		})},
		{"authenticators added", list(func(a *templates.Authenticators) {
			a.Added, a.Place, a.Changed, a.OtherSessions = "id-1", "key", true, 1
		})},
		{"authenticators rename", list(func(a *templates.Authenticators) { a.Renaming = "id-1" })},
		{"authenticators rename wrong", list(func(a *templates.Authenticators) {
			a.Common, a.Renaming = common("/authenticators?rename=id-1", alice, fault.RequestInvalid), "id-1"
		})},
		{"authenticators remove", list(func(a *templates.Authenticators) { a.Removing = "id-1" })},
		{"authenticators remove last", list(func(a *templates.Authenticators) { a.Removing = "id-2" })},
		{"authenticators remove only", list(func(a *templates.Authenticators) { a.Removing, a.Authenticators = "id-1", a.Authenticators[:1] })},
		{"people", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "people", templates.People{Common: common("/people", alice, "")})
		}},
		{"people, nobody", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "people", templates.People{Common: common("/people", alice, ""), User: "x", Wrong: "Nobody."})
		}},
		{"people, found", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "people", templates.People{
				Common: common("/people", alice, ""), User: "b", Searched: true, First: 1, Count: 102, Next: "/people?offset=100&userID=b",
				Found: []templates.FoundPerson{{User: "bob@sandbox", DisplayName: "Bob", Email: "bob@example.com", Status: "locked"}, {User: "b@sandbox"}},
			})
		}},
		{"people, none found", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "people", templates.People{Common: common("/people", alice, ""), User: "x", Searched: true, First: 1})
		}},
		{"person, locked and disabled", person(func(o *templates.OnePerson) { o.Status, o.Locked, o.Disabled = "disabled", true, true })},
		{"person, unlock", person(func(o *templates.OnePerson) { o.Status, o.Locked, o.Asking = "locked", true, "unlock" })},
		{"person", person(func(*templates.OnePerson) {})},
		{"person, platform away", person(func(o *templates.OnePerson) { o.Away, o.Authenticators = true, nil })},
		{"person, end all", person(func(o *templates.OnePerson) { o.Asking, o.WrongReason = "end-all", "This is required." })},
		{"person, end one", person(func(o *templates.OnePerson) { o.Asking, o.AskingID = "end", "s-1" })},
		{"person, remove", person(func(o *templates.OnePerson) { o.Asking, o.AskingID = "remove", "id-1" })},
		{"authenticators notice", list(func(a *templates.Authenticators) { a.Notice = "removed" })},
		{"account", account(func(*templates.Account) {})},
		{"account problem", account(func(a *templates.Account) { a.Common = common("/account", alice, fault.SessionUnknown) })},
		{"account activation password", account(func(a *templates.Account) { a.ActivationPassword = "1234567890" })},
		{"account step-up", account(func(a *templates.Account) { a.StepUp = true })},
		{"package sign", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "package-sign", templates.MissingProofs{
				Common: common("/packages/p-1/sign", alice, ""), ID: "p-1", Name: "Lease", SignIn: "/login?again=yes&next=%2Fpackages%2Fp-1%2Fsign",
				Proofs: []templates.MissingProof{{Kind: "passkey", Reason: "none", MaxAge: 90}, {Kind: "identity", Reason: "none", MaxAge: 7776000}},
			})
		}},
		{"package sign, identity", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "package-sign", templates.MissingProofs{
				Common: common("/packages/p-1/sign", alice, ""), ID: "p-1", Name: "Lease", Verify: "/verifications/new?for=self",
				Proofs: []templates.MissingProof{{Kind: "passkey", Met: true, MaxAge: 31}, {Kind: "identity", Reason: "other-name", MaxAge: 7200}},
			})
		}},
		{"package proofs", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "package-proofs", templates.PackageProofs{
				Common: common("/packages/p-1/proofs", alice, ""), ID: "p-1", Name: "Lease", Asks: true,
				Roles: []templates.SignatureEvidence{
					{Signer: "Bob Baker", State: "met", Passkey: 300, Identity: 86400, SignedAt: noon, Kept: []templates.KeptProof{{
						At: noon, Email: "bob@example.com", Passkey: &templates.KeptPasskey{Protocol: "UAF11", Model: "4E4E#4005", Kind: "device-bound", Ceremony: "c", At: noon},
						Identity:  &templates.KeptIdentity{Transaction: "t-1", Name: "BOB BAKER", Completed: noon},
						Documents: []templates.KeptDocument{{Name: "Lease", SHA256: "00"}},
					}, {At: noon, Email: "bob@example.com", DocumentsHash: "11"}}},
					{Signer: "Dora Day", State: "unmet", Passkey: 300, SignedAt: noon}, {Signer: "Ed Eel", State: "none"},
				},
			})
		}},
		{"verification finished", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "verification-finished", common("/verifications/t-1/finished", nil, ""))
		}},
		{"interstitial", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "interstitial", templates.Interstitial{Common: common("/account?a=1&b=2", nil, "")})
		}},
	}
	for _, row := range fault.Rows() {
		all = append(all,
			sample{"error " + string(row.Key), failure(templates.Error{Common: common("/x", nil, ""), Key: row.Key, RetryAfter: time.Second})},
			sample{"help " + string(row.Key), failure(templates.Error{Common: common("/errors/"+string(row.Key), nil, ""), Key: row.Key, Help: true})})
	}
	return all
}

func newAssets(t *testing.T) *static.Assets {
	t.Helper()
	assets, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	return assets
}

func newPages(t *testing.T) *templates.Pages {
	t.Helper()
	return newPagesWith(t, templates.Options{})
}

func newPagesWith(t *testing.T, o templates.Options) *templates.Pages {
	t.Helper()
	var err error
	if o.Bundle, err = i18n.New(); err != nil {
		t.Fatal(err)
	}
	o.Assets = newAssets(t)
	return templates.New(o)
}

// render writes a page and parses it, as a browser would.
func render(t *testing.T, pages *templates.Pages, write func(*templates.Pages, io.Writer) error) document {
	t.Helper()
	var out bytes.Buffer
	if err := write(pages, &out); err != nil {
		t.Fatal(err)
	}
	source := out.String()
	root, err := html.Parse(strings.NewReader(source))
	if err != nil {
		t.Fatal(err)
	}
	return document{source: source, root: root}
}
