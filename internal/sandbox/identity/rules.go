package identity

import "countersign/internal/sandbox/wire"

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

// decision checks the common members of payloads that ask for a decision: the type's
// name, where the person is asked, and how long to wait for them.
func (r *rules) decision(name string, objectType *string, deliveries []string, timeout *int) {
	r.kind("objectType", objectType, name)
	for _, delivery := range deliveries {
		r.OneOf("orchestrationDelivery", &delivery, "pushNotification")
	}
	if timeout != nil && *timeout < 0 {
		r.Broken("timeout", "must not be negative")
	}
}
