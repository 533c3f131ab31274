package identity

import "countersign/internal/sandbox/wire"

// rules collects what is wrong with a payload, with the rules that several
// payloads of the identity platform share.
type rules struct{ wire.Rules }

// only wants a member of one protocol to be absent in a request of another.
func (r *rules) only(protocol, field string, present bool, asked *string) {
	if present && asked != nil && *asked != protocol {
		r.Broken(field, "is for "+protocol+" only")
	}
}

// kind wants a member that is required, and one of the allowed.
func (r *rules) kind(field string, value *string, allowed ...string) {
	r.Required(field, value)
	if value != nil && *value != "" {
		r.OneOf(field, value, allowed...)
	}
}

// protocol wants the fidoProtocol that every FIDO payload carries.
func (r *rules) protocol(value *string) { r.kind("fidoProtocol", value, uaf11, fido2) }

// decision wants what every payload carries that asks for a decision: its type by
// name, where the person is asked, and for how long to wait for them.
func (r *rules) decision(name string, objectType *string, deliveries []string, timeout *int) {
	r.kind("objectType", objectType, name)
	for _, delivery := range deliveries {
		r.OneOf("orchestrationDelivery", &delivery, "pushNotification")
	}
	if timeout != nil && *timeout < 0 {
		r.Broken("timeout", "must not be negative")
	}
}
