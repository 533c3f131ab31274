package softuaf

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	k1 "github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"countersign/internal/uaf"
)

// Signer is a private key of one of UAF's kinds.
type Signer struct {
	p256 *ecdsa.PrivateKey
	k1   *secp256k1.PrivateKey
	rsa  *rsa.PrivateKey
}

// NewSigner makes a key for algorithm, with 2048 bits for RSA.
func NewSigner(algorithm uaf.SignatureAlgorithm) (*Signer, error) {
	signer := new(Signer)
	var err error
	switch algorithm {
	case uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER:
		signer.p256, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case uaf.AlgorithmSecp256k1Raw, uaf.AlgorithmSecp256k1DER:
		signer.k1, err = secp256k1.GeneratePrivateKey()
	case uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER, uaf.AlgorithmPKCS1Raw, uaf.AlgorithmPKCS1DER:
		signer.rsa, err = rsa.GenerateKey(rand.Reader, 2048)
	default:
		err = fmt.Errorf("softuaf: no key for algorithm %d", algorithm)
	}
	return signer, err
}

// signs reports whether the key is of algorithm's kind.
func (s *Signer) signs(algorithm uaf.SignatureAlgorithm) bool {
	switch algorithm {
	case uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER:
		return s.p256 != nil
	case uaf.AlgorithmSecp256k1Raw, uaf.AlgorithmSecp256k1DER:
		return s.k1 != nil
	}
	return s.rsa != nil
}

// DefaultKeyFormat returns a key format for algorithm.
func DefaultKeyFormat(algorithm uaf.SignatureAlgorithm) uaf.KeyFormat {
	switch algorithm {
	case uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER, uaf.AlgorithmSecp256k1Raw, uaf.AlgorithmSecp256k1DER:
		return uaf.KeyECRaw
	}
	return uaf.KeyRSARaw
}

// sign signs SHA-256 of message.
func (s *Signer) sign(algorithm uaf.SignatureAlgorithm, message []byte) ([]byte, error) {
	digest := sha256.Sum256(message)
	switch algorithm {
	case uaf.AlgorithmP256Raw:
		return s.signP256Raw(digest[:])
	case uaf.AlgorithmP256DER:
		return ecdsa.SignASN1(rand.Reader, s.p256, digest[:])
	case uaf.AlgorithmSecp256k1Raw:
		return s.signSecp256k1Raw(digest[:]), nil
	case uaf.AlgorithmSecp256k1DER:
		return k1.Sign(s.k1, digest[:]).Serialize(), nil
	}
	return s.signRSA(algorithm, digest[:])
}

func (s *Signer) signP256Raw(digest []byte) ([]byte, error) {
	r, t, err := ecdsa.Sign(rand.Reader, s.p256, digest)
	if err != nil {
		return nil, err
	}
	signature := make([]byte, 64)
	r.FillBytes(signature[:32])
	t.FillBytes(signature[32:])
	return signature, nil
}

func (s *Signer) signSecp256k1Raw(digest []byte) []byte {
	signature := k1.Sign(s.k1, digest)
	r, t := signature.R(), signature.S()
	rb, tb := r.Bytes(), t.Bytes()
	return append(rb[:], tb[:]...)
}

func (s *Signer) signRSA(algorithm uaf.SignatureAlgorithm, digest []byte) ([]byte, error) {
	var signature []byte
	var err error
	switch algorithm {
	case uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER:
		options := &rsa.PSSOptions{SaltLength: sha256.Size, Hash: crypto.SHA256}
		signature, err = rsa.SignPSS(rand.Reader, s.rsa, crypto.SHA256, digest, options)
	default:
		signature, err = rsa.SignPKCS1v15(nil, s.rsa, crypto.SHA256, digest)
	}
	if err == nil && (algorithm == uaf.AlgorithmPSSDER || algorithm == uaf.AlgorithmPKCS1DER) {
		return asn1.Marshal(signature)
	}
	return signature, err
}

var errFormat = errors.New("softuaf: the key cannot be written in that format")

// PublicKey returns the public key in the form of PUB_KEY.
func (s *Signer) PublicKey(format uaf.KeyFormat) ([]byte, error) {
	switch {
	case format == uaf.KeyECRaw && s.p256 != nil:
		return s.p256.PublicKey.Bytes()
	case format == uaf.KeyECRaw && s.k1 != nil:
		return s.k1.PubKey().SerializeUncompressed(), nil
	case format == uaf.KeyECDER && s.rsa == nil:
		return s.subjectPublicKeyInfo()
	case format == uaf.KeyRSARaw && s.rsa != nil:
		exponent := binary.BigEndian.AppendUint32(nil, uint32(s.rsa.E))
		return append(s.rsa.N.FillBytes(make([]byte, 256)), exponent[1:]...), nil
	case format == uaf.KeyRSADER && s.rsa != nil:
		return x509.MarshalPKCS1PublicKey(&s.rsa.PublicKey), nil
	}
	return nil, errFormat
}

var (
	oidEC        = asn1.ObjectIdentifier{1, 2, 840, 10045, 2, 1}
	oidSecp256k1 = asn1.ObjectIdentifier{1, 3, 132, 0, 10}
)

func (s *Signer) subjectPublicKeyInfo() ([]byte, error) {
	switch {
	case s.p256 != nil:
		return x509.MarshalPKIXPublicKey(&s.p256.PublicKey)
	case s.rsa != nil:
		return x509.MarshalPKIXPublicKey(&s.rsa.PublicKey)
	}
	point := s.k1.PubKey().SerializeUncompressed()
	return asn1.Marshal(struct {
		Algorithm struct{ OID, Curve asn1.ObjectIdentifier }
		Key       asn1.BitString
	}{
		Algorithm: struct{ OID, Curve asn1.ObjectIdentifier }{oidEC, oidSecp256k1},
		Key:       asn1.BitString{Bytes: point, BitLength: len(point) * 8},
	})
}
