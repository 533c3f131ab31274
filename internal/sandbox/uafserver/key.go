package uafserver

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/asn1"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"countersign/internal/uaf"
)

// publicKey is a key of one of UAF's three kinds; the other two fields are nil.
type publicKey struct {
	p256      *ecdsa.PublicKey
	secp256k1 *secp256k1.PublicKey
	rsa       *rsa.PublicKey
}

// keyType is the type of key that a signature algorithm needs.
type keyType int

const (
	keyUnknown keyType = iota
	keyP256
	keySecp256k1
	keyRSA
)

// keyTypeOf returns the needed type, or keyUnknown for an unsupported algorithm.
func keyTypeOf(algorithm uaf.SignatureAlgorithm) keyType {
	switch algorithm {
	case uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER:
		return keyP256
	case uaf.AlgorithmSecp256k1Raw, uaf.AlgorithmSecp256k1DER:
		return keySecp256k1
	case uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER, uaf.AlgorithmPKCS1Raw, uaf.AlgorithmPKCS1DER:
		return keyRSA
	}
	return keyUnknown
}

// parsePublicKey parses a key in the form of PUB_KEY. An uncompressed point does not name
// its curve, so the caller names the type that it needs.
func parsePublicKey(format uaf.KeyFormat, data []byte, needed keyType) (publicKey, error) {
	switch format {
	case uaf.KeyECRaw:
		return parsePoint(data, needed)
	case uaf.KeyECDER:
		if needed == keyRSA {
			return publicKey{}, refuse(uaf.StatusUnacceptableKey, "an elliptic-curve key where RSA signs")
		}
		return parseSPKI(data, needed)
	case uaf.KeyRSARaw:
		return parseRSARaw(data, needed)
	case uaf.KeyRSADER:
		if key, err := parseRSADER(data, needed); err == nil {
			return key, nil
		}
		return parseRSASPKI(data, needed)
	}
	return publicKey{}, refuse(uaf.StatusUnacceptableKey, "public key format 0x%03X is not supported", uint16(format))
}

// A SubjectPublicKeyInfo with a named curve and an uncompressed point has one
// DER encoding: these bytes, then the point (RFC 5480).
var (
	spkiP256 = []byte{
		0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
		0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
	}
	spkiSecp256k1 = []byte{
		0x30, 0x56, 0x30, 0x10, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
		0x06, 0x05, 0x2B, 0x81, 0x04, 0x00, 0x0A, 0x03, 0x42, 0x00,
	}
)

// parseSPKI reads a SubjectPublicKeyInfo, from a key or from a certificate.
func parseSPKI(data []byte, needed keyType) (publicKey, error) {
	if needed == keyRSA {
		return parseRSASPKI(data, needed)
	}
	prefix := spkiP256
	if needed == keySecp256k1 {
		prefix = spkiSecp256k1
	}
	point, ok := bytes.CutPrefix(data, prefix)
	if !ok {
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "not a SubjectPublicKeyInfo of the algorithm's curve")
	}
	return parsePoint(point, needed)
}

func parsePoint(data []byte, needed keyType) (publicKey, error) {
	if len(data) != 65 || data[0] != 4 {
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "not an uncompressed point of 65 bytes")
	}
	var key publicKey
	var err error
	switch needed {
	case keyP256:
		key.p256, err = ecdsa.ParseUncompressedPublicKey(elliptic.P256(), data)
	case keySecp256k1:
		key.secp256k1, err = secp256k1.ParsePubKey(data)
	default:
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "an elliptic-curve key where RSA signs")
	}
	if err != nil {
		return publicKey{}, refuseCause(uaf.StatusUnacceptableKey, err, "public key")
	}
	return key, nil
}

// unmarshalDER reads data to its last byte. The standard decoder ignores bytes
// after the last member of a sequence, so the value is encoded again and compared.
func unmarshalDER[T any](data []byte, to *T) error {
	rest, err := asn1.Unmarshal(data, to)
	if err != nil {
		return err
	}
	again, err := asn1.Marshal(*to)
	if err != nil {
		return err
	}
	if len(rest) > 0 || !bytes.Equal(again, data) {
		return asn1.SyntaxError{Msg: "not DER to the last byte"}
	}
	return nil
}
