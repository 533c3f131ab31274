package softuaf_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

const (
	appID = "https://bank.example/facets"
	facet = "https://bank.example"
)

// kept returns value after writing it to JSON and back.
func kept[T any](t *testing.T, value T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A stored authenticator signs in like the original, with its counter.
func TestRestore_AuthenticatorSignsIn(t *testing.T) {
	t.Parallel()
	root, err := softuaf.NewRoot(uaf.AlgorithmP256DER, softuaf.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	stored, err := root.Store()
	if root, err = kept(t, stored, err).Restore(); err != nil {
		t.Fatal(err)
	}
	metadata, err := softuaf.Metadata(softuaf.DemoModel(nil), softuaf.DemoModel(root))
	if err != nil {
		t.Fatal(err)
	}
	for _, algorithm := range softuaf.Algorithms() {
		for _, model := range []softuaf.Options{
			{AAID: softuaf.DemoAAID},
			{AAID: softuaf.AttestedAAID, Attestation: uaf.TagAttestationFull, Root: root},
		} {
			t.Run(fmt.Sprint(softuaf.AlgorithmName(algorithm), " ", model.AAID), func(t *testing.T) {
				t.Parallel()
				model.Algorithm, model.FacetID, model.Version = algorithm, facet, softuaf.DemoVersion
				a, err := softuaf.New(model)
				if err != nil {
					t.Fatal(err)
				}
				j := newJudge(t, metadata)
				j.register(a)
				for range 3 {
					stored, err := a.Store()
					if a, err = kept(t, stored, err).Restore(facet); err != nil {
						t.Fatal(err)
					}
					j.authenticate(a)
				}
				if j.keys[0].SignCounter != 3 {
					t.Errorf("the counter is %d after three sign-ins", j.keys[0].SignCounter)
				}
			})
		}
	}
}

func TestStore_WithoutKey(t *testing.T) {
	t.Parallel()
	a := newAuthenticator(t)
	if _, err := a.Store(); err == nil {
		t.Error("an authenticator without a key was stored")
	}
}

// A file written by hand, or by another program, is checked.
func TestRestore_InvalidAuthenticators(t *testing.T) {
	t.Parallel()
	a := newAuthenticator(t)
	if _, err := a.Register(registration(t, "ABCD#1234")); err != nil {
		t.Fatal(err)
	}
	good, err := a.Store()
	if err != nil {
		t.Fatal(err)
	}
	p256, err := softuaf.NewSigner(uaf.AlgorithmP256DER)
	if err != nil {
		t.Fatal(err)
	}
	other, err := p256.MarshalPKCS8()
	if err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*softuaf.StoredAuthenticator){
		"another kind of key":   func(s *softuaf.StoredAuthenticator) { s.PrivateKey = other },
		"no key":                func(s *softuaf.StoredAuthenticator) { s.PrivateKey = nil },
		"an unknown algorithm":  func(s *softuaf.StoredAuthenticator) { s.Algorithm = "sm2" },
		"an unknown key format": func(s *softuaf.StoredAuthenticator) { s.KeyFormat = "" },
	} {
		s := good
		spoil(&s)
		if _, err := s.Restore(facet); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
	if _, err := good.Restore(facet); err != nil {
		t.Error(err)
	}
}

func TestRestore_InvalidRoots(t *testing.T) {
	t.Parallel()
	root, err := softuaf.NewRoot(uaf.AlgorithmP256DER, softuaf.Epoch())
	if err != nil {
		t.Fatal(err)
	}
	good, err := root.Store()
	if err != nil {
		t.Fatal(err)
	}
	k1, err := softuaf.NewSigner(uaf.AlgorithmSecp256k1Raw)
	if err != nil {
		t.Fatal(err)
	}
	key, err := k1.MarshalPKCS8()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]softuaf.StoredAuthority{
		"no certificate": {PrivateKey: good.PrivateKey}, "no key": {Certificate: good.Certificate},
		"a key on secp256k1": {Certificate: good.Certificate, PrivateKey: key},
	} {
		if _, err := s.Restore(); err == nil {
			t.Errorf("%s: restored", name)
		}
	}
}

func TestPrivateKey_PKCS8(t *testing.T) {
	t.Parallel()
	pkcs8 := func(key any) []byte {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return der
	}
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	k1, err := softuaf.NewSigner(uaf.AlgorithmSecp256k1DER)
	if err != nil {
		t.Fatal(err)
	}
	honest, err := k1.MarshalPKCS8()
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(honest, []byte{0x02, 0x01, 0x01, 0x04, 0x20}) + 5 // version 1, an octet string of 32 bytes
	scalar := func(fill byte) []byte {
		der := bytes.Clone(honest)
		copy(der[at:at+32], bytes.Repeat([]byte{fill}, 32))
		return der
	}
	for name, der := range map[string][]byte{
		"P-384": pkcs8(p384), "Ed25519": pkcs8(edwards), "nothing": nil, "cut": honest[:len(honest)-1],
		"more behind it": append(bytes.Clone(honest), 0), "zero": scalar(0), "beyond the order": scalar(0xff),
	} {
		if _, err := softuaf.ParsePKCS8(der); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	if _, err := softuaf.ParsePKCS8(scalar(1)); err != nil {
		t.Errorf("a scalar of ones: %v", err)
	}
}

// A secp256k1 key as openssl writes it, with its public key.
func TestPrivateKey_Secp256k1FromOpenSSL(t *testing.T) {
	t.Parallel()
	signer, err := softuaf.ParsePKCS8(fromHex(t, `
		30818402010030 1006072a8648ce3d020106052b8104000a 046d306b0201010420
		0000000000000000000000000000000000000000000000000000000000000001
		a144034200 04
		79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798
		483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8`))
	if err != nil {
		t.Fatal(err)
	}
	public, err := signer.PublicKey(uaf.KeyECRaw)
	if err != nil {
		t.Fatal(err)
	}
	// The public key of 1 is the curve's base point.
	if want := fromHex(t, "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"); !bytes.Equal(public[1:33], want) {
		t.Errorf("public key %x", public)
	}
}

func fromHex(t *testing.T, text string) []byte {
	t.Helper()
	var out []byte
	if _, err := fmt.Sscanf(strings.Join(strings.Fields(text), ""), "%x", &out); err != nil {
		t.Fatal(err)
	}
	return out
}
