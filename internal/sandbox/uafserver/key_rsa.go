package uafserver

import (
	"bytes"
	"crypto/rsa"
	"crypto/x509"
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

// parseRSADER reads SEQUENCE{n, e}. The decoder ignores bytes inside it, so the key is encoded
// again and compared.
func parseRSADER(data []byte, needed keyType) (publicKey, error) {
	key, err := x509.ParsePKCS1PublicKey(data)
	if err != nil || !bytes.Equal(x509.MarshalPKCS1PublicKey(key), data) {
		return publicKey{}, refuseCause(uaf.StatusUnacceptableKey, err, "not an RSA public key in DER")
	}
	return newRSA(key.N, uint64(key.E), needed)
}

func parseRSASPKI(data []byte, needed keyType) (publicKey, error) {
	parsed, err := x509.ParsePKIXPublicKey(data)
	key, ok := parsed.(*rsa.PublicKey)
	if !ok {
		return publicKey{}, refuseCause(uaf.StatusUnacceptableKey, err, "not the SubjectPublicKeyInfo of an RSA key")
	}
	return parseRSADER(x509.MarshalPKCS1PublicKey(key), needed)
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
