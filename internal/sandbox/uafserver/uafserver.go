// Package uafserver implements the sandbox's FIDO UAF 1.1 server: metadata, signatures.
//
// Package uaf owns the messages. This one does no I/O and has no state: challenges, keys and
// the time come in through a context struct, and a refusal is a *uaf.Error.
package uafserver

import (
	"fmt"

	"countersign/internal/uaf"
)

// RegistrationPolicy accepts any model of the metadata that supports version 1.1, and
// disallows the user's existing keys.
func RegistrationPolicy(metadata *Metadata, registered []uaf.KeyReference) uaf.Policy {
	var policy uaf.Policy
	for _, statement := range metadata.Statements {
		if statement.supports(uaf.ProtocolVersion()) {
			policy.Accepted = append(policy.Accepted, []uaf.MatchCriteria{{AAIDs: []uaf.AAID{statement.AAID}}})
		}
	}
	for _, key := range registered {
		policy.Disallowed = append(policy.Disallowed, key.Criteria())
	}
	return policy
}

func refuse(status uaf.Status, format string, args ...any) error {
	return &uaf.Error{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// unacceptable refuses a message's content, the commonest refusal.
func unacceptable(format string, args ...any) error {
	return refuse(uaf.StatusUnacceptableContent, format, args...)
}

func refuseCause(status uaf.Status, cause error, format string, args ...any) error {
	return &uaf.Error{Status: status, Reason: fmt.Sprintf(format, args...), Cause: cause}
}
