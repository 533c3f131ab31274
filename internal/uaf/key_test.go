package uaf_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/asn1"
	"encoding/hex"
	"math/big"
	"slices"
	"testing"

	"countersign/internal/uaf"
	"countersign/internal/uaf/uaftest"
)

// surrogate registers with an authenticator whose PUB_KEY is written by key and
// whose signature, made with the real one, is changed by signature.
func surrogate(t *testing.T, algorithm uaf.SignatureAlgorithm, format uaf.KeyFormat, key, signature func([]byte) []byte) error {
	t.Helper()
	options := uaftest.Options{Algorithm: algorithm, KeyFormat: format}
	options.Tamper.Signature = signature
	if key != nil {
		options.Tamper.Signed = inSigned(uaf.TagPublicKey, key).Signed
	}
	authenticator, server := pair(t, options, nil)
	return registerWith(t, authenticator, server)
}

func same(data []byte) []byte { return data }

// rsaKey reads a SEQUENCE{n, e}.
func rsaKey(t *testing.T, data []byte) *rsa.PublicKey {
	t.Helper()
	key, err := x509.ParsePKCS1PublicKey(data)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func mustMarshal(t *testing.T, value any) []byte {
	t.Helper()
	data, err := asn1.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRSAKeysInASubjectPublicKeyInfo(t *testing.T) {
	plain := func(data []byte) []byte {
		spki, err := x509.MarshalPKIXPublicKey(rsaKey(t, data))
		if err != nil {
			t.Fatal(err)
		}
		return spki
	}
	pss := func(data []byte) []byte {
		var info struct {
			Algorithm struct{ OID asn1.ObjectIdentifier }
			Key       asn1.BitString
		}
		info.Algorithm.OID = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 1, 10}
		info.Key = asn1.BitString{Bytes: data, BitLength: len(data) * 8}
		return mustMarshal(t, info)
	}
	for _, algorithm := range []uaf.SignatureAlgorithm{uaf.AlgorithmPSSRaw, uaf.AlgorithmPKCS1DER} {
		wantStatus(t, surrogate(t, algorithm, uaf.KeyRSADER, plain, nil), uaf.StatusOK)
		wantStatus(t, surrogate(t, algorithm, uaf.KeyRSADER, pss, nil), uaf.StatusOK)
	}
	trailing := func(data []byte) []byte { return append(plain(data), 0) }
	wantStatus(t, surrogate(t, uaf.AlgorithmPSSRaw, uaf.KeyRSADER, trailing, nil), uaf.StatusUnacceptableKey)
}

func TestRSAKeysThatAreRefused(t *testing.T) {
	n := func(bits int) *big.Int {
		out := new(big.Int).Lsh(big.NewInt(1), uint(bits-1))
		return out.Add(out, big.NewInt(1))
	}
	sequence := func(n *big.Int, e int64) func([]byte) []byte {
		return func([]byte) []byte { return mustMarshal(t, struct{ N, E *big.Int }{n, big.NewInt(e)}) }
	}
	cases := []struct {
		name   string
		format uaf.KeyFormat
		key    func([]byte) []byte
	}{
		{"1024 bits", uaf.KeyRSADER, sequence(n(1024), 65537)},
		{"2047 bits", uaf.KeyRSADER, sequence(n(2047), 65537)},
		{"8192 bits", uaf.KeyRSADER, sequence(n(8192), 65537)},
		{"an even modulus", uaf.KeyRSADER, sequence(new(big.Int).Add(n(2048), big.NewInt(1)), 65537)},
		{"a negative modulus", uaf.KeyRSADER, sequence(new(big.Int).Neg(n(2048)), 65537)},
		{"exponent 1", uaf.KeyRSADER, sequence(n(2048), 1)},
		{"exponent 2", uaf.KeyRSADER, sequence(n(2048), 2)},
		{"a negative exponent", uaf.KeyRSADER, sequence(n(2048), -3)},
		{"an exponent too large", uaf.KeyRSADER, sequence(n(2048), 1<<31+1)},
		{"bytes after it", uaf.KeyRSADER, func(data []byte) []byte { return append(data, 0) }},
		{"bytes inside it", uaf.KeyRSADER, func(data []byte) []byte {
			key := rsaKey(t, data)
			return mustMarshal(t, struct {
				N *big.Int
				E int
				X int
			}{key.N, key.E, 7})
		}},
		{"no DER", uaf.KeyRSADER, func([]byte) []byte { return []byte("key") }},
		{"the key of a curve", uaf.KeyRSADER, func([]byte) []byte { return ecSPKI(t) }},
		{"raw, cut off", uaf.KeyRSARaw, func(data []byte) []byte { return data[:256] }},
		{"raw, too long an exponent", uaf.KeyRSARaw, func(data []byte) []byte { return append(data, 1, 1) }},
		{"raw, a modulus that begins with zero", uaf.KeyRSARaw, func(data []byte) []byte { return append([]byte{0}, data...) }},
		{"raw, exponent 1", uaf.KeyRSARaw, func(data []byte) []byte { return append(data[:256], 1) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			wantStatus(t, surrogate(t, uaf.AlgorithmPSSRaw, c.format, c.key, nil), uaf.StatusUnacceptableKey)
		})
	}
}

func ecSPKI(t *testing.T) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	data, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestCurveKeysThatAreRefused(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := x509.MarshalPKIXPublicKey(&p384.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name   string
		format uaf.KeyFormat
		key    func([]byte) []byte
	}{
		{"infinity", uaf.KeyECRaw, func([]byte) []byte { return []byte{0} }},
		{"compressed", uaf.KeyECRaw, func(d []byte) []byte { return append([]byte{2 + d[64]&1}, d[1:33]...) }},
		{"hybrid", uaf.KeyECRaw, func(d []byte) []byte { d[0] = 6 + d[64]&1; return d }},
		{"off the curve", uaf.KeyECRaw, func(d []byte) []byte { d[64] ^= 1; return d }},
		{"zero", uaf.KeyECRaw, func([]byte) []byte { return append([]byte{4}, make([]byte, 64)...) }},
		{"coordinates too large", uaf.KeyECRaw, func([]byte) []byte { return append([]byte{4}, bytes.Repeat([]byte{255}, 64)...) }},
		{"a byte more", uaf.KeyECRaw, func(d []byte) []byte { return append(d, 0) }},
		{"a byte less", uaf.KeyECRaw, func(d []byte) []byte { return d[:64] }},
		{"64 bytes without the 04", uaf.KeyECRaw, func(d []byte) []byte { return d[1:] }},
		{"a SubjectPublicKeyInfo said to be raw", uaf.KeyECRaw, func([]byte) []byte { return ecSPKI(t) }},
		{"another curve", uaf.KeyECDER, func([]byte) []byte { return foreign }},
		{"raw said to be a SubjectPublicKeyInfo", uaf.KeyECDER, func(d []byte) []byte { return d[len(d)-65:] }},
		{"bytes after it", uaf.KeyECDER, func(d []byte) []byte { return append(d, 0) }},
		{"cut off", uaf.KeyECDER, func(d []byte) []byte { return d[:len(d)-1] }},
	}
	for _, algorithm := range []uaf.SignatureAlgorithm{uaf.AlgorithmP256Raw, uaf.AlgorithmSecp256k1DER} {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				wantStatus(t, surrogate(t, algorithm, c.format, c.key, nil), uaf.StatusUnacceptableKey)
			})
		}
	}
}

