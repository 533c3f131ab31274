package softuaf

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"countersign/internal/uaf"
)

// Options describe an authenticator. AAID, Algorithm and FacetID are required; the zero
// values of the others are sensible defaults.
type Options struct {
	AAID      uaf.AAID
	Algorithm uaf.SignatureAlgorithm // of the keys
	KeyFormat uaf.KeyFormat          // zero: raw
	// Attestation is [uaf.TagAttestationFull] or, also for zero,
	// [uaf.TagAttestationSurrogate].
	Attestation uaf.Tag
	// AttestationAlgorithm is the attestation key's; zero: Algorithm. With surrogate
	// attestation it must be of Algorithm's kind, and may be another encoding.
	AttestationAlgorithm uaf.SignatureAlgorithm
	// RootAlgorithm is of the root's key; zero: P-256.
	RootAlgorithm uaf.SignatureAlgorithm
	// Root attests, instead of a new one.
	Root    *Authority
	Version uint16
	FacetID string
	// NoCounters leaves both counters at zero.
	NoCounters bool
	// Now is the time at which the attestation certificates are made; zero: [Epoch].
	Now    time.Time
	Tamper Tamper
}

// Tamper changes the authenticator's responses, step by step; a nil function changes
// nothing.
type Tamper struct {
	Params func(*uaf.FinalChallengeParams)
	// ParamsText changes the base64url text after its hash was taken.
	ParamsText func(string) string
	Signed     func(*uaf.Element)       // KRD or SIGNED_DATA, before it is signed
	Signature  func([]byte) []byte      // of the attestation or the key
	Assertion  func(*uaf.Element)       // whole, signed
	Encoded    func([]byte) []byte      // whole, encoded
	Response   func(*uaf.Response)      // the dictionary
	FCHash     func(text string) []byte // instead of [uaf.FinalChallengeHash]
}

// Authenticator holds the keys of one user.
type Authenticator struct {
	Options      Options
	Keys         []*Key
	root         *Authority
	attestation  *Signer
	Certificates [][]byte // leaf first
	registered   uint32
}

// Key is one registered key.
type Key struct {
	ID       []byte
	AppID    string
	Username string
	Counter  uint32 // of signatures
	Signer   *Signer
}

// Epoch returns the time at which certificates are made unless Options.Now is set.
func Epoch() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }

var (
	// ErrNoKey is returned if no key fits the request's policy.
	ErrNoKey = errors.New("softuaf: no key of this authenticator fits")
	// ErrNotAllowed is returned if the policy excludes this model, or the user already
	// has a key of it.
	ErrNotAllowed = errors.New("softuaf: the policy is not for this authenticator")
)

// New makes an authenticator and, for full attestation, its attestation key and chain.
func New(options Options) (*Authenticator, error) {
	if options.KeyFormat == 0 {
		options.KeyFormat = DefaultKeyFormat(options.Algorithm)
	}
	if options.Attestation == 0 {
		options.Attestation = uaf.TagAttestationSurrogate
	}
	if options.AttestationAlgorithm == 0 {
		options.AttestationAlgorithm = options.Algorithm
	}
	if options.RootAlgorithm == 0 {
		options.RootAlgorithm = uaf.AlgorithmP256DER
	}
	if options.Now.IsZero() {
		options.Now = Epoch()
	}
	a := &Authenticator{Options: options}
	if options.Attestation != uaf.TagAttestationFull {
		return a, nil
	}
	return a, a.makeAttestation()
}

func (a *Authenticator) makeAttestation() error {
	a.root = a.Options.Root
	var err error
	if a.root == nil {
		if a.root, err = NewRoot(a.Options.RootAlgorithm, a.Options.Now); err != nil {
			return err
		}
	}
	signer, leaf, err := a.root.NewLeaf(a.Options.AttestationAlgorithm, a.Options.Now, nil)
	a.attestation, a.Certificates = signer, [][]byte{leaf}
	return err
}

// Attest makes signer the attestation key, with its certificates, leaf first.
func (a *Authenticator) Attest(signer *Signer, certificates ...[]byte) {
	a.attestation, a.Certificates = signer, certificates
}

// info describes the authenticator to a policy.
func (a *Authenticator) info(keys ...*Key) uaf.AuthenticatorInfo {
	info := uaf.AuthenticatorInfo{
		AAID: a.Options.AAID, Version: uint32(a.Options.Version),
		UserVerification: verificationFingerprint, KeyProtection: 1, MatcherProtection: 1,
		AttachmentHint: 1, TCDisplay: 1,
		Algorithms:      []uaf.SignatureAlgorithm{a.Options.Algorithm},
		AssertionScheme: uaf.SchemeTLV, AttestationTypes: []uaf.Tag{a.Options.Attestation},
	}
	for _, key := range keys {
		info.KeyIDs = append(info.KeyIDs, key.ID)
	}
	return info
}

const verificationFingerprint = 2

func randomBytes(size int) []byte {
	out := make([]byte, size)
	_, _ = rand.Read(out) // never fails, and ends the program rather than return less
	return out
}

// finalChallenge returns the client's part: fcParams and the hash to sign.
func (a *Authenticator) finalChallenge(appID, challenge string) (text string, hash []byte, err error) {
	params := uaf.FinalChallengeParams{AppID: appID, Challenge: challenge, FacetID: a.Options.FacetID}
	if appID == "" {
		params.AppID = a.Options.FacetID
	}
	if a.Options.Tamper.Params != nil {
		a.Options.Tamper.Params(&params)
	}
	if text, err = params.Encode(); err != nil {
		return "", nil, fmt.Errorf("softuaf: %w", err)
	}
	hash = uaf.FinalChallengeHash(text)
	if a.Options.Tamper.FCHash != nil {
		hash = a.Options.Tamper.FCHash(text)
	}
	if a.Options.Tamper.ParamsText != nil {
		text = a.Options.Tamper.ParamsText(text)
	}
	return text, hash, nil
}

func encodeText(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }
