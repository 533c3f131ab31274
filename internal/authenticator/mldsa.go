//go:build go1.27

package authenticator

import (
	"crypto"
	"crypto/mldsa"
)

// postQuantum are the parameters of the algorithms that the standard library has from Go 1.27 on.
var postQuantum = map[Algorithm]mldsa.Parameters{MLDSA44: mldsa.MLDSA44(), MLDSA65: mldsa.MLDSA65()}

// newPostQuantum makes a key; false if algorithm is none of these.
func newPostQuantum(algorithm Algorithm) (crypto.Signer, bool, error) {
	parameters, ok := postQuantum[algorithm]
	if !ok {
		return nil, false, nil
	}
	private, err := mldsa.GenerateKey(parameters)
	return private, true, err
}

// postQuantumKey returns the encoding of a public key (FIPS 204) and its algorithm; false if it
// is of another kind.
func postQuantumKey(public crypto.PublicKey) ([]byte, Algorithm, bool) {
	k, ok := public.(*mldsa.PublicKey)
	if !ok {
		return nil, "", false
	}
	return k.Bytes(), Algorithm(k.Parameters().String()), true
}
