package uafserver

import (
	"crypto/rsa"
	"encoding/asn1"
	"encoding/binary"
	"math/big"

	"countersign/internal/uaf"
)

const rsaRawModulus = 256

func parseRSARaw(data []byte, needed keyType) (publicKey, error) {
	if size := len(data) - rsaRawModulus; size < 1 || size > 4 {
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "a raw RSA key is 256 bytes of modulus and 1 to 4 of exponent")
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
		return publicKey{}, refuseCause(uaf.StatusUnacceptableKey, err, "RSA public key")
	}
	if sequence.E < 0 {
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "negative RSA exponent")
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
		return publicKey{}, refuseCause(uaf.StatusUnacceptableKey, err, "RSA public key")
	}
	if oid := info.Algorithm.OID; !oid.Equal(oidRSA) && !oid.Equal(oidPSS) {
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "not an RSA key")
	}
	if info.Key.BitLength%8 != 0 {
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "RSA public key: odd bit string")
	}
	return parseRSADER(info.Key.Bytes, needed)
}

// newRSA takes moduli of 2048 to 4096 bits; the upper bound keeps a hostile key
// from costing much.
func newRSA(n *big.Int, e uint64, needed keyType) (publicKey, error) {
	switch {
	case needed != keyRSA:
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "an RSA key where an elliptic curve signs")
	case n.Sign() <= 0 || n.BitLen() < 2048 || n.BitLen() > 4096 || n.Bit(0) == 0:
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "RSA modulus of %d bits", n.BitLen())
	case e < 3 || e > 1<<31-1 || e%2 == 0:
		return publicKey{}, refuse(uaf.StatusUnacceptableKey, "RSA exponent %d", e)
	}
	return publicKey{rsa: &rsa.PublicKey{N: n, E: int(e)}}, nil
}
