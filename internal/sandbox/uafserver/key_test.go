package uafserver_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"math/big"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// surrogate registers with an authenticator whose PUB_KEY is changed by key and whose
// signature, made with the real key, is changed by signature.
func surrogate(t *testing.T, algorithm uaf.SignatureAlgorithm, format uaf.KeyFormat, key, signature func([]byte) []byte) error {
	t.Helper()
	options := softuaf.Options{Algorithm: algorithm, KeyFormat: format}
	options.Tamper.Signature = signature
	if key != nil {
		options.Tamper.Signed = inSigned(uaf.TagPublicKey, key).Signed
	}
	authenticator, server := pair(t, options, nil)
	return registerWith(t, authenticator, server)
}

func same(data []byte) []byte { return data }

// rsaKey parses a SEQUENCE{n, e}.
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

func TestRSAKey_SubjectPublicKeyInfo(t *testing.T) {
	plain := func(data []byte) []byte {
		spki, err := x509.MarshalPKIXPublicKey(rsaKey(t, data))
		if err != nil {
			t.Fatal(err)
		}
		return spki
	}
	for _, algorithm := range []uaf.SignatureAlgorithm{uaf.AlgorithmPSSRaw, uaf.AlgorithmPKCS1DER} {
		wantStatus(t, surrogate(t, algorithm, uaf.KeyRSADER, plain, nil), uaf.StatusOK)
	}
	trailing := func(data []byte) []byte { return append(plain(data), 0) }
	wantStatus(t, surrogate(t, uaf.AlgorithmPSSRaw, uaf.KeyRSADER, trailing, nil), uaf.StatusUnacceptableKey)
}

func TestRSAKey_Refused(t *testing.T) {
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

func TestCurveKey_Refused(t *testing.T) {
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
