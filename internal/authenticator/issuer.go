package authenticator

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"math/big"
	"time"
)

// issuer is an attestation key with its certificate and the root above it.
type issuer struct {
	root, leaf *x509.Certificate
	key        *key
}

// The certificates' validity covers any time that a test may use.
var (
	certificatesFrom = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	certificatesTo   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
)

// aaguidExtension is id-fido-gen-ce-aaguid (Web Authentication section 8.2.1).
var aaguidExtension = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 45724, 1, 1, 4}

// attestationIssuer returns the issuer, which it makes at the first need.
func (v *vault) attestationIssuer(aaguid [16]byte) (*issuer, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.issuer != nil {
		return v.issuer, nil
	}
	made, err := newIssuer(aaguid)
	if err != nil {
		return nil, fmt.Errorf("make the attestation certificates: %w", err)
	}
	v.issuer = made
	return made, nil
}

func newIssuer(aaguid [16]byte) (*issuer, error) {
	rootKey, err := newKey(ES256)
	if err != nil {
		return nil, err
	}
	top := certificate(1, "Software Authenticator Root")
	top.IsCA, top.KeyUsage = true, x509.KeyUsageCertSign
	root, err := issue(top, top, rootKey, rootKey)
	if err != nil {
		return nil, err
	}
	leafKey, err := newKey(ES256)
	if err != nil {
		return nil, err
	}
	value, err := asn1.Marshal(aaguid[:])
	if err != nil {
		return nil, err
	}
	bottom := certificate(2, "Software Authenticator Attestation")
	bottom.ExtraExtensions = []pkix.Extension{{Id: aaguidExtension, Value: value}}
	leaf, err := issue(bottom, root, leafKey, rootKey)
	if err != nil {
		return nil, err
	}
	return &issuer{root: root, leaf: leaf, key: leafKey}, nil
}

// certificate returns a template with the subject that section 8.2.1 prescribes.
func certificate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: certificatesFrom, NotAfter: certificatesTo,
		BasicConstraintsValid: true,
		Subject: pkix.Name{
			Country: []string{"BE"}, Organization: []string{"Countersign"},
			OrganizationalUnit: []string{"Authenticator Attestation"}, CommonName: name,
		},
	}
}

func issue(template, parent *x509.Certificate, subject, signer *key) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, subject.private.Public(), signer.private)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}
