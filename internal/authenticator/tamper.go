package authenticator

// Tampering breaks an authenticator's response at the stage from which the rest still
// follows: client data before it is hashed, authenticator data before it is signed. So
// the signature of a tampered response is good unless the signature itself is changed.
// Every member is optional.
type Tampering struct {
	// ClientData changes its members.
	ClientData func(*ClientData)
	// ClientDataJSON changes its bytes.
	ClientDataJSON func([]byte) []byte
	// AuthData changes the members of the authenticator data.
	AuthData func(*AuthData)
	// AuthDataBytes changes its bytes.
	AuthDataBytes func([]byte) []byte
	// Attestation changes the members of the attestation object: fmt, attStmt,
	// authData. Registration only.
	Attestation func(map[string]any)
	// AttestationObject changes its bytes. Registration only.
	AttestationObject func([]byte) []byte
	// Signature changes the signature of an assertion.
	Signature func([]byte) []byte
	// Credential changes the members of the final JSON.
	Credential func(map[string]any)
	// JSON changes its bytes.
	JSON func([]byte) []byte
}

func changed(data []byte, change func([]byte) []byte) []byte {
	if change == nil {
		return data
	}
	return change(data)
}
