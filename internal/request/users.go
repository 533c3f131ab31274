package request

import (
	"strings"

	"countersign/internal/identity/platform"
)

// Users defines the one spelling of each person's id, in paths, forms and bodies alike;
// sessions, limits, decoys and the platform see no other (docs/platform.md I8).
type Users struct {
	// Fold says that the platform takes Alice@x and alice@x for one person.
	Fold bool
	// DefaultDomain is the domain of a user id without one; if it is empty, an id must
	// have one.
	DefaultDomain string
}

// Canonical returns the canonical spelling of id, userID@domain; false if id does not
// have that form.
func (u Users) Canonical(id string) (string, bool) {
	if !platform.ValidUser(id) {
		return "", false
	}
	if u.Fold {
		id = strings.ToLower(id)
	}
	return id, true
}

// Misspelled returns the message id that explains why name is no user id; if only the
// domain is missing, it says so.
func Misspelled(name string) string {
	if strings.TrimSpace(name) != "" && !strings.Contains(name, "@") {
		return "field.user-domain"
	}
	return "field.user"
}

// Complete returns the canonical id of a person who is named in two parts, of which the
// first may hold both; DefaultDomain replaces an empty domain. It returns false if the
// two contradict each other or make no user id.
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
