package request

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/session"
)

// Actors tell the use cases who asks, by JSON and on pages.
type Actors struct {
	// Profile returns the signed-in user, read from the platform where that could not be
	// done when they signed in; false when signed out.
	Profile func(*gin.Context) (session.User, bool)
	// Operator reports whether a user may act for the whole account.
	Operator func(user string) bool
	// TrustEmail says that the platform's e-mail address makes its person the owner or
	// signer of packages.
	TrustEmail bool
	StepUp     StepUp
}

// Actor returns who asks; the error is session.required when signed out.
func (a Actors) Actor(c *gin.Context) (access.Actor, error) {
	user, signedIn := a.Profile(c)
	if !signedIn {
		return access.Actor{}, fault.New(fault.SessionRequired)
	}
	person := access.Person{User: user.ID, Operator: a.Operator(user.ID)}
	if a.TrustEmail {
		person.Email = payload.FoldAddress(user.Email)
	}
	var passkey *session.Passkey
	if used, ok := From(c).Session.Passkey(); ok {
		passkey = &used
	}
	return access.Actor{
		Person:  person,
		Name:    displayName(user),
		Passkey: passkey,
		Session: From(c).Session.ID(),

		Changing: c.Request.Method != http.MethodGet && c.Request.Method != http.MethodHead,
		Journal:  journal{c, a.StepUp},
	}, nil
}

// journal is the access.Journal of a request.
type journal struct {
	c      *gin.Context
	stepUp StepUp
}

func (j journal) StepUp() error                   { return j.stepUp.Require(j.c) }
func (j journal) Record(e audit.Event)            { Audit(j.c, e) }
func (j journal) RecordFirst(e audit.Event) error { return auditFirst(j.c, e) }
func (j journal) Log(err error)                   { LogCause(j.c, err) }

// maxDisplayName limits the name that others are shown, in characters.
const maxDisplayName = 255

// displayName returns the name that others may be shown of a user; "" if the account has
// none. An account that is called by an e-mail address has none.
func displayName(user session.User) string {
	name := []rune(strings.Join(strings.Fields(user.DisplayName), " "))
	if slices.Contains(name, '@') {
		return ""
	}
	return string(name[:min(len(name), maxDisplayName)])
}
