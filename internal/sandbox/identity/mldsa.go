//go:build go1.27

package identity

import (
	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
)

// postQuantum are the algorithms that can be verified from Go 1.27 on, in the order of
// preference after all others.
var postQuantum = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgMLDSA44},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgMLDSA65},
}

// postQuantumAlgorithm returns the algorithm of a key, which the parser has checked; false if it
// is of another kind.
func postQuantumAlgorithm(key any) (int64, bool) {
	k, ok := key.(webauthncose.AKPPublicKeyData)
	return k.Algorithm, ok
}
