package identity

import (
	"net/http"
	"regexp"
	"slices"

	"countersign/internal/sandbox/wire"
)

// rules collects the violations of a payload, with rules that several payloads of the
// identity platform share.
type rules struct{ wire.Rules }

// only requires that a member of one protocol is absent in a request of another.
func (r *rules) only(protocol, field string, present bool, asked *string) {
	if present && asked != nil && *asked != protocol {
		r.Broken(field, "is for "+protocol+" only")
	}
}

// kind requires a member with one of the allowed values.
func (r *rules) kind(field string, value *string, allowed ...string) {
	r.Required(field, value)
	r.OneOf(field, value, allowed...)
}

// protocol requires the fidoProtocol of every FIDO payload.
func (r *rules) protocol(value *string) { r.kind("fidoProtocol", value, uaf11, fido2) }

// The values of orchestrationDelivery.
const (
	pushNotification = "pushNotification"
	requestMessage   = "requestMessage"
)

// The patterns of the platform's documents (docs/platform.md I5, I8, I9).
var (
	dotted       = regexp.MustCompile(`^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$`)
	uuidForm     = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	serialForm   = regexp.MustCompile(`^[A-Z0-9]{3}[0-9]{7}$`)
	hexForm      = regexp.MustCompile(`^[0-9a-fA-F]+$`)
	visible      = regexp.MustCompile(`\S`)
	phoneForm    = regexp.MustCompile(`^[+\-()0-9 ]{0,20}$`)
	mobileForm   = regexp.MustCompile(`^\+[1-9][0-9]{1,14}$`)
	untrimmed    = regexp.MustCompile(`^\s|\s$|[\x00-\x1F\x7F]`)
	userNameForm = regexp.MustCompile(`^.{1,255}@.{1,255}$`)
)

// requestID requires that the id of a request, if it is there, is a UUID.
func (r *rules) requestID(field string, value *string) {
	r.Matches(field, value, uuidForm, "a UUID")
}

// oneOf requires exactly one of the members that field has.
func (r *rules) oneOf(field string, present ...bool) {
	switch n := len(slices.DeleteFunc(present, func(there bool) bool { return !there })); {
	case n == 0:
		r.Broken(field, "is required")
	case n > 1:
		r.Broken(field, "must be of one kind")
	}
}

// decision checks the common members of payloads that ask for a decision: the type's
// name, where the person is asked, and how long to wait for them.
func (r *rules) decision(objectType *string, names, deliveries []string, timeout *int) {
	r.kind("objectType", objectType, names...)
	for i, delivery := range deliveries {
		r.OneOf("orchestrationDelivery", &delivery, pushNotification, requestMessage)
		if slices.Contains(deliveries[:i], delivery) {
			r.Broken("orchestrationDelivery", "must be there once each")
		}
	}
	if deliveries != nil && len(deliveries) == 0 {
		r.Broken("orchestrationDelivery", "must not be empty")
	}
	wire.Between(&r.Rules, "timeout", timeout, 0, 60)
}

// subject returns the user in the path, or a 400 if it is no userID@domain.
func subject(r *http.Request) (string, error) {
	user := r.PathValue("user")
	if !userNameForm.MatchString(user) {
		return "", wire.Invalid(wire.Violation{Field: "userID@domain", Message: "must be userID@domain"})
	}
	return user, nil
}
