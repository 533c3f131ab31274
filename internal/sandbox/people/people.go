// Package people has the accounts of the sandbox, shared by its services.
//
// Each service keeps its own data of a person, such as authenticators.
package people

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Status is a word for the flags of an account, for tests and people: the platform itself
// has only the flags.
type Status string

// The statuses of an account.
const (
	Active          Status = "active"
	Disabled        Status = "disabled"
	Locked          Status = "locked"
	Expired         Status = "expired"
	PasswordExpired Status = "passwordExpired"
)

// DemoPassword is the static password of everybody without another one.
const DemoPassword = "Sandbox-1!"

// Person is one account.
type Person struct {
	ID          string // userID@domain in its canonical spelling
	PassKey     string // the static password
	DisplayName string
	Email       string // "" if unknown
	Phone       string // "" if unknown
	// Disabled, Locked and Expired accounts cannot be used. An expired password only stops
	// sign-ins with the password.
	Disabled, Locked, Expired, PasswordExpired bool
	// SecondFactor has the right password answered with a push.
	SecondFactor bool
}

// Set gives the account the flags of status, and no other.
func (p *Person) Set(status Status) {
	p.Disabled, p.Locked, p.Expired = status == Disabled, status == Locked, status == Expired
	p.PasswordExpired = status == PasswordExpired
}

// Directory holds the people, in memory. It is safe for concurrent use.
type Directory struct {
	seed []Seed

	mu     sync.RWMutex
	people map[string]Person
}

// New returns a directory of those people, each with a different name.
func New(seed []Seed) *Directory {
	d := &Directory{seed: seed}
	d.Reset()
	return d
}

// Reset restores the people of the beginning alone.
func (d *Directory) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.people = map[string]Person{}
	for _, one := range d.seed {
		p := one.person()
		d.people[p.ID] = p
	}
}

// Find returns the person of that name, in any spelling; the boolean is false if there is
// none.
func (d *Directory) Find(id string) (Person, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	p, ok := d.people[Canonical(id)]
	return p, ok
}

// List returns all people, by their names.
func (d *Directory) List() []Person {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return slices.SortedFunc(maps.Values(d.people), func(a, b Person) int { return strings.Compare(a.ID, b.ID) })
}

// Put changes the person of that name. If there is none, it first makes an active one
// with DemoPassword.
func (d *Directory) Put(id string, change func(*Person)) {
	id = Canonical(id)
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[id]
	if !ok {
		name, _, _ := strings.Cut(id, "@")
		p = Person{ID: id, PassKey: DemoPassword, DisplayName: name}
	}
	change(&p)
	d.people[id] = p
}

var userID = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$`)

// ValidID reports whether id is a userID@domain, each part of 64 characters at most.
func ValidID(id string) bool {
	name, domain, _ := strings.Cut(id, "@")
	return len(name) <= 64 && len(domain) <= 64 && userID.MatchString(id)
}

// Canonical returns the canonical spelling of a userID@domain: Alice@Sandbox becomes
// alice@sandbox. Letters beyond ASCII, which no id has, stay unchanged.
func Canonical(id string) string {
	lower := []byte(id)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}
