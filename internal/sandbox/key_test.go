package sandbox_test

import (
	"bytes"
	"crypto/ecdh"
	"crypto/rand"
	"crypto/rsa"
	"encoding/hex"
	"math/big"
	"net/http"
	"slices"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"countersign/internal/authenticator"
)

// cose is a COSE_Key by its labels.
type cose map[int]any

func (k cose) encoded(t testing.TB) []byte {
	t.Helper()
	data, err := cbor.Marshal(map[int]any(k))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// with returns the key with one member changed, or removed by nil.
func (k cose) with(label int, value any) cose {
	changed := cose{label: value}
	for l, v := range k {
		if l != label {
			changed[l] = v
		}
	}
	if value == nil {
		delete(changed, label)
	}
	return changed
}

func pointOn(t testing.TB, curve ecdh.Curve, alg, crv int) cose {
	t.Helper()
	key, err := curve.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point := key.PublicKey().Bytes()[1:]
	return cose{1: 2, 3: alg, -1: crv, -2: point[:len(point)/2], -3: point[len(point)/2:]}
}

func rsaKey(t testing.TB, alg int) cose {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return cose{1: 3, 3: alg, -1: key.N.Bytes(), -2: []byte{1, 0, 1}}
}

// basePoint is the base point of Ed25519 (RFC 8032 section 5.1).
var basePoint = append([]byte{0x58}, bytes.Repeat([]byte{0x66}, 31)...)

func edKey(x []byte) cose { return cose{1: 1, 3: -8, -1: 6, -2: x} }

func fromHex(t testing.TB, text string) []byte {
	t.Helper()
	data, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// registersKey registers a credential with this public key, without attestation.
func (p platform) registersKey(key []byte) answer {
	p.t.Helper()
	device := browser().With(authenticator.Tampering{AuthData: func(d *authenticator.AuthData) { d.Attested.PublicKey = key }})
	requestID, response := p.create("alice@sandbox", device, object{"attestation": "none"})
	return p.finish("alice@sandbox", requestID, response)
}

func TestPublicKey_UsableRegistered(t *testing.T) {
	p := start(t)
	for name, key := range map[string]cose{
		"P-256":   pointOn(t, ecdh.P256(), -7, 1),
		"P-384":   pointOn(t, ecdh.P384(), -35, 2),
		"P-521":   pointOn(t, ecdh.P521(), -36, 3),
		"RS256":   rsaKey(t, -257),
		"PS256":   rsaKey(t, -37),
		"e of 3":  rsaKey(t, -257).with(-2, []byte{3}),
		"Ed25519": edKey(basePoint),
	} {
		if a := p.registersKey(key.encoded(t)); a.status != http.StatusOK {
			t.Errorf("%s: %d %s", name, a.status, a.text)
		}
	}
}

// With attestation "none" the platform must check the key itself: with an unusable one
// nobody could sign in, with others everybody.
func TestPublicKey_UnusableRefused(t *testing.T) {
	p := start(t)
	ec, rs, ed := pointOn(t, ecdh.P256(), -7, 1), rsaKey(t, -257), edKey(basePoint)
	zeros := make([]byte, 32)
	beyond := bytes.Repeat([]byte{0xff}, 32)
	even := slices.Clone(rs[-1].([]byte))
	even[len(even)-1] &^= 1
	for name, key := range map[string]cose{
		"EC2 with an algorithm of RSA":       ec.with(3, -257),
		"EC2 with an algorithm of Ed25519":   ec.with(3, -8),
		"EC2 with another curve's algorithm": ec.with(3, -35),
		"EC2 with another curve":             ec.with(-1, 2),
		"EC2 without a curve":                ec.with(-1, nil),
		"EC2 without an algorithm":           ec.with(3, nil),
		"EC2 off its curve":                  ec.with(-3, ec[-2]),
		"EC2 at zero":                        ec.with(-2, zeros).with(-3, zeros),
		"EC2 beyond the field":               ec.with(-2, beyond),
		"EC2 with a short coordinate":        ec.with(-2, ec[-2].([]byte)[1:]),
		"EC2 with a long coordinate":         ec.with(-2, append([]byte{0}, ec[-2].([]byte)...)),
		"EC2 without y":                      ec.with(-3, nil),
		"EC2 called OKP":                     ec.with(1, 1),
		"secp256k1, which was not offered":   {1: 2, 3: -47, -1: 8, -2: secp256k1X(t), -3: secp256k1Y(t)},
		"OKP with an algorithm of EC2":       ed.with(3, -7),
		"OKP with Ed448":                     ed.with(-1, 7).with(-2, make([]byte, 57)),
		"OKP with X25519":                    ed.with(-1, 4),
		"OKP without a curve":                ed.with(-1, nil),
		"OKP of 31 bytes":                    ed.with(-2, basePoint[1:]),
		"OKP of 33 bytes":                    ed.with(-2, append([]byte{0}, basePoint...)),
		"OKP without x":                      ed.with(-2, nil),
		"OKP off its curve":                  ed.with(-2, append([]byte{2}, zeros[1:]...)),
		"OKP beyond the field":               ed.with(-2, beyond),
		"OKP of order 1":                     ed.with(-2, append([]byte{1}, zeros[1:]...)),
		"OKP of order 2":                     ed.with(-2, fromHex(t, "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")),
		"OKP of order 4":                     ed.with(-2, zeros),
		"OKP of order 8":                     ed.with(-2, fromHex(t, "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")),
		"OKP of order 8, the other one":      ed.with(-2, fromHex(t, "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")),
		"RSA with an algorithm of EC2":       rs.with(3, -7),
		"RSA with SHA-1":                     rs.with(3, -65535),
		"RSA without a modulus":              rs.with(-1, nil),
		"RSA with a modulus of zero":         rs.with(-1, zeros),
		"RSA of 1024 bits":                   rs.with(-1, rs[-1].([]byte)[:128]),
		"RSA of 2047 bits":                   rs.with(-1, new(big.Int).SetBit(new(big.Int).SetBytes(rs[-1].([]byte)), 2047, 0).Bytes()),
		"RSA of 8193 bits":                   rs.with(-1, append([]byte{1}, bytes.Repeat([]byte{1}, 1024)...)),
		"RSA with an even modulus":           rs.with(-1, even),
		"RSA without an exponent":            rs.with(-2, nil),
		"RSA with exponent 0":                rs.with(-2, []byte{0}),
		"RSA with exponent 1":                rs.with(-2, []byte{1}),
		"RSA with exponent 2":                rs.with(-2, []byte{2}),
		"RSA with an even exponent":          rs.with(-2, []byte{1, 0, 0}),
		"RSA with a huge exponent":           rs.with(-2, []byte{1, 0, 0, 0, 1}),
		"RSA called EC2":                     rs.with(1, 2),
		"of an unknown type":                 ec.with(1, 9),
		"of the symmetric type":              {1: 4, 3: -7, -1: zeros},
	} {
		t.Run(name, func(t *testing.T) {
			p := p
			p.t = t
			p.registersKey(key.encoded(t)).refused(t, http.StatusConflict, notVerifiable)
		})
	}
	if n := len(p.registrations("alice@sandbox")); n != 0 {
		t.Errorf("%d registrations came of it", n)
	}
	p.register("alice@sandbox", browser(), nil)
}

// The base point of secp256k1 (SEC 2, section 2.4.1).
func secp256k1X(t testing.TB) []byte {
	t.Helper()
	return fromHex(t, "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798")
}

func secp256k1Y(t testing.TB) []byte {
	t.Helper()
	return fromHex(t, "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")
}
