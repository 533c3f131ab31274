package ceremony

import (
	"crypto/subtle"
	"fmt"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// Expected is the pending ceremony that a response was matched with.
type Expected struct {
	Kind      Kind
	Protocol  Protocol
	RequestID string
	User      string
	Challenge []byte
	// RPID is never empty for FIDO2: where the request named none it is the host
	// of the page that asked.
	RPID            string
	AppID           string
	TransactionHash []byte
}

// Presented is what the client claims around its response.
type Presented struct {
	// Kind is what the endpoint finishes.
	Kind     Kind
	Protocol Protocol
	User     string
	// RequestID is "" where none was sent, which is in order.
	RequestID string
}

// Trust is whom we let speak for us.
type Trust struct {
	// Origins are those that FIDO2 client data may carry, compared as strings.
	Origins []string
	// Facets are the facet IDs of UAF clients, compared as strings.
	Facets []string
}

// Check decides whether r, as got presents it, answers exp. The errors are rows
// of the catalogue, looked for in this order: ceremony.type, the challenge
// (ceremony.mismatch), ceremony.origin, ceremony.rp, and ceremony.mismatch for
// another transaction, kind, protocol, user or requestID. With UAF the operation
// is the type, the facet the origin and the appID the relying party; the errors
// carry its status codes, 1498 for what the message says and 1491 where it does
// not belong to the ceremony.
func Check(exp Expected, got Presented, r *Response, trust Trust) error {
	err := r.answer.check(exp, got, trust)
	if err == nil {
		err = checkBinding(exp, got, r.Protocol)
	}
	if err == nil {
		return nil
	}
	refusal := fault.From(err)
	if r.Protocol == UAF11 && refusal.UAFStatusCode == 0 {
		refusal.UAFStatusCode = int(uaf.StatusRequestInvalid)
	}
	return refusal
}

// checkBinding checks that the ceremony was begun for what it is to finish.
func checkBinding(exp Expected, got Presented, read Protocol) error {
	switch {
	case got.Kind != exp.Kind:
		return refuse(fault.CeremonyMismatch, "a ceremony of kind %q cannot finish %q", exp.Kind, got.Kind)
	case got.Protocol != exp.Protocol || read != exp.Protocol:
		return refuse(fault.CeremonyMismatch, "a ceremony of %s answered in %s", exp.Protocol, read)
	case got.User != exp.User:
		return refuse(fault.CeremonyMismatch, "a ceremony of another user")
	case got.RequestID != "" && got.RequestID != exp.RequestID:
		return refuse(fault.CeremonyMismatch, "a ceremony with another requestID")
	}
	return nil
}

// checkChallenge compares without telling by time how far two challenges agree.
func checkChallenge(exp Expected, challenge []byte) error {
	if subtle.ConstantTimeCompare(exp.Challenge, challenge) != 1 {
		return refuse(fault.CeremonyMismatch, "a response to another challenge")
	}
	return nil
}

func refuse(key fault.Key, format string, args ...any) error {
	return fault.Wrap(key, fmt.Errorf(format, args...))
}
