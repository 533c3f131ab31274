package request

import (
	"strings"

	"countersign/internal/identity"
)

// Users is how people are named: one spelling for each person, in paths, forms and
// bodies alike, and the only one that sessions, limits, decoys and the platform see.
type Users struct {
	// Fold says that the platform takes Alice@x and alice@x for one person.
	Fold bool
	// DefaultDomain is the domain of a user id that names none; empty where none
	// may be left out.
	DefaultDomain string
}

// Canonical is the one spelling of id, userID@domain; false when id has not that
// form.
func (u Users) Canonical(id string) (string, bool) {
	if !identity.ValidUser(id) {
		return "", false
	}
	if u.Fold {
		id = strings.ToLower(id)
	}
	return id, true
}

// Misspelled is the message id of what is wrong with name, which is no user id: what is
// missing, where that is plain.
func Misspelled(name string) string {
	if strings.TrimSpace(name) != "" && !strings.Contains(name, "@") {
		return "field.user-domain"
	}
	return "field.user"
}

// Complete is the canonical id of a person who is named in two parts, of which the
// first may hold both; an empty domain is DefaultDomain. It is false when the two
// contradict each other or make no user id.
func (u Users) Complete(userID, domain string) (string, bool) {
	name, own, whole := strings.Cut(userID, "@")
	if domain == "" {
		domain = own
	}
	if domain == "" {
		domain = u.DefaultDomain
	}
	id, ok := u.Canonical(name + "@" + domain)
	if whole {
		given, _ := u.Canonical(userID)
		ok = ok && given == id
	}
	return id, ok
}
