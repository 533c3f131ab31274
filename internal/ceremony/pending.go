package ceremony

import (
	"time"

	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// Pending is a ceremony under way: what the platform asked, kept under a session
// until the client answers. It is a record of package session, found by its
// challenge.
type Pending struct {
	Kind     Kind     `cbor:"1,keyasint"`
	Protocol Protocol `cbor:"2,keyasint"`
	// RequestID is the platform's name for the ceremony, User the canonical
	// userID@domain it is for.
	RequestID string `cbor:"3,keyasint,omitempty"`
	User      string `cbor:"4,keyasint,omitempty"`
	// Challenge is decoded.
	Challenge []byte `cbor:"5,keyasint"`
	// RPID is the relying party ID, AppID that of a UAF request.
	RPID  string `cbor:"6,keyasint,omitempty"`
	AppID string `cbor:"7,keyasint,omitempty"`
	// TransactionHash is that of the Request.
	TransactionHash []byte `cbor:"8,keyasint,omitempty"`
	// Decoy marks a ceremony of an account that cannot sign in.
	Decoy bool `cbor:"9,keyasint,omitempty"`
	// Expiry is until when it can be finished.
	Expiry time.Time `cbor:"-"`
}

// Pending returns the ceremony that r answers, as far as r tells: its protocol and
// its challenge, which the stored one is found by.
func (r *Response) Pending() *Pending {
	return &Pending{Protocol: r.Protocol, Challenge: r.Challenge}
}

// RecordKey returns the kind of record and the challenge.
func (p *Pending) RecordKey() (kind string, key []byte) { return "c", p.Challenge }

// RecordExpiry returns where the expiry is kept.
func (p *Pending) RecordExpiry() *time.Time { return &p.Expiry }

// Missing returns ceremony.spent where the ceremony was spent before, else
// ceremony.unknown: it was never begun in the session, or has expired. For UAF both
// carry status 1491.
func (p *Pending) Missing(spent bool) error {
	missing := fault.New(fault.CeremonyUnknown)
	if spent {
		missing = fault.New(fault.CeremonySpent)
	}
	if p.Protocol == UAF11 {
		missing.UAFStatusCode = int(uaf.StatusRequestInvalid)
	}
	return missing
}

// slack is how much longer than the request's time-out a ceremony stays open: the
// way of the response back to us.
const slack = 30 * time.Second

// RelyingParty is who ceremonies are for, and whose clients may answer them.
type RelyingParty struct {
	// ID is what an absent RP ID in a FIDO2 request means: our host.
	ID string
	// Origins are those that FIDO2 client data may carry, compared as strings.
	Origins []string
	// Facets are the facet IDs of UAF clients, compared as strings.
	Facets []string
	// MaxAge is how long a ceremony stays open at most.
	MaxAge time.Duration
	Now    func() time.Time
}

// Begin completes p, which says whose ceremony it is and what for, with the request
// that opens it. It expires with the request's time-out and 30 seconds, after
// MaxAge at the latest.
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
