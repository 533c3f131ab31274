package authenticator

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"fmt"
	"math/big"
	"slices"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

const rsaBits = 2048

// key is a key pair with its COSE description.
type key struct {
	algorithm Algorithm
	alg       int64
	private   crypto.Signer
	cose      []byte
}

// algorithms are the COSE identifiers of the supported algorithms.
var algorithms = map[Algorithm]webauthncose.COSEAlgorithmIdentifier{
	ES256: webauthncose.AlgES256,
	RS256: webauthncose.AlgRS256,
	EdDSA: webauthncose.AlgEdDSA,
	// The library names these from Go 1.27 on (RFC 9964).
	MLDSA44: -48,
	MLDSA65: -49,
}

// keyTypeAKP is the COSE key type of ML-DSA (RFC 9964).
const keyTypeAKP = 7

func newKey(algorithm Algorithm) (*key, error) {
	private, err := generate(algorithm)
	if err != nil {
		return nil, fmt.Errorf("make a %s key: %w", algorithm, err)
	}
	return describe(algorithm, private)
}

func describe(algorithm Algorithm, private crypto.Signer) (*key, error) {
	alg := int64(algorithms[algorithm])
	cose, err := webauthncbor.Marshal(coseKey(alg, private.Public()))
	if err != nil {
		return nil, fmt.Errorf("describe a %s key: %w", algorithm, err)
	}
	return &key{algorithm: algorithm, alg: alg, private: private, cose: cose}, nil
}

func generate(algorithm Algorithm) (crypto.Signer, error) {
	switch algorithm {
	case ES256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case RS256:
		return rsa.GenerateKey(rand.Reader, rsaBits)
	case EdDSA:
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return private, err
	}
	if private, ok, err := newPostQuantum(algorithm); ok {
		return private, err
	}
	return nil, fmt.Errorf("%w: %q", ErrNotSupported, algorithm)
}

// Makes reports whether authenticators of this build have keys of an algorithm.
func Makes(algorithm Algorithm) bool {
	if _, ok, _ := newPostQuantum(algorithm); ok {
		return true
	}
	return slices.Contains([]Algorithm{ES256, RS256, EdDSA}, algorithm)
}

// fits reports whether public is of algorithm's kind.
func fits(algorithm Algorithm, public crypto.PublicKey) bool {
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		return algorithm == ES256 && k.Curve == elliptic.P256()
	case *rsa.PublicKey:
		return algorithm == RS256
	case ed25519.PublicKey:
		return algorithm == EdDSA
	}
	_, its, ok := postQuantumKey(public)
	return ok && algorithm == its
}

// coseKey returns the COSE_Key of public in the form of Web Authentication section
// 6.5.1.1: kty, alg and the parameters of the key type, nothing else.
func coseKey(alg int64, public crypto.PublicKey) map[int64]any {
	switch k := public.(type) {
	case *ecdsa.PublicKey:
		point, err := k.Bytes() // 0x04, x, y
		if err != nil {
			return nil
		}
		return map[int64]any{1: int64(webauthncose.EllipticKey), 3: alg, -1: int64(webauthncose.P256), -2: point[1:33], -3: point[33:]}
	case *rsa.PublicKey:
		return map[int64]any{1: int64(webauthncose.RSAKey), 3: alg, -1: k.N.Bytes(), -2: big.NewInt(int64(k.E)).Bytes()}
	case ed25519.PublicKey:
		return map[int64]any{1: int64(webauthncose.OctetKey), 3: alg, -1: int64(webauthncose.Ed25519), -2: []byte(k)}
	}
	if encoded, _, ok := postQuantumKey(public); ok {
		return map[int64]any{1: int64(keyTypeAKP), 3: alg, -1: encoded}
	}
	return nil
}

// sign signs message, hashed first if the algorithm requires it.
func (k *key) sign(message []byte) ([]byte, error) {
	_, whole := k.private.(ed25519.PrivateKey)
	if _, _, ok := postQuantumKey(k.private.Public()); ok || whole { // the message is not hashed first
		return k.private.Sign(rand.Reader, message, crypto.Hash(0))
	}
	digest := sha256.Sum256(message)
	return k.private.Sign(rand.Reader, digest[:], crypto.SHA256)
}

// spki returns the key in the form of getPublicKey().
func (k *key) spki() ([]byte, error) {
	return x509.MarshalPKIXPublicKey(k.private.Public())
}
