package identity

import (
	"bytes"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"filippo.io/edwards25519"
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncbor"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// The allowed sizes of RSA moduli, in bits, and the largest exponent: those that
// crypto/rsa supports at a bounded cost.
const (
	leastModulus = 2048
	mostModulus  = 8192
	mostExponent = 1<<31 - 1
)

// usableKey checks that a credential's public key, a COSE_Key, can verify a sign-in. With
// attestation "none" the registration does not use it, so an invalid key would only show
// when its person is locked out.
func usableKey(encoded []byte, offered []protocol.CredentialParameter) error {
	key, err := webauthncose.ParsePublicKey(encoded)
	if err != nil {
		return reason(err)
	}
	var algorithm int64
	switch k := key.(type) {
	case webauthncose.EC2PublicKeyData:
		algorithm, err = k.Algorithm, checkEC2(k)
	case webauthncose.OKPPublicKeyData:
		algorithm, err = k.Algorithm, checkEd25519(k.XCoord)
	case webauthncose.RSAPublicKeyData:
		algorithm, err = k.Algorithm, checkRSA(k)
	default:
		var ok bool
		if algorithm, ok = postQuantumAlgorithm(key); !ok {
			err = fmt.Errorf("a key of type %T", key)
		}
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(offered, func(p protocol.CredentialParameter) bool { return int64(p.Algorithm) == algorithm }) {
		return fmt.Errorf("algorithm %d was not offered", algorithm)
	}
	return nil
}

// checkEC2 requires the curve to be named (Web Authentication section 5.8.5); the parser
// has checked that it fits the algorithm and contains the point.
func checkEC2(k webauthncose.EC2PublicKeyData) error {
	if webauthncose.COSEEllipticCurve(k.Curve) == webauthncose.EllipticCurveReserved {
		return errors.New("EC2 key without a curve")
	}
	return nil
}

func checkRSA(k webauthncose.RSAPublicKeyData) error {
	switch webauthncose.COSEAlgorithmIdentifier(k.Algorithm) {
	case webauthncose.AlgRS256, webauthncose.AlgRS384, webauthncose.AlgRS512,
		webauthncose.AlgPS256, webauthncose.AlgPS384, webauthncose.AlgPS512:
	default:
		return fmt.Errorf("RSA key with algorithm %d", k.Algorithm)
	}
	n, e := new(big.Int).SetBytes(k.Modulus), new(big.Int).SetBytes(k.Exponent)
	switch {
	case n.BitLen() < leastModulus || n.BitLen() > mostModulus || n.Bit(0) == 0:
		return fmt.Errorf("RSA modulus of %d bits", n.BitLen())
	case e.Cmp(big.NewInt(3)) < 0 || e.Cmp(big.NewInt(mostExponent)) > 0 || e.Bit(0) == 0:
		return errors.New("RSA exponent that is even, or too small or large")
	}
	return nil
}

// checkEd25519 requires the point's canonical encoding (RFC 8032 section 5.1.3) and
// refuses points of small order, for which anybody can sign. crypto/ed25519 checks
// neither before it verifies.
func checkEd25519(encoded []byte) error {
	point, err := new(edwards25519.Point).SetBytes(encoded)
	switch {
	case err != nil:
		return err
	case !bytes.Equal(point.Bytes(), encoded):
		return errors.New("Ed25519 key in another encoding than its own")
	case new(edwards25519.Point).MultByCofactor(point).Equal(edwards25519.NewIdentityPoint()) == 1:
		return errors.New("Ed25519 key of small order")
	}
	return nil
}

// isPostQuantum reports whether a response makes a key of ML-DSA (RFC 9964).
func isPostQuantum(response *protocol.ParsedCredentialCreationData) bool {
	const algorithmKeyPair = 7
	var key struct {
		Type int64 `cbor:"1,keyasint"`
	}
	err := webauthncbor.Unmarshal(response.Response.AttestationObject.AuthData.AttData.CredentialPublicKey, &key)
	return err == nil && key.Type == algorithmKeyPair
}
