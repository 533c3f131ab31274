package templates_test

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"countersign/handlers/page"
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

// object is a value of a page's members, by their names.
type object = map[string]any

// cut keeps some of the members of a list.
type cut struct{ from, to int }

// shown returns what writes the page of that name with these members: each a name and its
// value.
func shown(name string, members ...any) func(*templates.Pages, io.Writer) error {
	view := reflect.New(page.Views()[name]).Elem()
	for i := 0; i < len(members); i += 2 {
		setMember(view.FieldByName(members[i].(string)), members[i+1])
	}
	return func(p *templates.Pages, w io.Writer) error {
		filled, _ := reflect.TypeAssert[templates.Page](view)
		return p.Write(w, name, filled)
	}
}

// setMember sets a member to a value of its type, or to one that JSON can turn into it.
func setMember(member reflect.Value, value any) {
	given := reflect.ValueOf(value)
	part, isPart := value.(cut)
	switch {
	case isPart:
		to := part.to
		if to < 0 {
			to = member.Len()
		}
		member.Set(member.Slice(part.from, to))
	case value == nil:
		member.SetZero()
	case given.CanConvert(member.Type()):
		member.Set(given.Convert(member.Type()))
	default:
		text, err := json.Marshal(value)
		if err == nil {
			member.SetZero()
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.DisallowUnknownFields()
			err = decoder.Decode(member.Addr().Interface())
		}
		if err != nil {
			panic(err)
		}
	}
}

func login(members ...any) func(*templates.Pages, io.Writer) error {
	return shown("signin", append([]any{"Common", common("/login", nil, ""), "Next", "/account?tab=1"}, members...)...)
}

func list(members ...any) func(*templates.Pages, io.Writer) error {
	return shown("authenticators", append([]any{"Common", common("/authenticators", alice, ""), "Authenticators", []object{
		{"ID": "id-1", "Name": "Work laptop", "Protocol": "FIDO2", "Provider": "Example Vault", "CreatedAt": noon, "LastUsedAt": noon},
		{"ID": "id-2", "Protocol": "FIDO2", "Last": true},
		{"ID": "id-3", "Name": "Bank app", "Protocol": "UAF11", "CreatedAt": noon},
	}}, members...)...)
}

func person(members ...any) func(*templates.Pages, io.Writer) error {
	return shown("person", append([]any{
		"Common", common("/people/bob@sandbox", alice, ""), "User", "bob@sandbox", "DisplayName", "Bob", "Email", "bob@example.com", "Status", "active",
		"Sessions", []object{{"ID": "s-1", "CreatedAt": noon, "LastUsedAt": noon, "UserAgent": "curl/8", "Address": "192.0.2.1", "Methods": []string{"password"}, "Bound": true}},
		"Authenticators", []object{{"ID": "id-1", "Name": "Work laptop", "Protocol": "FIDO2", "CreatedAt": noon, "Last": true}},
		"Events", []object{
			{"event": "sign-in.accepted", "at": noon, "device": "curl/8", "address": "192.0.2.1", "method": "password"},
			{"event": "operator.ended", "at": noon, "person": "carol@sandbox", "onBehalfOf": "bob@sandbox", "reason": "a stolen phone"}, {"event": "account.ended", "at": noon},
		},
	}, members...)...)
}

func account(members ...any) func(*templates.Pages, io.Writer) error {
	return shown("account", append([]any{
		"Common", common("/account", alice, ""), "Email", "alice@example.com", "Languages", []string{"en"},
		"Sessions", []object{
			{"ID": "s-1", "Current": true, "CreatedAt": noon, "LastUsedAt": noon, "UserAgent": "curl/8", "Address": "192.0.2.1", "Methods": []string{"password"}},
			{"ID": "s-2", "CreatedAt": noon, "LastUsedAt": noon, "Methods": []string{"push", "otp", "uaf"}, "Bound": true},
		},
		"Events", []object{
			{"event": "sign-in.accepted", "at": noon, "device": "curl/8", "address": "192.0.2.1", "method": "fido2"},
			{"event": "authenticator.removed", "at": noon}, {"event": "operator.enabled", "at": noon, "unclear": true},
		},
	}, members...)...)
}

func failure(members ...any) func(*templates.Pages, io.Writer) error {
	return shown("error", members...)
}

