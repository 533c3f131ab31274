package ceremony_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"slices"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/fault"
)

func withPublicKey(t testing.TB, encoded []byte) string {
	t.Helper()
	return registrationOver(t, authenticator.Tampering{AuthData: func(d *authenticator.AuthData) {
		if d.Attested != nil {
			d.Attested.PublicKey = encoded
		}
	}})
}

func point(t testing.TB, curve elliptic.Curve) (x, y []byte) {
	t.Helper()
	k, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := k.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	n := (len(raw) - 1) / 2
	return raw[1 : 1+n], raw[1+n:]
}

// A public key must be one; how good its algorithm is, is the platform's to say.
func TestPublicKeys(t *testing.T) {
	t.Parallel()
	x, y := point(t, elliptic.P256())
	x3, y3 := point(t, elliptic.P384())
	x5, y5 := point(t, elliptic.P521())
	b32 := make([]byte, 32)
	type k = map[any]any
	for name, c := range map[string]struct {
		key  any
		want fault.Key
	}{
		"P-256":                    {k{1: 2, 3: -7, -1: 1, -2: x, -3: y}, ""},
		"P-384":                    {k{1: 2, 3: -35, -1: 2, -2: x3, -3: y3}, ""},
		"P-521":                    {k{1: 2, 3: -36, -1: 3, -2: x5, -3: y5}, ""},
		"secp256k1":                {k{1: 2, 3: -47, -1: 8, -2: b32, -3: b32}, ""},
		"a curve of tomorrow":      {k{1: 2, 3: -7, -1: 99, -2: b32, -3: b32}, ""},
		"an algorithm of tomorrow": {k{1: 2, 3: -99999, -1: 1, -2: x, -3: y}, ""},
		"another type's algorithm": {k{1: 2, 3: -257, -1: 1, -2: x, -3: y}, ""},
		"with an operation":        {k{1: 2, 3: -7, 4: []any{2}, -1: 1, -2: x, -3: y}, ""},
		"Ed25519":                  {k{1: 1, 3: -8, -1: 6, -2: b32}, ""},
		"Ed448":                    {k{1: 1, 3: -8, -1: 7, -2: make([]byte, 57)}, ""},
		"RSA":                      {k{1: 3, 3: -257, -1: make([]byte, 256), -2: []byte{1, 0, 1}}, ""},
		"ML-DSA":                   {k{1: 7, 3: -49, -1: make([]byte, 1952)}, ""},
		"empty":                    {k{}, fault.CeremonyMalformed},
		"no type":                  {k{3: -7, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"a type of text":           {k{1: "EC2", 3: -7, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"a type of bytes":          {k{1: []byte{2}, 3: -7, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"a type unknown":           {k{1: 99, 3: -7, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"a symmetric key":          {k{1: 4, 3: 5, -1: b32}, fault.CeremonyMalformed},
		"labels of text":           {k{"1": 2, "3": -7, "-1": 1, "-2": x, "-3": y}, fault.CeremonyMalformed},
		"no algorithm":             {k{1: 2, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"an algorithm of null":     {k{1: 2, 3: nil, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"no curve":                 {k{1: 2, 3: -7, -2: x, -3: y}, fault.CeremonyMalformed},
		"no x":                     {k{1: 2, 3: -7, -1: 1, -3: y}, fault.CeremonyMalformed},
		"no y":                     {k{1: 2, 3: -7, -1: 1, -2: x}, fault.CeremonyMalformed},
		"a compressed point":       {k{1: 2, 3: -7, -1: 1, -2: x, -3: true}, fault.CeremonyMalformed},
		"x of text":                {k{1: 2, 3: -7, -1: 1, -2: string(make([]byte, 32)), -3: y}, fault.CeremonyMalformed},
		"coordinates too short":    {k{1: 2, 3: -7, -1: 1, -2: x[1:], -3: y[1:]}, fault.CeremonyMalformed},
		"coordinates of unequal":   {k{1: 2, 3: -7, -1: 1, -2: x, -3: y[1:]}, fault.CeremonyMalformed},
		"coordinates too long":     {k{1: 2, 3: -7, -1: 1, -2: append([]byte{0}, x...), -3: append([]byte{0}, y...)}, fault.CeremonyMalformed},
		"a point off its curve":    {k{1: 2, 3: -7, -1: 1, -2: x, -3: x}, fault.CeremonyMalformed},
		"a point of zeros":         {k{1: 2, 3: -7, -1: 1, -2: b32, -3: b32}, fault.CeremonyMalformed},
		"a point of another curve": {k{1: 2, 3: -7, -1: 2, -2: x, -3: y}, fault.CeremonyMalformed},
		"Ed25519 without curve":    {k{1: 1, 3: -8, -2: b32}, fault.CeremonyMalformed},
		"Ed25519 too short":        {k{1: 1, 3: -8, -1: 6, -2: b32[1:]}, fault.CeremonyMalformed},
		"Ed25519 without x":        {k{1: 1, 3: -8, -1: 6}, fault.CeremonyMalformed},
		"RSA without modulus":      {k{1: 3, 3: -257, -2: []byte{1, 0, 1}}, fault.CeremonyMalformed},
		"RSA without exponent":     {k{1: 3, 3: -257, -1: make([]byte, 256)}, fault.CeremonyMalformed},
		"RSA of numbers":           {k{1: 3, 3: -257, -1: 65537, -2: 3}, fault.CeremonyMalformed},
		"ML-DSA without key":       {k{1: 7, 3: -49}, fault.CeremonyMalformed},
		"null":                     {nil, fault.CeremonyMalformed},
		"an array":                 {[]any{1, 2, 3, -7}, fault.CeremonyMalformed},
		"bytes":                    {make([]byte, 65), fault.CeremonyMalformed},
		"a number":                 {1, fault.CeremonyMalformed},
	} {
		wantKey(t, name, judge(withPublicKey(t, cborOf(t, c.key))), c.want)
	}
}

func TestPublicKeyBytes(t *testing.T) {
	t.Parallel()
	whole := cborOf(t, map[int]any{1: 1, 3: -8, -1: 6, -2: make([]byte, 32)})
	twice := append([]byte{0xa5, 0x01, 0x01}, whole[1:]...)
	for name, encoded := range map[string][]byte{
		"nothing": {}, "cut": whole[:len(whole)-1], "more": append(slices.Clip(whole), 0), "its type twice": twice,
		"its type twice, spelled longer": append([]byte{0xa5, 0x18, 0x01, 0x01}, whole[1:]...),
		"indefinite":                     append(append([]byte{0xbf}, whole[1:]...), 0xff),
	} {
		wantKey(t, name, judge(withPublicKey(t, encoded)), fault.CeremonyMalformed)
	}
	wantKey(t, "as it is", judge(withPublicKey(t, whole)), "")
}
