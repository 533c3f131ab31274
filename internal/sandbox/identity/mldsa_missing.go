//go:build !go1.27

package identity

import "github.com/go-webauthn/webauthn/protocol"

// postQuantum is empty: ML-DSA can be verified from Go 1.27 on.
var postQuantum []protocol.CredentialParameter

// postQuantumAlgorithm knows no key.
func postQuantumAlgorithm(any) (int64, bool) { return 0, false }
