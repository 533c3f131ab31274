package uafserver_test

import (
	"bytes"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/hex"
	"math/big"
	"slices"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// pairDER splits and joins the DER of an ECDSA signature.
type pairDER struct{ R, S *big.Int }

func TestSignature_Forms(t *testing.T) {
	recode := func(change func(*pairDER)) func([]byte) []byte {
		return func(signature []byte) []byte {
			var pair pairDER
			if _, err := asn1.Unmarshal(signature, &pair); err != nil {
				t.Fatal(err)
			}
			change(&pair)
			return mustMarshal(t, pair)
		}
	}
	k1Order, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
	order := func(a uaf.SignatureAlgorithm) *big.Int {
		if a == uaf.AlgorithmSecp256k1DER {
			return k1Order
		}
		return elliptic.P256().Params().N
	}
	for _, algorithm := range []uaf.SignatureAlgorithm{uaf.AlgorithmP256DER, uaf.AlgorithmSecp256k1DER} {
		n := order(algorithm)
		cases := []struct {
			name   string
			change func([]byte) []byte
			want   uaf.Status
		}{
			{"the other s, which verifies as well", recode(func(p *pairDER) { p.S.Sub(n, p.S) }), uaf.StatusOK},
			{"r beyond the order", recode(func(p *pairDER) { p.R.Add(p.R, n) }), uaf.StatusUnacceptableAttestation},
			{"s beyond the order", recode(func(p *pairDER) { p.S.Add(p.S, n) }), uaf.StatusUnacceptableAttestation},
			{"r is zero", recode(func(p *pairDER) { p.R.SetInt64(0) }), uaf.StatusUnacceptableAttestation},
			{"s is zero", recode(func(p *pairDER) { p.S.SetInt64(0) }), uaf.StatusUnacceptableAttestation},
			{"s is negative", recode(func(p *pairDER) { p.S.Neg(p.S) }), uaf.StatusUnacceptableAttestation},
			{"r is enormous", recode(func(p *pairDER) { p.R.Lsh(p.R, 512) }), uaf.StatusUnacceptableAttestation},
			{"bytes after it", func(s []byte) []byte { return append(s, 0) }, uaf.StatusUnacceptableAttestation},
			{"cut off", func(s []byte) []byte { return s[:len(s)-1] }, uaf.StatusUnacceptableAttestation},
			{"a long length", longLength, uaf.StatusUnacceptableAttestation},
			{"raw", rawOf(t), uaf.StatusUnacceptableAttestation},
		}
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				wantStatus(t, surrogate(t, algorithm, uaf.KeyECRaw, nil, c.change), c.want)
			})
		}
	}
}

// longLength writes a DER length in two bytes where one byte suffices.
func longLength(signature []byte) []byte {
	return append([]byte{signature[0], 0x81}, signature[1:]...)
}

func rawOf(t *testing.T) func([]byte) []byte {
	return func(signature []byte) []byte {
		var pair pairDER
		if _, err := asn1.Unmarshal(signature, &pair); err != nil {
			t.Fatal(err)
		}
		out := make([]byte, 64)
		pair.R.FillBytes(out[:32])
		pair.S.FillBytes(out[32:])
		return out
	}
}

func TestRawSignature_Forms(t *testing.T) {
	cases := map[string]func([]byte) []byte{
		"a byte more":     func(s []byte) []byte { return append(s, 0) },
		"a byte less":     func(s []byte) []byte { return s[:63] },
		"s before r":      func(s []byte) []byte { return slices.Concat(s[32:], s[:32]) },
		"zeros":           func([]byte) []byte { return make([]byte, 64) },
		"r is zero":       func(s []byte) []byte { return slices.Concat(make([]byte, 32), s[32:]) },
		"beyond orders":   func([]byte) []byte { return bytes.Repeat([]byte{255}, 64) },
		"little-endian":   func(s []byte) []byte { slices.Reverse(s[:32]); slices.Reverse(s[32:]); return s },
		"one bit changed": func(s []byte) []byte { s[40] ^= 1; return s },
	}
	for _, algorithm := range []uaf.SignatureAlgorithm{uaf.AlgorithmP256Raw, uaf.AlgorithmSecp256k1Raw} {
		for name, change := range cases {
			t.Run(name, func(t *testing.T) {
				wantStatus(t, surrogate(t, algorithm, uaf.KeyECRaw, nil, change), uaf.StatusUnacceptableAttestation)
			})
		}
	}
}

