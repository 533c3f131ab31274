package identity

import (
	"slices"
	"strings"

	"countersign/internal/sandbox/wire"
)

// rules collects what is wrong with a payload, all of it at once.
type rules struct{ violations []wire.Violation }

func (r *rules) broken(field, message string) {
	r.violations = append(r.violations, wire.Violation{Field: field, Message: message})
}

// required wants a string that is there and not empty.
func (r *rules) required(field string, value *string) {
	if value == nil || *value == "" {
		r.broken(field, "is required")
	}
}

// oneOf wants a string that is absent or one of the allowed.
func (r *rules) oneOf(field string, value *string, allowed ...string) {
	if value != nil && !slices.Contains(allowed, *value) {
		r.broken(field, "must be one of "+strings.Join(allowed, ", "))
	}
}

// only wants a member of one protocol to be absent in a request of another.
func (r *rules) only(protocol, field string, present bool, asked *string) {
	if present && asked != nil && *asked != protocol {
		r.broken(field, "is for "+protocol+" only")
	}
}

// protocol wants the fidoProtocol that every FIDO payload carries.
func (r *rules) protocol(value *string) {
	r.required("fidoProtocol", value)
	if value != nil && *value != "" {
		r.oneOf("fidoProtocol", value, uaf11, fido2)
	}
}

// decision wants what every payload carries that asks for a decision: its type by
// name, where the person is asked, and for how long to wait for them.
func (r *rules) decision(name string, objectType *string, deliveries []string, timeout *int) {
	r.required("objectType", objectType)
	if objectType != nil && *objectType != "" {
		r.oneOf("objectType", objectType, name)
	}
	for _, delivery := range deliveries {
		r.oneOf("orchestrationDelivery", &delivery, "pushNotification")
	}
	if timeout != nil && *timeout < 0 {
		r.broken("timeout", "must not be negative")
	}
}

// verdict is nil or the 400 that names every violation.
func (r *rules) verdict() error {
	if len(r.violations) == 0 {
		return nil
	}
	return wire.Invalid(r.violations...)
}
