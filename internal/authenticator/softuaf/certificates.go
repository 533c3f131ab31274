package softuaf

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"math/big"
	"time"

	"countersign/internal/uaf"
)

// Authority issues attestation certificates with a key of any kind: a root, or an
// intermediate authority.
type Authority struct {
	signer      *Signer
	certificate *x509.Certificate // its key is a stand-in where the real one is on secp256k1
	DER         []byte
}

// NewRoot makes a root whose key is of algorithm's kind, valid from a day before
// now for ten years.
func NewRoot(algorithm uaf.SignatureAlgorithm, now time.Time) (*Authority, error) {
	return NewAuthority(nil, algorithm, authorityTemplate("Attestation root", now))
}

// NewAuthority makes an authority with a new key and the content of template, issued by
// parent; by itself without one.
func NewAuthority(parent *Authority, algorithm uaf.SignatureAlgorithm, template *x509.Certificate) (*Authority, error) {
	signer, err := NewSigner(algorithm)
	if err != nil {
		return nil, err
	}
	authority := &Authority{signer: signer, certificate: template}
	if parent == nil {
		parent = authority
	}
	authority.DER, err = issue(parent, template, signer)
	return authority, err
}

// NewLeaf issues an attestation certificate for a new key; edit, if not nil, changes it.
func (a *Authority) NewLeaf(algorithm uaf.SignatureAlgorithm, now time.Time, edit func(*x509.Certificate)) (*Signer, []byte, error) {
	signer, err := NewSigner(algorithm)
	if err != nil {
		return nil, nil, err
	}
	template := baseTemplate("Attestation leaf", now)
	template.KeyUsage = x509.KeyUsageDigitalSignature
	if edit != nil {
		edit(template)
	}
	der, err := issue(a, template, signer)
	return signer, der, err
}

func baseTemplate(name string, now time.Time) *x509.Certificate {
	serial, _ := rand.Int(rand.Reader, big.NewInt(1<<62))
	return &x509.Certificate{
		SerialNumber: serial.Add(serial, big.NewInt(1)),
		Subject:      pkix.Name{CommonName: name, Organization: []string{"Countersign tests"}},
		NotBefore:    now.Add(-24 * time.Hour),
		NotAfter:     now.AddDate(10, 0, 0),
	}
}

func authorityTemplate(name string, now time.Time) *x509.Certificate {
	template := baseTemplate(name, now)
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage = x509.KeyUsageCertSign
	return template
}

// issue makes a certificate for subject's key. crypto/x509 does not write keys on
// secp256k1: the certificate is made with a P-256 key, which is then replaced in
// the bytes, and is signed again.
func issue(parent *Authority, template *x509.Certificate, subject *Signer) ([]byte, error) {
	standIn, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	var public crypto.PublicKey = &standIn.PublicKey
	if subject.k1 == nil {
		public = subject.public()
	}
	var private crypto.Signer = standIn
	if parent.signer.k1 == nil {
		private = parent.signer.private()
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent.certificate, public, private)
	if err != nil || subject.k1 == nil && parent.signer.k1 == nil {
		return der, err
	}
	return replaceKey(der, public, subject, parent.signer)
}

func (s *Signer) public() crypto.PublicKey {
	return s.private().Public()
}

func (s *Signer) private() crypto.Signer {
	if s.rsa != nil {
		return s.rsa
	}
	return s.p256
}

type certificateParts struct {
	TBS       asn1.RawValue
	Algorithm asn1.RawValue
	Signature asn1.BitString
}

func replaceKey(der []byte, standIn crypto.PublicKey, subject, issuer *Signer) ([]byte, error) {
	var parts certificateParts
	if _, err := asn1.Unmarshal(der, &parts); err != nil {
		return nil, err
	}
	before, err := x509.MarshalPKIXPublicKey(standIn)
	if err != nil {
		return nil, err
	}
	after, err := subject.subjectPublicKeyInfo()
	if err != nil {
		return nil, err
	}
	tbs, err := asn1.Marshal(asn1.RawValue{
		Tag: asn1.TagSequence, IsCompound: true, Bytes: bytes.Replace(parts.TBS.Bytes, before, after, 1),
	})
	if err != nil {
		return nil, err
	}
	signature, err := issuer.sign(issuer.certificateAlgorithm(), tbs)
	if err != nil {
		return nil, err
	}
	parts.TBS = asn1.RawValue{FullBytes: tbs}
	parts.Signature = asn1.BitString{Bytes: signature, BitLength: len(signature) * 8}
	return asn1.Marshal(parts)
}

// certificateAlgorithm returns crypto/x509's choice for the kind of key.
func (s *Signer) certificateAlgorithm() uaf.SignatureAlgorithm {
	switch {
	case s.rsa != nil:
		return uaf.AlgorithmPKCS1Raw
	case s.k1 != nil:
		return uaf.AlgorithmSecp256k1DER
	}
	return uaf.AlgorithmP256DER
}
