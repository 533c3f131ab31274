// Package ceremony reads FIDO messages and checks challenge, type, origin and relying party
// before the platform is called. FIDO2 uses go-webauthn's protocol package, with stricter
// checks where that is lax; UAF 1.1 uses package uaf.
//
// RelyingParty.Begin makes the ceremony that a request opens. A response is parsed first,
// which spends nothing and proves it well-formed to the last byte; then the pending
// ceremony is found by the challenge in the response, and spent; RelyingParty.Check comes
// last.
//
// It stores nothing, knows no HTTP, and judges neither signatures, algorithms, user
// presence and verification, nor attestation: the platform does. It only reads: clients'
// texts are relayed byte for byte.
package ceremony

import (
	"time"
)

// Kind is the purpose of a ceremony. A ceremony of one kind never finishes another.
type Kind string

// The kinds.
const (
	Registration Kind = "registration"
	SignIn       Kind = "sign-in"
	Transaction  Kind = "transaction"
)

// Protocol is the platform's name of a FIDO protocol.
type Protocol string

// The protocols, as in fidoProtocol (specification 4.3).
const (
	FIDO2 Protocol = "FIDO2"
	UAF11 Protocol = "UAF11"
)

// MaxMessage is the length in bytes above which a client's message is refused
// unread.
const MaxMessage = 256 << 10

// Request is the relevant content of a request that the platform made for a client.
type Request struct {
	Protocol Protocol
	// Text is the request as it goes to the client: the platform's, with options for FIDO2
	// put right where it writes them leniently.
	Text string
	// Challenge is decoded, as the client will send it back.
	Challenge []byte
	// RPID is the relying party ID of a FIDO2 request; "" if it names none and the client
	// uses its origin's host.
	RPID string
	// AppID is the appID of a UAF request; "" makes the client's facet ID the appID.
	AppID string
	// Timeout is the time-out that the request gives the client; zero if it gives none.
	Timeout time.Duration
	// TransactionHash is SHA-256 of the content that a UAF transaction shows. If one
	// content comes in several forms, it is their hashes in turn (32 bytes each).
	TransactionHash []byte
	// User is the user of a FIDO2 registration.
	User PasskeyUser
	// Allowed are the ids of the passkeys that a FIDO2 sign-in accepts, empty if the list names
	// none; nil if the request has no list.
	Allowed [][]byte
}

// PasskeyUser is the user of a FIDO2 registration request (PublicKeyCredentialUserEntity).
type PasskeyUser struct {
	Handle []byte // user.id, decoded
	Name   string
}

// Response is a client's well-formed answer to a request.
type Response struct {
	Protocol Protocol
	// Challenge is the decoded challenge in the response, by which the pending ceremony
	// is found.
	Challenge []byte
	// AAID is the model of the UAF authenticator that answered; "" for FIDO2.
	AAID string
	// UserHandle names the user in the response to a FIDO2 sign-in; nil if the response has none.
	UserHandle []byte
	// Made is the credential that a FIDO2 registration makes; nil for other responses.
	Made  *MadeCredential
	inner protocolResponse
}

// MadeCredential is what the authenticator says of a new credential. Nobody but the platform
// judges if that is true.
type MadeCredential struct {
	// AAGUID names the authenticator's model, in lower case; that of a key that does not tell
	// is all zeros.
	AAGUID string
	// BackupEligible and BackedUp are the flags BE and BS (Web Authentication Level 3, section
	// 6.1.3): whether the key may leave its device, and whether it has.
	BackupEligible, BackedUp bool
}
