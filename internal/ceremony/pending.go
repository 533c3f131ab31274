package ceremony

import (
	"time"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// Pending is a ceremony under way: the platform's request, kept under a session until the
// client answers. It is a record of package session, found by its challenge.
type Pending struct {
	Kind     Kind     `cbor:"1,keyasint"`
	Protocol Protocol `cbor:"2,keyasint"`
	// RequestID is the platform's id of the ceremony, User the canonical userID@domain of
	// its person.
	RequestID string `cbor:"3,keyasint,omitempty"`
	User      string `cbor:"4,keyasint,omitempty"`
	// Challenge is decoded.
	Challenge []byte `cbor:"5,keyasint"`
	// RPID is the relying party ID, AppID the appID of a UAF request.
	RPID  string `cbor:"6,keyasint,omitempty"`
	AppID string `cbor:"7,keyasint,omitempty"`
	// TransactionHash is the Request's.
	TransactionHash []byte `cbor:"8,keyasint,omitempty"`
	// Decoy marks a ceremony for an account that cannot sign in.
	Decoy bool `cbor:"9,keyasint,omitempty"`
	// Allowed are the ids of the passkeys that the request of a sign-in by FIDO2 takes; nil if it
	// does not name them.
	Allowed [][]byte `cbor:"10,keyasint,omitempty"`
	// Conditional marks a registration that nobody asked for: the client makes a passkey by
	// itself, after a sign-in by password.
	Conditional bool `cbor:"11,keyasint,omitempty"`
	// Expiry is the time until which it can be finished.
	Expiry time.Time `cbor:"-"`
}

// Pending returns the known part of the ceremony that r answers: its protocol and its
// challenge, by which the stored one is found.
func (r *Response) Pending() *Pending {
	return &Pending{Protocol: r.Protocol, Challenge: r.Challenge}
}

// RecordKey returns the kind of the record and the challenge.
func (p *Pending) RecordKey() (kind string, key []byte) { return "c", p.Challenge }

// RecordExpiry returns a pointer to the expiry.
func (p *Pending) RecordExpiry() *time.Time { return &p.Expiry }

// NotFound returns ceremony.spent if the ceremony was spent before, else ceremony.unknown:
// it was never begun in the session, or has expired. For UAF both carry status 1491.
func (p *Pending) NotFound(spent bool) error {
	missing := fault.New(fault.CeremonyUnknown)
	if spent {
		missing = fault.New(fault.CeremonySpent)
	}
	if p.Protocol == UAF11 {
		missing.UAFStatusCode = int(uaf.StatusRequestInvalid)
	}
	return missing
}

// slack is the time for which a ceremony stays open after the request's time-out, so that
// the response can still arrive.
const slack = 30 * time.Second

// RelyingParty is the relying party of ceremonies, with the clients that it trusts.
type RelyingParty struct {
	// ID stands in for an absent RP ID in a FIDO2 request: our host.
	ID string
	// Origins are the allowed origins of FIDO2 client data, compared as strings.
	Origins []string
	// Facets are the facet IDs of UAF clients, compared as strings.
	Facets []string
	// MaxAge limits how long a ceremony stays open.
	MaxAge time.Duration
	Now    func() time.Time
}

// Begin completes p, which names the ceremony's person and kind, with the request that
// opens it. It expires 30 seconds after the request's time-out, but after MaxAge at the
// latest.
func (rp RelyingParty) Begin(p Pending, request Request) *Pending {
	p.Protocol, p.Challenge = request.Protocol, request.Challenge
	p.RPID, p.AppID, p.TransactionHash = request.RPID, request.AppID, request.TransactionHash
	if p.RPID == "" {
		p.RPID = rp.ID
	}
	age := rp.MaxAge
	if request.Timeout > 0 {
		age = min(age, request.Timeout+slack)
	}
	p.Expiry = rp.Now().Add(age)
	return &p
}
