package identity

import (
	"cmp"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"math/big"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// Seed is an authenticator of a seed: a passkey of the software kind, in the members that
// files of software authenticators have.
type Seed struct {
	User  string      `yaml:"user"` // userID@domain
	Name  string      `yaml:"name"` // Passkey
	FIDO2 SeedPasskey `yaml:"fido2"`
}

// SeedPasskey is a passkey with its private key, of which the platform keeps the public
// half. Bytes are base64.
type SeedPasskey struct {
	Algorithm    string `yaml:"algorithm"` // ES256, RS256 or EdDSA
	CredentialID string `yaml:"credentialID"`
	RPID         string `yaml:"rpID"`
	UserHandle   string `yaml:"userHandle"`
	Discoverable bool   `yaml:"discoverable"`
	SignCount    int    `yaml:"signCount"`
	PrivateKey   string `yaml:"privateKey"` // PKCS #8
}

// Check reports what is wrong with the authenticator, which stands at that place, for a
// relying party of that id.
func (s Seed) Check(rules *wire.Rules, place, rpID string) {
	at, key := place+".fido2.", s.FIDO2
	for name, text := range map[string]string{"credentialID": key.CredentialID, "userHandle": key.UserHandle} {
		if content, err := base64.StdEncoding.DecodeString(text); err != nil || len(content) == 0 || len(content) > 1023 {
			rules.Broken(at+name, "must be base64 of 1 to 1023 bytes")
		}
	}
	if handle, err := base64.StdEncoding.DecodeString(key.UserHandle); err == nil && len(handle) > 64 {
		rules.Broken(at+"userHandle", "must be 64 bytes at most")
	}
	rules.OneOf(at+"algorithm", &key.Algorithm, "ES256", "RS256", "EdDSA")
	if key.RPID != rpID {
		rules.Broken(at+"rpID", "must be "+rpID+", which the sandbox serves")
	}
	if key.SignCount < 0 || key.SignCount > 1<<32-1 {
		rules.Broken(at+"signCount", "must be a number of 32 bits")
	}
	if _, err := key.public(); err != nil {
		rules.Broken(at+"privateKey", "must be a private key of the algorithm, PKCS #8 in base64")
	}
}

var errSeedKey = errors.New("no key of the algorithm")

// public returns the public key as a COSE_Key.
func (p SeedPasskey) public() ([]byte, error) {
	content, err := base64.StdEncoding.DecodeString(p.PrivateKey)
	if err != nil {
		return nil, err
	}
	private, err := x509.ParsePKCS8PrivateKey(content)
	if err != nil {
		return nil, err
	}
	signer, ok := private.(crypto.Signer)
	if !ok {
		return nil, errSeedKey
	}
	switch key := signer.Public().(type) {
	case *ecdsa.PublicKey:
		point, err := key.Bytes() // 0x04, x, y
		if err != nil || p.Algorithm != "ES256" || key.Curve != elliptic.P256() {
			return nil, errSeedKey
		}
		return webauthncbor.Marshal(map[int64]any{1: int64(webauthncose.EllipticKey), 3: int64(webauthncose.AlgES256), -1: int64(webauthncose.P256), -2: point[1:33], -3: point[33:]})
	case *rsa.PublicKey:
		if p.Algorithm == "RS256" {
			return webauthncbor.Marshal(map[int64]any{1: int64(webauthncose.RSAKey), 3: int64(webauthncose.AlgRS256), -1: key.N.Bytes(), -2: big.NewInt(int64(key.E)).Bytes()})
		}
	case ed25519.PublicKey:
		if p.Algorithm == "EdDSA" {
			return webauthncbor.Marshal(map[int64]any{1: int64(webauthncose.OctetKey), 3: int64(webauthncose.AlgEdDSA), -1: int64(webauthncose.Ed25519), -2: []byte(key)})
		}
	}
	return nil, errSeedKey
}

// plant registers the authenticators of the seed, which was checked.
func (s *Server) plant() {
	for _, one := range s.seed {
		id, _ := base64.StdEncoding.DecodeString(one.FIDO2.CredentialID)
		handle, _ := base64.StdEncoding.DecodeString(one.FIDO2.UserHandle)
		public, err := one.FIDO2.public()
		if err != nil {
			continue
		}
		_ = s.accounts.change(one.User, func(a *account) error {
			a.handle = handle
			key := fido2 + ":" + encode(id)
			s.accounts.keys[key] = a.ID
			a.registrations = append(a.registrations, registration{
				id: uuid.NewString(), name: cmp.Or(one.Name, passkeyName), protocol: fido2, key: key, registered: s.now(),
				credential: webauthn.Credential{
					ID: id, PublicKey: public, AttestationType: "none",
					Authenticator: webauthn.Authenticator{AAGUID: uuid.Nil[:], SignCount: uint32(one.FIDO2.SignCount)},
				},
			})
			return nil
		})
	}
}
