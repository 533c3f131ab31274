//go:build !go1.27

package authenticator

import "crypto"

// newPostQuantum makes no key: the standard library has none of these algorithms before Go 1.27.
func newPostQuantum(Algorithm) (crypto.Signer, bool, error) { return nil, false, nil }

// postQuantumKey knows no key.
func postQuantumKey(crypto.PublicKey) ([]byte, Algorithm, bool) { return nil, "", false }
