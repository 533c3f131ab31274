// Package ceremony is what a FIDO exchange is: it reads the challenge out of
// the platform's request, matches a client's response to it, and checks the
// response's structure, type, origin and relying party before the platform is
// bothered. FIDO2 stands on go-webauthn's protocol package, hardened where that
// is lax; UAF 1.1 on package uaf.
//
// RelyingParty.Begin makes the ceremony that a request opens. A response is read
// first, which spends nothing and proves it well-formed to the last byte; the pending
// ceremony is then found by the challenge inside it and spent; RelyingParty.Check
// comes last.
//
// It stores nothing, knows no HTTP, and judges neither signatures, algorithms,
// user presence and verification, nor attestation: those are the platform's. It
// only reads: what is relayed is the client's text byte for byte.
package ceremony

import (
	"time"
)

// Kind is what a ceremony is for. A ceremony of one kind never finishes another.
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

// Request is what matters of a request that the platform made for a client.
type Request struct {
	Protocol Protocol
	// Challenge is decoded, as the client will send it back.
	Challenge []byte
	// RPID is the relying party ID of a FIDO2 request; "" when it names none and
	// the client takes its origin's host.
	RPID string
	// AppID is that of a UAF request; "" makes the client's facet ID the appID.
	AppID string
	// Timeout is how long the client is told to wait; zero when it is not told.
	Timeout time.Duration
	// TransactionHash is SHA-256 of the content that a UAF transaction shows; of
	// each form in turn (32 bytes each) where one content comes in several.
	TransactionHash []byte
	// AllowCredentials is the number of credentials a FIDO2 sign-in names; -1
	// where the request does not tell.
	AllowCredentials int
}

// Response is a client's well-formed answer to a request.
type Response struct {
	Protocol Protocol
	// Challenge is decoded from inside the response: what the pending ceremony
	// is found by.
	Challenge []byte
	inner     protocolResponse
}
