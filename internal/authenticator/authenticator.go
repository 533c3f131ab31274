// Package authenticator is a software FIDO2 authenticator with the part of a browser.
//
// It exists so that a ceremony can be carried through with real cryptography without a
// browser: in tests, over plain HTTP, and from a terminal. Its keys are not secret and
// live in memory; StoredCredential is their file format. It can also break one thing on purpose
// (Tampering), consistently with everything that comes after it, so that each of a
// server's checks can be triggered alone. Its UAF counterpart is package softuaf.
//
// It does not judge servers: it carries out every request, or refuses it with the error
// of a browser.
package authenticator

import (
	"errors"
	"slices"
	"sync"
)

// Algorithm is the signature algorithm of an authenticator's keys.
type Algorithm string

// The algorithms, by their JOSE names: ECDSA on P-256, RSASSA-PKCS1-v1_5 of
// 2048 bits, both with SHA-256, Ed25519, and, where it is built with Go 1.27 or later, ML-DSA
// with two of its sets of parameters.
const (
	ES256   Algorithm = "ES256"
	RS256   Algorithm = "RS256"
	EdDSA   Algorithm = "EdDSA"
	MLDSA44 Algorithm = "ML-DSA-44"
	MLDSA65 Algorithm = "ML-DSA-65"
)

// Attestation is the attestation that an authenticator gives on request.
type Attestation string

// The attestations: none; the packed format signed by the new key itself; the packed
// format signed by a key whose certificate this authenticator's own root has issued.
const (
	None        Attestation = "none"
	Packed      Attestation = "packed"
	PackedBasic Attestation = "packed-basic"
)

// The refusals, each with a browser's DOMException for it.
var (
	ErrExcluded     = errors.New("the authenticator holds an excluded credential (InvalidStateError)")
	ErrNoCredential = errors.New("the authenticator holds no credential for this request (NotAllowedError)")
	ErrConstraint   = errors.New("the authenticator lacks what the request requires (NotAllowedError)")
	ErrNotSupported = errors.New("the request offers no algorithm of this authenticator (NotSupportedError)")
	ErrSecurity     = errors.New("the relying party ID does not belong to the origin (SecurityError)")
	ErrOptions      = errors.New("the options cannot be read (TypeError)")
)

// Options describe an authenticator and the client that it sits in.
type Options struct {
	// Algorithm of its keys; ES256 when empty.
	Algorithm Algorithm
	// Attestation it gives when the options ask for one (direct, indirect or
	// enterprise); None when empty. Asked for none it gives none, as browsers do.
	Attestation Attestation
	// AAGUID names its model.
	AAGUID [16]byte
	// Origin the client reports: https://host[:port], or an app's, as in
	// android:apk-key-hash:….
	Origin string
	// Discoverable makes its credentials usable without being named by the
	// server, and able to tell the user handle.
	Discoverable bool
	// UserVerifying lets it verify its user, which it does unless discouraged.
	UserVerifying bool
	// Platform makes it a part of the device ("platform", "internal") rather
	// than a key on the bus ("cross-platform", "usb").
	Platform bool
	// Synced makes its keys ones that are backed up.
	Synced bool
}

// FIDO2 is one authenticator. It is safe for concurrent use.
type FIDO2 struct {
	options  Options
	tampered Tampering
	vault    *vault
}

// NewFIDO2 makes an authenticator without credentials. Create and Get report invalid
// options.
func NewFIDO2(options Options) *FIDO2 {
	if options.Algorithm == "" {
		options.Algorithm = ES256
	}
	if options.Attestation == "" {
		options.Attestation = None
	}
	return &FIDO2{options: options, vault: &vault{}}
}

// With returns the same authenticator, with its credentials, that tampers with its
// responses.
func (a *FIDO2) With(t Tampering) *FIDO2 {
	return &FIDO2{options: a.options, tampered: t, vault: a.vault}
}

// At returns the same authenticator, with its credentials, in a client at another origin.
func (a *FIDO2) At(origin string) *FIDO2 {
	options := a.options
	options.Origin = origin
	return &FIDO2{options: options, tampered: a.tampered, vault: a.vault}
}

// vault is an authenticator's storage.
type vault struct {
	mu          sync.Mutex
	credentials []*credential
	issuer      *issuer
}

// credential is one key pair, with its relying party and user. Only count changes.
type credential struct {
	id           []byte
	rpID         string
	userHandle   []byte
	key          *key
	discoverable bool
	count        uint32
}

func (v *vault) add(c *credential) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.credentials = append(v.credentials, c)
}

// find returns the newest credential of rpID for which suits is true, with its counter
// advanced.
func (v *vault) find(rpID string, suits func(*credential) bool) (*credential, uint32, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range slices.Backward(v.credentials) {
		if c.rpID == rpID && suits(c) {
			c.count++
			return c, c.count, true
		}
	}
	return nil, 0, false
}

// holds reports whether one of ids is a credential of rpID kept here.
func (v *vault) holds(rpID string, ids []descriptor) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range v.credentials {
		if c.rpID == rpID && named(ids, c.id) {
			return true
		}
	}
	return false
}
