package uaf

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/asn1"
	"encoding/binary"
	"math/big"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// publicKey is one of the three kinds of keys that UAF signs with; the other
// two fields are nil.
type publicKey struct {
	p256      *ecdsa.PublicKey
	secp256k1 *secp256k1.PublicKey
	rsa       *rsa.PublicKey
}

// parsePublicKey reads a key as PUB_KEY holds it. An uncompressed point does
// not say which curve it is on, so the caller names the type it needs.
func parsePublicKey(format KeyFormat, data []byte, needed keyType) (publicKey, error) {
	switch format {
	case KeyECRaw:
		return parsePoint(data, needed)
	case KeyECDER:
		if needed == keyRSA {
			return publicKey{}, refuse(StatusUnacceptableKey, "an elliptic-curve key where RSA signs")
		}
		return parseSPKI(data, needed)
	case KeyRSARaw:
		return parseRSARaw(data, needed)
	case KeyRSADER:
		if key, err := parseRSADER(data, needed); err == nil {
			return key, nil
		}
		return parseRSASPKI(data, needed)
	}
	return publicKey{}, refuse(StatusUnacceptableKey, "public key format 0x%03X is not supported", uint16(format))
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
		return publicKey{}, refuse(StatusUnacceptableKey, "not a SubjectPublicKeyInfo of the algorithm's curve")
	}
	return parsePoint(point, needed)
}

func parsePoint(data []byte, needed keyType) (publicKey, error) {
	if len(data) != 65 || data[0] != 4 {
		return publicKey{}, refuse(StatusUnacceptableKey, "not an uncompressed point of 65 bytes")
	}
	var key publicKey
	var err error
	switch needed {
	case keyP256:
		key.p256, err = ecdsa.ParseUncompressedPublicKey(elliptic.P256(), data)
	case keySecp256k1:
		key.secp256k1, err = secp256k1.ParsePubKey(data)
	default:
		return publicKey{}, refuse(StatusUnacceptableKey, "an elliptic-curve key where RSA signs")
	}
	if err != nil {
		return publicKey{}, refuseCause(StatusUnacceptableKey, err, "public key")
	}
	return key, nil
}

const rsaRawModulus = 256

func parseRSARaw(data []byte, needed keyType) (publicKey, error) {
	if size := len(data) - rsaRawModulus; size < 1 || size > 4 {
		return publicKey{}, refuse(StatusUnacceptableKey, "a raw RSA key is 256 bytes of modulus and 1 to 4 of exponent")
	}
	var exponent [8]byte
	copy(exponent[8-(len(data)-rsaRawModulus):], data[rsaRawModulus:])
	return newRSA(new(big.Int).SetBytes(data[:rsaRawModulus]), binary.BigEndian.Uint64(exponent[:]), needed)
}

type rsaSequence struct {
	N *big.Int
	E int64
}

func parseRSADER(data []byte, needed keyType) (publicKey, error) {
	var sequence rsaSequence
	if err := unmarshalDER(data, &sequence); err != nil {
		return publicKey{}, refuseCause(StatusUnacceptableKey, err, "RSA public key")
	}
	if sequence.E < 0 {
		return publicKey{}, refuse(StatusUnacceptableKey, "negative RSA exponent")
	}
	return newRSA(sequence.N, uint64(sequence.E), needed)
}

type subjectPublicKeyInfo struct {
	Algorithm struct {
		OID        asn1.ObjectIdentifier
		Parameters asn1.RawValue `asn1:"optional"`
	}
	Key asn1.BitString
}

var (
	oidRSA = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 1}
	oidPSS = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
)

func parseRSASPKI(data []byte, needed keyType) (publicKey, error) {
	var info subjectPublicKeyInfo
	if err := unmarshalDER(data, &info); err != nil {
		return publicKey{}, refuseCause(StatusUnacceptableKey, err, "RSA public key")
	}
	if oid := info.Algorithm.OID; !oid.Equal(oidRSA) && !oid.Equal(oidPSS) {
		return publicKey{}, refuse(StatusUnacceptableKey, "not an RSA key")
	}
	if info.Key.BitLength%8 != 0 {
		return publicKey{}, refuse(StatusUnacceptableKey, "RSA public key: odd bit string")
	}
	return parseRSADER(info.Key.Bytes, needed)
}

// newRSA takes moduli of 2048 to 4096 bits; the upper bound keeps a hostile key
// from costing much.
func newRSA(n *big.Int, e uint64, needed keyType) (publicKey, error) {
	switch {
	case needed != keyRSA:
		return publicKey{}, refuse(StatusUnacceptableKey, "an RSA key where an elliptic curve signs")
	case n.Sign() <= 0 || n.BitLen() < 2048 || n.BitLen() > 4096 || n.Bit(0) == 0:
		return publicKey{}, refuse(StatusUnacceptableKey, "RSA modulus of %d bits", n.BitLen())
	case e < 3 || e > 1<<31-1 || e%2 == 0:
		return publicKey{}, refuse(StatusUnacceptableKey, "RSA exponent %d", e)
	}
	return publicKey{rsa: &rsa.PublicKey{N: n, E: int(e)}}, nil
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
