package softuaf

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// MarshalPKCS8 returns the private key as a PrivateKeyInfo in DER (RFC 5208), which other
// programs read too.
func (s *Signer) MarshalPKCS8() ([]byte, error) {
	if s.k1 == nil {
		return x509.MarshalPKCS8PrivateKey(s.private())
	}
	return s.marshalSecp256k1()
}

// ParsePKCS8 parses the output of MarshalPKCS8.
func ParsePKCS8(der []byte) (*Signer, error) {
	var info privateKeyInfo
	rest, err := asn1.Unmarshal(der, &info)
	switch {
	case err != nil:
		return nil, fmt.Errorf("softuaf: private key: %w", err)
	case len(rest) > 0:
		return nil, errPrivateKey
	case info.isSecp256k1():
		return parseSecp256k1(info.PrivateKey)
	}
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, fmt.Errorf("softuaf: private key: %w", err)
	}
	switch key := key.(type) {
	case *ecdsa.PrivateKey:
		if key.Curve == elliptic.P256() {
			return &Signer{p256: key}, nil
		}
	case *rsa.PrivateKey:
		return &Signer{rsa: key}, nil
	}
	return nil, errPrivateKey
}

var errPrivateKey = errors.New("softuaf: not a private key of a kind that UAF knows")

// privateKeyInfo is RFC 5208's, for the curve that crypto/x509 lacks.
type privateKeyInfo struct {
	Version    int
	Algorithm  pkix.AlgorithmIdentifier
	PrivateKey []byte
}

// ecPrivateKey is RFC 5915's. The curve is named in the algorithm.
type ecPrivateKey struct {
	Version    int
	PrivateKey []byte
	PublicKey  asn1.BitString `asn1:"optional,explicit,tag:1"`
}

func (p privateKeyInfo) isSecp256k1() bool {
	var curve asn1.ObjectIdentifier
	_, err := asn1.Unmarshal(p.Algorithm.Parameters.FullBytes, &curve)
	return err == nil && p.Algorithm.Algorithm.Equal(oidEC) && curve.Equal(oidSecp256k1)
}

func (s *Signer) marshalSecp256k1() ([]byte, error) {
	point := s.k1.PubKey().SerializeUncompressed()
	key, err := asn1.Marshal(ecPrivateKey{
		Version: 1, PrivateKey: s.k1.Serialize(), PublicKey: asn1.BitString{Bytes: point, BitLength: len(point) * 8},
	})
	if err != nil {
		return nil, err
	}
	curve, err := asn1.Marshal(oidSecp256k1)
	if err != nil {
		return nil, err
	}
	return asn1.Marshal(privateKeyInfo{
		Algorithm:  pkix.AlgorithmIdentifier{Algorithm: oidEC, Parameters: asn1.RawValue{FullBytes: curve}},
		PrivateKey: key,
	})
}

func parseSecp256k1(der []byte) (*Signer, error) {
	var key ecPrivateKey
	if _, err := asn1.Unmarshal(der, &key); err != nil {
		return nil, fmt.Errorf("softuaf: private key: %w", err)
	}
	var scalar secp256k1.ModNScalar
	if len(key.PrivateKey) != 32 || scalar.SetByteSlice(key.PrivateKey) || scalar.IsZero() {
		return nil, errPrivateKey
	}
	return &Signer{k1: secp256k1.NewPrivateKey(&scalar)}, nil
}
