package softuaf

import (
	"crypto/x509"
	"errors"
	"fmt"

	"countersign/internal/uaf"
)

// StoredAuthenticator is the JSON form of an authenticator with one key: names are the FIDO
// registry's, bytes are base64.
type StoredAuthenticator struct {
	AAID        uaf.AAID `json:"aaid"`
	Version     uint16   `json:"authenticatorVersion"`
	Algorithm   string   `json:"algorithm"`
	KeyFormat   string   `json:"keyFormat"`
	KeyID       []byte   `json:"keyID"`
	AppID       string   `json:"appID"`
	Username    string   `json:"username"`
	SignCounter uint32   `json:"signCounter"`
	PrivateKey  []byte   `json:"privateKey"` // PKCS #8
}

// Store returns the JSON form of an authenticator with one key.
func (a *Authenticator) Store() (StoredAuthenticator, error) {
	if len(a.Keys) != 1 {
		return StoredAuthenticator{}, fmt.Errorf("softuaf: %d keys where one is kept", len(a.Keys))
	}
	key := a.Keys[0]
	private, err := key.Signer.MarshalPKCS8()
	if err != nil {
		return StoredAuthenticator{}, err
	}
	return StoredAuthenticator{
		AAID: a.Options.AAID, Version: a.Options.Version,
		Algorithm: AlgorithmName(a.Options.Algorithm), KeyFormat: KeyFormatName(a.Options.KeyFormat),
		KeyID: key.ID, AppID: key.AppID, Username: key.Username, SignCounter: key.Counter, PrivateKey: private,
	}, nil
}

// Restore returns the authenticator, in a client of facetID. It can sign in but not
// register, because its attestation key is not stored.
func (s StoredAuthenticator) Restore(facetID string) (*Authenticator, error) {
	algorithm, err := ParseAlgorithm(s.Algorithm)
	if err != nil {
		return nil, err
	}
	format, err := ParseKeyFormat(s.KeyFormat)
	if err != nil {
		return nil, err
	}
	signer, err := ParsePKCS8(s.PrivateKey)
	if err != nil {
		return nil, err
	}
	if !signer.signs(algorithm) {
		return nil, fmt.Errorf("softuaf: the private key is not of %s", s.Algorithm)
	}
	a, err := New(Options{AAID: s.AAID, Algorithm: algorithm, KeyFormat: format, Version: s.Version, FacetID: facetID})
	if err != nil {
		return nil, err
	}
	a.Keys = []*Key{{ID: s.KeyID, AppID: s.AppID, Username: s.Username, Counter: s.SignCounter, Signer: signer}}
	return a, nil
}

// StoredAuthority is the JSON form of an attestation root.
type StoredAuthority struct {
	Certificate []byte `json:"certificate"` // DER
	PrivateKey  []byte `json:"privateKey"`  // PKCS #8
}

// Store returns the authority's JSON form.
func (a *Authority) Store() (StoredAuthority, error) {
	private, err := a.signer.MarshalPKCS8()
	return StoredAuthority{Certificate: a.DER, PrivateKey: private}, err
}

// Restore returns the authority. Its key must not be on secp256k1, whose certificates
// crypto/x509 does not read.
func (s StoredAuthority) Restore() (*Authority, error) {
	certificate, err := x509.ParseCertificate(s.Certificate)
	if err != nil {
		return nil, fmt.Errorf("softuaf: attestation root: %w", err)
	}
	signer, err := ParsePKCS8(s.PrivateKey)
	if err != nil {
		return nil, err
	}
	if signer.k1 != nil {
		return nil, errRootKey
	}
	return &Authority{signer: signer, certificate: certificate, DER: s.Certificate}, nil
}

var errRootKey = errors.New("softuaf: the attestation root's key is on secp256k1")