// pairDER splits and joins the DER of an ECDSA signature.
type pairDER struct{ R, S *big.Int }

func TestSignatureForms(t *testing.T) {
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

// longLength writes a DER length in two bytes where one does.
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

func TestRawSignatureForms(t *testing.T) {
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

func TestRSASignatureForms(t *testing.T) {
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

// PSS and PKCS #1 v1.5 are not taken for one another, though the key is the
// same, and neither are the two curves.
func TestAlgorithmsAreNotTakenForOneAnother(t *testing.T) {
	cases := [][2]uaf.SignatureAlgorithm{
		{uaf.AlgorithmPSSRaw, uaf.AlgorithmPKCS1Raw}, {uaf.AlgorithmPKCS1Raw, uaf.AlgorithmPSSRaw},
		{uaf.AlgorithmPSSRaw, uaf.AlgorithmPSSDER}, {uaf.AlgorithmP256Raw, uaf.AlgorithmP256DER},
		{uaf.AlgorithmP256Raw, uaf.AlgorithmSecp256k1Raw}, {uaf.AlgorithmSecp256k1DER, uaf.AlgorithmP256DER},
	}
	for _, c := range cases {
		options := uaftest.Options{Algorithm: c[0]}
		options.Tamper = inSigned(uaf.TagAssertionInfo, at(3, byte(c[1])))
		authenticator, server := pair(t, options, put("authenticationAlgorithms", []int{int(c[0]), int(c[1])}))
		if err := registerWith(t, authenticator, server); err == nil {
			t.Errorf("a signature of algorithm %d passed for one of %d", c[0], c[1])
		}
	}
}

// A signature that no library made: with the private key 1 and the nonce 1 it
// takes one addition. Signing and verifying with one library could hide a
// mistake in both.
func TestSecp256k1SignatureMadeByHand(t *testing.T) {
	// Private key 1: the public key is the generator. With nonce 1, r is its x
	// coordinate and s = (hash + r) mod n.
	gx, _ := hex.DecodeString("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
	gy, _ := hex.DecodeString("483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")
	n, _ := new(big.Int).SetString("fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141", 16)
	point := slices.Concat([]byte{4}, gx, gy)
	var signed []byte
	options := uaftest.Options{Algorithm: uaf.AlgorithmSecp256k1Raw}
	options.Tamper.Signed = func(e *uaf.Element) {
		edit(e, uaf.TagPublicKey, func(p *uaf.Element, i int) { p.Children[i].Value = point })
		signed = encoded(t, *e)
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
