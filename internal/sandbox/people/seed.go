package people

import (
	"cmp"

	"countersign/internal/sandbox/wire"
)

// Seed is a person of a seed.
type Seed struct {
	User         string `yaml:"user"` // userID@domain
	DisplayName  string `yaml:"displayName"`
	Email        string `yaml:"email"`
	Phone        string `yaml:"phone"`
	Password     string `yaml:"password"` // DemoPassword
	Status       Status `yaml:"status"`   // active
	SecondFactor bool   `yaml:"secondFactor"`
}

// Check reports what is wrong with the person, which stands at that place.
func (s Seed) Check(rules *wire.Rules, place string) {
	if !ValidID(s.User) {
		rules.Broken(place+".user", "must be userID@domain")
	}
	status := string(cmp.Or(s.Status, Active))
	rules.OneOf(place+".status", &status, Statuses()...)
}

// Statuses returns the words for the flags of an account.
func Statuses() []string {
	return []string{string(Active), string(Disabled), string(Locked), string(Expired), string(PasswordExpired)}
}

// person returns the account.
func (s Seed) person() Person {
	p := Person{
		ID: Canonical(s.User), PassKey: cmp.Or(s.Password, DemoPassword), DisplayName: s.DisplayName,
		Email: s.Email, Phone: s.Phone, SecondFactor: s.SecondFactor,
	}
	p.Set(s.Status)
	return p
}

// Demo returns the demo people.
func Demo() []Seed {
	demo := []Seed{
		{User: "alice@sandbox", DisplayName: "Alice Archer", Status: Active},
		{User: "bob@sandbox", DisplayName: "Bob Baker", Status: Active},
		{User: "carol@sandbox", DisplayName: "Carol Carter", Status: Active},
		{User: "dave@sandbox", DisplayName: "Dave Draper", Status: Disabled},
		{User: "erin@sandbox", DisplayName: "Erin Ellis", Status: Locked},
		{User: "frank@sandbox", DisplayName: "Frank Fisher", Status: PasswordExpired},
	}
	for i := range demo {
		demo[i].Password, demo[i].Email = DemoPassword, demo[i].User+".example"
	}
	return demo
}