func TestRSASignature_Forms(t *testing.T) {
	wrap := func(s []byte) []byte { return mustMarshal(t, s) }
	bitString := func(s []byte) []byte { return mustMarshal(t, asn1.BitString{Bytes: s[4:], BitLength: len(s[4:]) * 8}) }
	cases := []struct {
		name      string
		algorithm uaf.SignatureAlgorithm
		change    func([]byte) []byte
		want      uaf.Status
	}{
		{"as it is", uaf.AlgorithmPSSDER, same, uaf.StatusOK},
		{"raw said to be wrapped", uaf.AlgorithmPSSDER, func(s []byte) []byte { return s[4:] }, uaf.StatusUnacceptableAttestation},
		{"wrapped said to be raw", uaf.AlgorithmPSSRaw, wrap, uaf.StatusUnacceptableAttestation},
		{"wrapped twice", uaf.AlgorithmPKCS1DER, wrap, uaf.StatusUnacceptableAttestation},
		{"in a bit string", uaf.AlgorithmPKCS1DER, bitString, uaf.StatusUnacceptableAttestation},
		{"bytes after it", uaf.AlgorithmPKCS1DER, func(s []byte) []byte { return append(s, 0) }, uaf.StatusUnacceptableAttestation},
		{"a byte less", uaf.AlgorithmPKCS1Raw, func(s []byte) []byte { return s[:255] }, uaf.StatusUnacceptableAttestation},
		{"a zero before it", uaf.AlgorithmPKCS1Raw, func(s []byte) []byte { return append([]byte{0}, s...) }, uaf.StatusUnacceptableAttestation},
		{"a bit changed", uaf.AlgorithmPSSRaw, at(100, 1, 2, 3), uaf.StatusUnacceptableAttestation},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wantStatus(t, surrogate(t, c.algorithm, uaf.KeyRSADER, nil, c.change), c.want)
		})
	}
}

// PSS and PKCS #1 v1.5 are distinguished although the key is the same, and so are the two
// curves.
func TestSignature_AlgorithmsDistinguished(t *testing.T) {
	cases := [][2]uaf.SignatureAlgorithm{
		{uaf.AlgorithmPSSRaw, uaf.AlgorithmPKCS1Raw}, {uaf.AlgorithmPKCS1Raw, uaf.AlgorithmPSSRaw},
		{uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER}, {uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER},
		{uaf.AlgorithmP256Raw, uaf.AlgorithmSecp256k1Raw}, {uaf.AlgorithmSecp256k1DER, uaf.AlgorithmP256DER},
	}
	for _, c := range cases {
		options := softuaf.Options{Algorithm: c[0]}
		options.Tamper = inSigned(uaf.TagAssertionInfo, at(3, byte(c[1])))
		authenticator, server := pair(t, options, put("authenticationAlgorithms", []int{int(c[0]), int(c[1])}))
		if err := registerWith(t, authenticator, server); err == nil {
			t.Errorf("a signature of algorithm %d passed for one of %d", c[0], c[1])
		}
	}
}

// A signature made by hand: with the private key 1 and the nonce 1 it takes one addition.
// Signing and verifying with one library could hide a mistake in both.
func TestSignature_Secp256k1MadeByHand(t *testing.T) {
	// Private key 1: the public key is the generator. With nonce 1, r is its x
	// coordinate and s = (hash + r) mod n.
	gx, _ := hex.DecodeString("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	gy, _ := hex.DecodeString("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")
	n, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
	point := slices.Concat([]byte{4}, gx, gy)
	var signed []byte
	options := softuaf.Options{Algorithm: uaf.AlgorithmSecp256k1Raw}
	options.Tamper.Signed = func(e *uaf.Element) {
		edit(e, uaf.TagPublicKey, func(p *uaf.Element, i int) { p.Children[i].Value = point })
		signed, _ = e.Encode()
	}
	options.Tamper.Signature = func([]byte) []byte {
		digest := sha256.Sum256(signed)
		s := new(big.Int).SetBytes(digest[:])
		s.Add(s, new(big.Int).SetBytes(gx)).Mod(s, n)
		return slices.Concat(gx, s.FillBytes(make([]byte, 32)))
	}
	authenticator, server := pair(t, options, nil)
	wantStatus(t, registerWith(t, authenticator, server), uaf.StatusOK)
}
