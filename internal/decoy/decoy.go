// Package decoy makes dummy responses for accounts that cannot sign in, against account
// enumeration.
//
// Clients other than the account's owner get every authentication request, real or decoy,
// from one typed struct and one encoder for each protocol, which drops unknown members.
// No signature covers these bytes.
//
// The personal parts of a decoy (credentials, keys, their number) are derived by
// HMAC-SHA-256 from the canonical user id and a key, and never change. All other
// parameters come from the platform's last real answer to the same question, which Redis
// keeps as small typed records: numbers, flags and the relying party's own names.
//
// User ids are canonical everywhere in this package: the caller folds them. The package
// decides neither who gets a decoy nor what finishing one means.
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

// ErrNoCredentials is the error of a real request that no credential can answer: the
// account has none, and gets a decoy.
var ErrNoCredentials = errors.New("the request names no credential")

// unreadable returns the fault of a real request that the platform should not have sent,
// or that the struct of its protocol cannot hold.
func unreadable(err error) error {
	return fault.Wrap(fault.PlatformFailed, fmt.Errorf("decoy: authentication request: %w", err))
}

// Options are the options of New.
type Options struct {
	// Redis keeps the records for all nodes.
	Redis redis.Cmdable
	// Key is the secret that decoys are derived from. It must not change for as long as
	// the service is used: changed credentials would reveal decoys.
	Key []byte
	// RPID and AppID are the relying party of FIDO2 and of UAF until the first real
	// request.
	RPID, AppID string
	// Models are the UAF authenticators that the platform accepts, in addition to those
	// in its answers. If all are listed here, decoys never change.
	Models []uaf.AAID
}

// Service makes decoys. It is safe for concurrent use.
type Service struct {
	redis       redis.Cmdable
	key         []byte
	rpID, appID string
	models      []model

	mu   sync.Mutex
	seen map[string]string // the last records of this node, by question
}

// New makes a Service.
func New(o Options) *Service {
	s := &Service{redis: o.Redis, key: o.Key, rpID: o.RPID, appID: o.AppID, seen: map[string]string{}}
	for _, aaid := range o.Models {
		s.models = append(s.models, model{AAID: aaid, KeyID: keyIDLength})
	}
	return s
}

// Question holds the parameters of an authentication request.
type Question struct {
	Protocol ceremony.Protocol
	// UserVerification is for FIDO2 alone; empty for no preference.
	UserVerification string
}

// name returns the question's field in Redis.
func (q Question) name() string { return string(q.Protocol) + ":" + q.UserVerification }

// RequestID returns the requestID that clients other than the account's owner get with a
// challenge, in the platform's form (docs/platform.md I4). The platform's own stays
// in the session.
func (s *Service) RequestID(challenge []byte) string {
	id, _ := uuid.FromBytes(s.mac("\x00requestID\x00" + string(challenge))[:16])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4
	return id.String()
}

// mac returns HMAC-SHA-256 of text under the service's key. A user id never begins with a
// zero byte.
func (s *Service) mac(text string) []byte {
	mac := hmac.New(sha256.New, s.key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
