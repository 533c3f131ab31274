package authenticator

import (
	"crypto"
	"crypto/x509"
	"errors"
	"fmt"
)

// StoredCredential is the JSON form of a credential: bytes are base64.
type StoredCredential struct {
	Algorithm    Algorithm `json:"algorithm"`
	ID           []byte    `json:"credentialID"`
	RPID         string    `json:"rpID"`
	UserHandle   []byte    `json:"userHandle"`
	Discoverable bool      `json:"discoverable"`
	SignCount    uint32    `json:"signCount"`
	PrivateKey   []byte    `json:"privateKey"` // PKCS #8
}

// Store returns every credential of the authenticator, oldest first.
func (a *FIDO2) Store() ([]StoredCredential, error) {
	a.vault.mu.Lock()
	defer a.vault.mu.Unlock()
	out := make([]StoredCredential, 0, len(a.vault.credentials))
	for _, c := range a.vault.credentials {
		private, err := x509.MarshalPKCS8PrivateKey(c.key.private)
		if err != nil {
			return nil, fmt.Errorf("store a credential: %w", err)
		}
		out = append(out, StoredCredential{
			Algorithm: c.key.algorithm, ID: c.id, RPID: c.rpID, UserHandle: c.userHandle,
			Discoverable: c.discoverable, SignCount: c.count, PrivateKey: private,
		})
	}
	return out, nil
}

var errStored = errors.New("the stored private key is not of its algorithm")

// Restore adds a stored credential to the authenticator.
func (a *FIDO2) Restore(s StoredCredential) error {
	parsed, err := x509.ParsePKCS8PrivateKey(s.PrivateKey)
	if err != nil {
		return fmt.Errorf("restore a credential: %w", err)
	}
	private, ok := parsed.(crypto.Signer)
	if !ok || !fits(s.Algorithm, private.Public()) {
		return fmt.Errorf("restore a credential: %w", errStored)
	}
	k, err := describe(s.Algorithm, private)
	if err != nil {
		return fmt.Errorf("restore a credential: %w", err)
	}
	a.vault.add(&credential{
		id: s.ID, rpID: s.RPID, userHandle: s.UserHandle, key: k, discoverable: s.Discoverable, count: s.SignCount,
	})
	return nil
}
