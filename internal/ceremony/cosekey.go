package ceremony

import (
	"crypto/ecdh"
	"errors"
	"slices"

	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// The labels of a COSE_Key (RFC 9052 section 7, RFC 9053 section 7). Those below
// zero mean something else in each key type.
const (
	labelKeyType   int64 = 1
	labelAlgorithm int64 = 3
	label1         int64 = -1
	label2         int64 = -2
	label3         int64 = -3
)

var (
	errNotKey     = errors.New("not a COSE key of a known type with its parameters")
	errNotOnCurve = errors.New("not a point of its curve")
)

// coseKey is a COSE_Key by its labels.
type coseKey map[any]any

// checkCOSEKey checks that encoded is a public key: a map with type, algorithm
// and the parameters of its type. Which algorithms are good enough is not asked.
func checkCOSEKey(encoded []byte) error {
	var item any
	if err := strict.Unmarshal(encoded, &item); err != nil {
		return err
	}
	members, ok := item.(map[any]any)
	if !ok {
		return errNotKey
	}
	k := coseKey(members)
	kind, ok := k.number(labelKeyType)
	if _, hasAlgorithm := k.number(labelAlgorithm); !ok || !hasAlgorithm {
		return errNotKey
	}
	switch webauthncose.COSEKeyType(kind) {
	case webauthncose.OctetKey:
		return k.checkOKP()
	case webauthncose.EllipticKey:
		return k.checkEC2()
	case webauthncose.RSAKey:
		return required(len(k.bytes(label1)) > 0 && len(k.bytes(label2)) > 0)
	case webauthncose.AKP:
		return required(len(k.bytes(label1)) > 0)
	}
	return errNotKey
}

func (k coseKey) checkOKP() error {
	curve, ok := k.number(label1)
	x := k.bytes(label2)
	if webauthncose.COSEEllipticCurve(curve) == webauthncose.Ed25519 {
		return required(ok && len(x) == 32)
	}
	return required(ok && len(x) > 0)
}

// checkEC2 takes points uncompressed alone, as Web Authentication section 5.8.5
// demands, and proves those on the standard library's curves.
func (k coseKey) checkEC2() error {
	curve, ok := k.number(label1)
	x, y := k.bytes(label2), k.bytes(label3)
	if !ok || len(x) == 0 || len(x) != len(y) {
		return errNotKey
	}
	known := map[webauthncose.COSEEllipticCurve]ecdh.Curve{
		webauthncose.P256: ecdh.P256(), webauthncose.P384: ecdh.P384(), webauthncose.P521: ecdh.P521(),
	}[webauthncose.COSEEllipticCurve(curve)]
	if known == nil {
		return nil
	}
	if _, err := known.NewPublicKey(slices.Concat([]byte{4}, x, y)); err != nil {
		return errNotOnCurve
	}
	return nil
}

func (k coseKey) number(label int64) (int64, bool) {
	n, ok := k[label].(int64)
	return n, ok
}

func (k coseKey) bytes(label int64) []byte {
	b, _ := k[label].([]byte)
	return b
}

func required(present bool) error {
	if !present {
		return errNotKey
	}
	return nil
}
