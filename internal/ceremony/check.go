package ceremony

import (
	"context"
	"crypto/subtle"
	"fmt"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// ClientClaims holds the client's claims about its response.
type ClientClaims struct {
	// Kind is the kind of ceremony that the endpoint finishes.
	Kind     Kind
	Protocol Protocol
	User     string
	// RequestID may be "", if the client sent none.
	RequestID string
}

// Finish ends the ceremony that r answers: it spends it, then checks it against got and
// returns the pending ceremony. ready returns an error while the platform cannot be
// called; nothing is spent then. Once spend has found the ceremony it is spent, whatever
// the check says. The errors come from ready, spend and Check.
func (rp RelyingParty) Finish(ctx context.Context, r *Response, got ClientClaims, ready func(context.Context) error, spend func(context.Context, *Pending) error) (*Pending, error) {
	if err := ready(ctx); err != nil {
		return nil, err
	}
	pending := r.Pending()
	if err := spend(ctx, pending); err != nil {
		return nil, err
	}
	if err := rp.Check(pending, got, r); err != nil {
		return nil, err
	}
	return pending, nil
}

// Check decides whether r, as got presents it, finishes p. The errors are faults, looked
// for in this order: ceremony.type, the challenge (ceremony.mismatch), ceremony.origin,
// ceremony.rp, and ceremony.mismatch for another transaction, kind, protocol, user or
// requestID. With UAF the operation is the type, the facet the origin and the appID the
// relying party; the errors carry UAF status codes, 1498 for the message's content and
// 1491 for a response that does not belong to the ceremony.
func (rp RelyingParty) Check(p *Pending, got ClientClaims, r *Response) error {
	err := r.inner.check(rp, p, got)
	if err == nil {
		err = p.checkBinding(got, r.Protocol)
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

// checkBinding checks that the ceremony was begun for the purpose that it is to finish.
func (p *Pending) checkBinding(got ClientClaims, read Protocol) error {
	switch {
	case got.Kind != p.Kind:
		return refuse(fault.CeremonyMismatch, "a ceremony of kind %q cannot finish %q", p.Kind, got.Kind)
	case got.Protocol != p.Protocol || read != p.Protocol:
		return refuse(fault.CeremonyMismatch, "a ceremony of %s answered in %s", p.Protocol, read)
	case got.User != p.User:
		return refuse(fault.CeremonyMismatch, "a ceremony of another user")
	case got.RequestID != "" && got.RequestID != p.RequestID:
		return refuse(fault.CeremonyMismatch, "a ceremony with another requestID")
	}
	return nil
}

// checkChallenge compares challenges in constant time.
func (p *Pending) checkChallenge(challenge []byte) error {
	if subtle.ConstantTimeCompare(p.Challenge, challenge) != 1 {
		return refuse(fault.CeremonyMismatch, "a response to another challenge")
	}
	return nil
}

func refuse(key fault.Key, format string, args ...any) error {
	return fault.Wrap(key, fmt.Errorf(format, args...))
}
