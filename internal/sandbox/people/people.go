// Package people is who exists on the sandbox platform: names, passwords,
// status, e-mail addresses and telephone numbers, shared by all of its services.
//
// What a service keeps of a person, such as authenticators, is the service's.
package people

import (
	"regexp"
	"strings"
	"sync"
)

// Status is what an account may do.
type Status string

// The statuses of an account.
const (
	Active          Status = "active"
	Disabled        Status = "disabled"
	Locked          Status = "locked"
	PasswordExpired Status = "passwordExpired"
)

// DemoPassword is the static password of everybody who was given no other.
const DemoPassword = "Sandbox-1!"

// Person is one account.
type Person struct {
	ID          string // userID@domain in its canonical spelling
	PassKey     string // the static password
	DisplayName string
	Email       string // "" where the platform knows none
	Phone       string // likewise
	Status      Status
}

// Directory holds the people, in memory. It is safe for concurrent use.
type Directory struct {
	mu     sync.RWMutex
	people map[string]Person
}

// New is a directory of the demo people.
func New() *Directory {
	d := &Directory{}
	d.Reset()
	return d
}

// Reset leaves the demo people alone, as at the start.
func (d *Directory) Reset() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.people = map[string]Person{}
	for _, p := range []Person{
		{ID: "alice@sandbox", DisplayName: "Alice Archer", Status: Active},
		{ID: "bob@sandbox", DisplayName: "Bob Baker", Status: Active},
		{ID: "carol@sandbox", DisplayName: "Carol Carter", Status: Active},
		{ID: "dave@sandbox", DisplayName: "Dave Draper", Status: Disabled},
		{ID: "erin@sandbox", DisplayName: "Erin Ellis", Status: Locked},
		{ID: "frank@sandbox", DisplayName: "Frank Fisher", Status: PasswordExpired},
	} {
		p.PassKey, p.Email = DemoPassword, p.ID+".example"
		d.people[p.ID] = p
	}
}

// Find is the person of that name, in any spelling; false if there is none.
func (d *Directory) Find(id string) (Person, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	p, ok := d.people[Canonical(id)]
	return p, ok
}

// Put changes the person of that name. Where there is none it makes one first,
// who is active and has DemoPassword.
func (d *Directory) Put(id string, change func(*Person)) {
	id = Canonical(id)
	d.mu.Lock()
	defer d.mu.Unlock()
	p, ok := d.people[id]
	if !ok {
		name, _, _ := strings.Cut(id, "@")
		p = Person{ID: id, PassKey: DemoPassword, DisplayName: name, Status: Active}
	}
	change(&p)
	d.people[id] = p
}

var userID = regexp.MustCompile(`^[A-Za-z0-9._+-]+@[A-Za-z0-9.-]+$`)

// ValidID reports whether id is a userID@domain, each of 64 characters at most.
func ValidID(id string) bool {
	name, domain, _ := strings.Cut(id, "@")
	return len(name) <= 64 && len(domain) <= 64 && userID.MatchString(id)
}

// Canonical is the one spelling of a userID@domain: Alice@Sandbox is
// alice@sandbox. Letters beyond ASCII, which no id has, stay as they are.
func Canonical(id string) string {
	lower := []byte(id)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] = b + 'a' - 'A'
		}
	}
	return string(lower)
}
