package identity

import (
	"regexp"

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
	if value != nil && *value != "" {
		r.OneOf(field, value, allowed...)
	}
}

// protocol requires the fidoProtocol of every FIDO payload.
func (r *rules) protocol(value *string) { r.kind("fidoProtocol", value, uaf11, fido2) }

// The values of orchestrationDelivery.
const (
	pushNotification = "pushNotification"
	requestMessage   = "requestMessage"
)

// dotted are the only addresses that the platform takes (docs/platform.md I5).
var dotted = regexp.MustCompile(`^(?:(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)\.){3}(?:25[0-5]|2[0-4][0-9]|[01]?[0-9][0-9]?)$`)

// decision checks the common members of payloads that ask for a decision: the type's
// name, where the person is asked, and how long to wait for them.
func (r *rules) decision(name string, objectType *string, deliveries []string, timeout *int) {
	r.kind("objectType", objectType, name)
	for _, delivery := range deliveries {
		r.OneOf("orchestrationDelivery", &delivery, pushNotification, requestMessage)
	}
	if deliveries != nil && len(deliveries) == 0 {
		r.Broken("orchestrationDelivery", "must not be empty")
	}
	if timeout != nil && (*timeout < 0 || *timeout > 60) {
		r.Broken("timeout", "must be 0 to 60 seconds")
	}
}

// address checks the client's address.
func (r *rules) address(ip *string) {
	if ip != nil && !dotted.MatchString(*ip) {
		r.Broken("clientIP", "must be in dot-decimal notation")
	}
}
