package seed_test

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/sandbox/seed"
)

func TestExample_IsDemoWorld(t *testing.T) {
	text, err := os.ReadFile("../../../examples/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := seed.Parse(text, "localhost")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(seed.Demo().People, got.People); diff != "" {
		t.Errorf("the built-in people and those of the example (-want +got):\n%s", diff)
	}
	if n := len(got.Authenticators) + len(got.CustomFields) + len(got.Packages) + len(got.Verifications); n != 0 {
		t.Errorf("the demo world has people alone, the example %d more", n)
	}
	used := commented.ReplaceAllString(string(text), ":\n$1")
	if got, err := seed.Parse([]byte(used), "localhost"); err != nil || len(got.CustomFields) != 1 || len(got.Packages) != 1 || len(got.Verifications) != 1 {
		t.Errorf("the comments of the example: %+v %v", got, err)
	}
}

// commented is an empty list of the example with the entry in the comment below it.
var commented = regexp.MustCompile(`(?m): \[\]\n#(  - .*)$`)

const good = `
people:
  - {user: Ann@Example, displayName: Ann, phone: "+431234567", secondFactor: true}
customFields:
  - {id: policy, value: P-1, translations: [{name: Policy}, {language: de, name: Polizze}]}
packages:
  - {id: lease, name: Lease, status: SENT, owner: ann@example, age: 36h, signers: [{email: bob@example.org, firstName: Bob, lastName: B}]}
verifications:
  - {id: 8f14e45f-ceea-4672-9d5a-0f6a3d1c9f10, firstName: Ann, lastName: A, status: completed, result: Failed}
`

func TestParse_YAMLAndJSON(t *testing.T) {
	world, err := seed.Parse([]byte(good), "localhost")
	if err != nil {
		t.Fatal(err)
	}
	if world.People[0].User != "Ann@Example" || world.CustomFields[0].Translations[1].Name != "Polizze" || world.Packages[0].Signers[0].FirstName != "Bob" || *world.Verifications[0].Result != "Failed" {
		t.Errorf("%+v", world)
	}
	same, err := seed.Parse([]byte("{\n\t\"people\": [\n\t\t{\"user\": \"a@b\", \"displayName\": \"\\u00c4 \\/ \\ud83d\\ude00\"}\n\t]\n}"), "localhost")
	if err != nil || same.People[0].DisplayName != "Ä / 😀" {
		t.Errorf("%+v %v", same.People, err)
	}
	if empty, err := seed.Parse([]byte("packages: []\n"), "localhost"); err != nil || len(empty.People) != 6 {
		t.Errorf("without people there are the demo people: %+v %v", empty.People, err)
	}
	if none, err := seed.Parse([]byte("people: []\n"), "localhost"); err != nil || len(none.People) != 0 {
		t.Errorf("an empty list is nobody: %+v %v", none.People, err)
	}
}

func TestParse_ReportsEveryMistake(t *testing.T) {
	_, err := seed.Parse([]byte(`people:
  - user: ann
    phone: +431234567
    status: away
  - {user: bob@x, user: bob@x, colour: red}
  - {user: BOB@x}
packages:
  - status: GONE
    owner: nobody@x
    age: yesterday
    signers: [{email: no address, firstName: A}]
verifications: none
authenticators:
  - user: bob@x
    fido2: {algorithm: ES256, credentialID: "", rpID: other.example, userHandle: AAAA, signCount: -1, privateKey: AAAA}
customFields:
  - {id: f, value: null}
extra: 1
`), "localhost")
	problems, ok := errors.AsType[seed.Problems](err)
	if !ok {
		t.Fatal(err)
	}
	var got []string
	for _, p := range problems {
		got = append(got, strings.Join(strings.SplitN(seed.Problems{p}.Error(), ": ", 3)[:2], ": "))
		if p.Message == "" {
			t.Errorf("%+v says nothing", p)
		}
	}
	want := []string{
		"line 2: people.0.user", "line 3: people.0.phone", "line 4: people.0.status",
		"line 5: people.1.colour", "line 5: people.1.user",
		"line 8: packages.0.name", "line 8: packages.0.status", "line 9: packages.0.owner", "line 10: packages.0.age",
		"line 11: packages.0.signers.0.email", "line 11: packages.0.signers.0.lastName", "line 12: verifications",
		"line 15: authenticators.0.fido2.credentialID", "line 15: authenticators.0.fido2.privateKey", "line 15: authenticators.0.fido2.rpID", "line 15: authenticators.0.fido2.signCount",
		"line 17: customFields.0.translations", "line 17: customFields.0.value", "line 18: extra",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, err)
	}
}

func TestParse_Refused(t *testing.T) {
	for text, says := range map[string]string{
		"":                                "line 1: is empty",
		"# nothing\n":                     "line 1: is empty",
		"people: [\n":                     "is not YAML or JSON",
		"people: []\n  x: 1\n":            "is not YAML or JSON",
		"[]":                              "line 1: must be an object",
		"text":                            "line 1: must be an object",
		"people: []\n---\npeople: []\n":   "must be one document",
		"people: {}":                      "line 1: people: must be a list",
		"people:\n- [a]":                  "line 2: people.0: must be an object",
		"people:\n- &a {user: a@b}\n- *a": "line 3: people.1: must be written out",
		"people:":                         "line 1: people: must not be empty",
		"people:\n- {user: a@b, secondFactor: \"yes\"}": "line 2: people.0.secondFactor: must be true or false",
		"1: x":       "line 1: 1: unknown member",
		"? [a]\n: x": "unknown member",
		"verifications: [{firstName: A, lastName: B, id: x}]":                                   "verifications.0.id: must be a UUID",
		"verifications: [{firstName: A, lastName: B, result: Passed}]":                          "goes with the status completed",
		"packages: [{name: A, id: a}, {name: B, id: a}]":                                        "packages.1.id: is there twice: packages.0.id is the same",
		"customFields: [{id: a, value: b, translations: [{name: a}, {language: en, name: b}]}]": "customFields.0.translations.1.language: is there twice",
	} {
		if _, err := seed.Parse([]byte(text), "localhost"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", text, err, says)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	for _, text := range []string{"{", "a: &a [*a]", "? ? a", "people: [{user: {}}]", "\xff", "people:\n- user: !!binary AA=="} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		world, err := seed.Parse(text, "localhost")
		if problems, ok := errors.AsType[seed.Problems](err); err != nil && (!ok || len(problems) == 0) {
			t.Errorf("%v is no list of problems", err)
		}
		if _, err := json.Marshal(world); err != nil {
			t.Error(err)
		}
	})
}
