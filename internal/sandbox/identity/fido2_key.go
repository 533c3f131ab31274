package identity

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// The sizes of RSA moduli, in bits, and the largest exponent: what crypto/rsa
// verifies with, and what costs no more than others do.
const (
	leastModulus = 2048
	mostModulus  = 8192
	mostExponent = 1<<31 - 1
)

// usableKey checks that somebody could sign in with a credential's public key, a
// COSE_Key. Attestation "none" has nobody look at it at registration, and a key
// that is none would be found out only when its person is locked out.
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
		err = fmt.Errorf("a key of type %T", key)
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(offered, func(p protocol.CredentialParameter) bool { return int64(p.Algorithm) == algorithm }) {
		return fmt.Errorf("algorithm %d was not offered", algorithm)
	}
	return nil
}

// checkEC2 wants the curve named (Web Authentication section 5.8.5); that it is
// the algorithm's and the point on it has been seen to.
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

var (
	one = big.NewInt(1)
	// p and d are those of the curve, -x² + y² = 1 + dx²y² (RFC 8032 section 5.1).
	edwardsP = new(big.Int).Sub(new(big.Int).Lsh(one, 255), big.NewInt(19))
	edwardsD = func() *big.Int {
		inverse := new(big.Int).ModInverse(big.NewInt(121666), edwardsP)
		return inverse.Mul(inverse, big.NewInt(-121665)).Mod(inverse, edwardsP)
	}()
)

// checkEd25519 decodes the point as RFC 8032 section 5.1.3 does, and refuses
// those of small order, for which anybody can sign. crypto/ed25519 looks at
// neither before it verifies.
func checkEd25519(encoded []byte) error {
	little := slices.Clone(encoded)
	slices.Reverse(little)
	if len(little) == 0 {
		return errors.New("Ed25519 key of no bytes")
	}
	negative := little[0]&0x80 != 0
	little[0] &^= 0x80
	y := new(big.Int).SetBytes(little)
	if y.Cmp(edwardsP) >= 0 {
		return errors.New("Ed25519 key beyond the field")
	}
	mod := func(n *big.Int) *big.Int { return n.Mod(n, edwardsP) }
	y2 := mod(new(big.Int).Mul(y, y))
	dy2 := mod(new(big.Int).Mul(edwardsD, y2))
	// x² = (y² - 1) / (dy² + 1), whose denominator is never zero.
	x2 := new(big.Int).ModInverse(mod(new(big.Int).Add(dy2, one)), edwardsP)
	x2 = mod(x2.Mul(x2, new(big.Int).Sub(y2, one)))
	switch {
	case x2.Sign() == 0: // of order 1 or 2, and negative would be no point at all
		return fmt.Errorf("Ed25519 key of small order, negative %v", negative)
	case new(big.Int).ModSqrt(x2, edwardsP) == nil:
		return errors.New("Ed25519 key off its curve")
	case y2.Sign() == 0: // of order 4
		return errors.New("Ed25519 key of small order")
	case mod(new(big.Int).Add(x2, y2)).Sign() == 0: // of order 8: twice the point has y = 0
		return errors.New("Ed25519 key of small order")
	}
	return nil
}
