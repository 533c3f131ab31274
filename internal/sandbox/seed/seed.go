// Package seed reads the sandbox's seed file (docs/sandbox/management.md). It is strict, and tells
// all mistakes at once.
package seed

import (
	"strconv"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/signing"
	"countersign/internal/sandbox/wire"
)

// World is what a sandbox holds at its beginning.
type World struct {
	People         []people.Seed         `yaml:"people"` // the demo people where nothing is said
	Authenticators []identity.Seed       `yaml:"authenticators"`
	CustomFields   []signing.SeedField   `yaml:"customFields"`
	Packages       []signing.SeedPackage `yaml:"packages"`
	Verifications  []idv.Seed            `yaml:"verifications"`
}

// Demo returns the world of a sandbox without a seed.
func Demo() World { return World{People: people.Demo()} }

// check reports what is wrong with the world, for a relying party of that id.
func (w World) check(rules *wire.Rules, rpID string) {
	known := places{rules: rules, first: map[string]string{}}
	for i, one := range w.People {
		at := item("people", i)
		one.Check(rules, at)
		known.once("person", people.Canonical(one.User), at+".user")
	}
	for i, one := range w.Authenticators {
		at := item("authenticators", i)
		one.Check(rules, at, rpID)
		known.required("person", people.Canonical(one.User), at+".user")
		known.once("credential", one.FIDO2.CredentialID, at+".fido2.credentialID")
		known.same("handle of "+people.Canonical(one.User), one.FIDO2.UserHandle, at+".fido2.userHandle")
	}
	for i, one := range w.CustomFields {
		at := item("customFields", i)
		one.Check(rules, at)
		known.once("field", one.ID, at+".id")
	}
	for i, one := range w.Packages {
		at := item("packages", i)
		one.Check(rules, at)
		known.once("package", one.ID, at+".id")
		if one.Owner != "" {
			known.required("person", people.Canonical(one.Owner), at+".owner")
		}
	}
	for i, one := range w.Verifications {
		at := item("verifications", i)
		one.Check(rules, at)
		known.once("verification", one.ID, at+".id")
	}
}

func item(list string, i int) string { return list + "." + strconv.Itoa(i) }

// places remembers where names stand that may be there once, and others refer to.
type places struct {
	rules *wire.Rules
	first map[string]string
}

func (p places) once(kind, name, at string) {
	key := kind + " " + name
	if first, twice := p.first[key]; twice && name != "" {
		p.rules.Broken(at, "is there twice: "+first+" is the same")
		return
	}
	p.first[key] = at
}

func (p places) required(kind, name, at string) {
	if _, known := p.first[kind+" "+name]; !known {
		p.rules.Broken(at, "must be a "+kind+" of the seed")
	}
}

// same requires that everything of a kind has the same value.
func (p places) same(kind, value, at string) {
	if first, known := p.first[kind]; known && first != value {
		p.rules.Broken(at, "must be the same for all authenticators of a person")
		return
	}
	p.first[kind] = value
}