// samples returns all pages in all their states, for the rules that hold for every page.
func samples() []sample {
	all := []sample{
		{"home", shown("home", "Common", common("/", nil, ""))},
		{"home signed in", shown("home", "Common", common("/", alice, ""))},
		{"login", login()},
		{"login wrong name", login("Typed", "alice", "Problem", &templates.Problem{Row: fault.Lookup(fault.RequestInvalid)})},
		{"login limited", login("Common", common("/login", nil, fault.RequestRate))},
		{"login known", login("User", alice.ID)},
		{"login remembered", login("User", alice.ID, "Remembered", true, "Push", true)},
		{"login refused", login("Common", common("/login", nil, fault.SignInRefused), "User", alice.ID)},
		{"login step-up", login("Person", alice, "User", alice.ID, "StepUp", true)},
		{"login step-up, no passkey", login("Person", alice, "User", alice.ID, "StepUp", true, "NoPasskey", true, "Push", true)},
		{"login for signing", login("Person", alice, "User", alice.ID, "StepUp", true, "ForSigning", true, "Next", "/packages/p-1/sign")},
		{"login for signing, no passkey", login("Common", common("/login", alice, fault.SignInRefused), "User", alice.ID, "StepUp", true, "ForSigning", true, "NoPasskey", true, "Next", "/packages/p-1/sign")},
		{"authenticators for signing", list("Next", "/packages/p-1/sign", "Added", "id-1", "Changed", true, "OtherSessions", 1)},
		{"authenticators none, for signing", list("Next", "/packages/p-1/sign", "Authenticators", nil, "StepUp", true)},
		{"authenticators", list()},
		{"authenticators none", list("Authenticators", nil)},
		{"authenticators step-up", list("Common", common("/authenticators", alice, fault.SessionStepUp), "StepUp", true)},
		{"authenticators added", list("Added", "id-1", "Place", "key", "Changed", true, "OtherSessions", 1)},
		{"authenticators rename", list("Renaming", "id-1")},
		{"authenticators rename wrong", list("Common", common("/authenticators?rename=id-1", alice, fault.RequestInvalid), "Renaming", "id-1")},
		{"authenticators remove", list("Removing", "id-1")},
		{"authenticators remove last", list("Removing", "id-2")},
		{"authenticators remove only", list("Removing", "id-1", "Authenticators", cut{0, 1})},
		{"people", shown("people", "Common", common("/people", alice, ""))},
		{"people, nobody", shown("people", "Common", common("/people", alice, ""), "User", "x", "Wrong", "Nobody.")},
		{"people, found", shown("people", "Common", common("/people", alice, ""), "User", "b", "Searched", true, "First", 1, "Count", 102, "Next", "/people?offset=100&userID=b", "Found", []object{{"ID": "bob@sandbox", "DisplayName": "Bob", "EmailAddress": "bob@example.com", "Status": "locked"}, {"ID": "b@sandbox"}})},
		{"people, none found", shown("people", "Common", common("/people", alice, ""), "User", "x", "Searched", true, "First", 1)},
		{"person, locked and disabled", person("Status", "disabled", "Locked", true, "Disabled", true)},
		{"person, unlock", person("Status", "locked", "Locked", true, "Asking", "unlock")},
		{"person", person()},
		{"person, platform away", person("Away", true, "Authenticators", nil)},
		{"person, end all", person("Asking", "end-all", "WrongReason", "This is required.")},
		{"person, end one", person("Asking", "end", "AskingID", "s-1")},
		{"person, remove", person("Asking", "remove", "AskingID", "id-1")},
		{"authenticators notice", list("Notice", "removed")},
		{"account", account()},
		{"account problem", account("Common", common("/account", alice, fault.SessionUnknown))},
		{"account activation password", account("ActivationPassword", "1234567890")},
		{"account step-up", account("StepUp", true)},
		{"package sign", shown("package-sign", "Common", common("/packages/p-1/sign", alice, ""), "ID", "p-1", "Name", "Lease", "SignIn", "/login?again=yes&next=%2Fpackages%2Fp-1%2Fsign", "Proofs", []object{{"Kind": "passkey", "Reason": "none", "MaxAge": 90}, {"Kind": "identity", "Reason": "none", "MaxAge": 7776000}})},
		{"package sign, identity", shown("package-sign", "Common", common("/packages/p-1/sign", alice, ""), "ID", "p-1", "Name", "Lease", "Verify", "/verifications/new?for=self", "Proofs", []object{{"Kind": "passkey", "Met": true, "MaxAge": 31}, {"Kind": "identity", "Reason": "other-name", "MaxAge": 7200}})},
		{"package proofs", shown("package-proofs", "Common", common("/packages/p-1/proofs", alice, ""), "ID", "p-1", "Name", "Lease", "Asks", true, "Roles", []object{{"Signer": "Bob Baker", "State": "met", "Passkey": 300, "Identity": 86400, "SignedAt": noon, "Kept": []object{{"At": noon, "signer": "bob@example.com", "Passkey": object{"Protocol": "UAF11", "aaid": "4E4E#4005", "Kind": "device-bound", "Ceremony": "c", "At": noon}, "Identity": object{"Transaction": "t-1", "Name": "BOB BAKER", "Completed": noon}, "Documents": []object{{"ID": "Lease", "SHA256": "00"}}}, {"At": noon, "signer": "bob@example.com", "DocumentsHash": "11"}}}, {"Signer": "Dora Day", "State": "unmet", "Passkey": 300, "SignedAt": noon}, {"Signer": "Ed Eel", "State": "none"}})},
		{"verification finished", func(p *templates.Pages, w io.Writer) error {
			return p.Write(w, "verification-finished", common("/verifications/t-1/finished", nil, ""))
		}},
		{"interstitial", shown("interstitial", "Common", common("/account?a=1&b=2", nil, ""))},
	}
	for _, row := range fault.Rows() {
		all = append(all,
			sample{"error " + string(row.Key), failure("Common", common("/x", nil, ""), "Key", row.Key, "RetryAfter", time.Second)},
			sample{"help " + string(row.Key), failure("Common", common("/errors/"+string(row.Key), nil, ""), "Key", row.Key, "Help", true)})
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
