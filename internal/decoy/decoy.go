// Package decoy answers for accounts that cannot sign in, so that nobody can list
// accounts by asking for authentication requests or pushes.
//
// Whoever is not an account's owner gets every authentication request, real or decoy,
// from one typed struct and one encoder for each protocol. What the struct does not
// know is dropped for them. No signature covers these bytes.
//
// What would be a person's in a decoy (credentials, keys, how many of them) comes from
// HMAC-SHA-256 under a key of the canonical user id, and never changes. Everything else
// has the parameters of the platform's last real answer to the same question, which
// Redis keeps as small typed records: numbers, flags and the relying party's own names.
//
// User ids are canonical everywhere in this package: folding them is for the caller.
// The package decides neither who gets a decoy nor what finishing one means.
package decoy

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// ErrNoCredentials is a real request that no credential can answer: the account has
// none, and gets a decoy.
var ErrNoCredentials = errors.New("the request names no credential")

// unreadable is the fault of a real request that is not what the platform shall send, or
// more than the struct of its protocol holds.
func unreadable(err error) error {
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("decoy: authentication request: %w", err))
}

// Options are the options of New.
type Options struct {
	// Redis keeps the records for all nodes.
	Redis redis.UniversalClient
	// Key is the secret that decoys are drawn from. It stays the same for as long as
	// the service is used: credentials that change would give decoys away.
	Key []byte
	// RPID and AppID are the relying party of FIDO2 and of UAF until a real request
	// was seen.
	RPID, AppID string
	// Models are the UAF authenticators that the platform accepts, beside those that
	// its answers name. Where all are listed here, decoys never change.
	Models []uaf.AAID
}

// Service makes decoys. It is safe for concurrent use.
type Service struct {
	redis       redis.UniversalClient
	key         []byte
	rpID, appID string
	models      []model

	mu   sync.Mutex
	seen map[string]string // records by question, as this node last knew them
}

// New makes a Service.
func New(o Options) *Service {
	s := &Service{redis: o.Redis, key: o.Key, rpID: o.RPID, appID: o.AppID, seen: map[string]string{}}
	for _, aaid := range o.Models {
		s.models = append(s.models, model{AAID: aaid, KeyID: keyIDLength})
	}
	return s
}

// Question is what an authentication request was asked for with.
type Question struct {
	Protocol ceremony.Protocol
	// UserVerification is FIDO2's alone; empty for no particular wish.
	UserVerification string
}

// name is the question's field in Redis.
func (q Question) name() string { return string(q.Protocol) + ":" + q.UserVerification }

// RequestID is the requestID that goes with a FIDO2 challenge to whoever is not the
// account's owner, in the form of the platform's (docs/platform.md I4). The platform's
// own stays in the session.
func (s *Service) RequestID(challenge []byte) string {
	id, _ := uuid.FromBytes(s.mac("\x00requestID\x00" + string(challenge))[:16])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4
	return "authentication:" + id.String()
}

// mac is HMAC-SHA-256 of text under the service's key. A user id never begins with a
// zero byte.
func (s *Service) mac(text string) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
