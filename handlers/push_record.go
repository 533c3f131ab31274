package handlers

import (
	"time"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

// PendingSlack is how much longer a push is kept than a person has to decide on it:
// the time to be told that it is over.
const PendingSlack = time.Minute

// pendingPush is a sign-in or a transaction that waits for the person's device. It is
// a record of package session, found by its requestID.
type pendingPush struct {
	Kind      ceremony.Kind `cbor:"1,keyasint"`
	RequestID string        `cbor:"2,keyasint"`
	User      string        `cbor:"3,keyasint"`
	Decoy     bool          `cbor:"4,keyasint,omitempty"`
	Expiry    time.Time     `cbor:"-"`
}

// RecordKey returns the kind of record and the requestID.
func (p *pendingPush) RecordKey() (kind string, key []byte) { return "p", []byte(p.RequestID) }

// RecordExpiry returns where the expiry is kept.
func (p *pendingPush) RecordExpiry() *time.Time { return &p.Expiry }

// Missing returns sign-in.unknown, whether there was such a push or not.
func (p *pendingPush) Missing(bool) error { return fault.New(fault.SignInUnknown) }
