package uaf

import (
	"crypto/sha256"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FinalChallengeParams are the client's statements about itself and the request (UAF
// protocol, section on FinalChallengeParams). On the wire they are base64url of their
// JSON; an authenticator signs the hash of that text.
type FinalChallengeParams struct {
	AppID          string         `json:"appID"`
	Challenge      string         `json:"challenge"` // base64url, the request's own
	FacetID        string         `json:"facetID"`
	ChannelBinding ChannelBinding `json:"channelBinding"`
}

// ChannelBinding ties a response to the TLS channel it was made on (UAF
// protocol, section on ChannelBinding). A member that is absent is empty.
type ChannelBinding struct {
	ServerEndPoint       string `json:"serverEndPoint,omitzero"`
	TLSServerCertificate string `json:"tlsServerCertificate,omitzero"`
	TLSUnique            string `json:"tlsUnique,omitzero"`
	ChannelIDPublicKey   string `json:"cid_pubkey,omitzero"`
}

// FinalChallengeHash returns the FCHash of an assertion: SHA-256 over the base64url text
// of fcParams as on the wire, not over the JSON inside.
func FinalChallengeHash(fcParams string) []byte {
	digest := sha256.Sum256([]byte(fcParams))
	return digest[:]
}

// Encode returns the base64url text of the parameters.
func (p FinalChallengeParams) Encode() (string, error) {
	data, err := json.Marshal(p)
	if err != nil {
		return "", refuseCause(StatusInternalError, err, "fcParams")
	}
	return encodeBase64URL(data), nil
}

// parseFinalChallengeParams parses the base64url text of fcParams. All four
// members are required, appID and facetID are not empty, and the challenge is
// base64url of 8 to 64 bytes. Every refusal is 1498.
func parseFinalChallengeParams(text string) (FinalChallengeParams, error) {
	var params FinalChallengeParams
	data, err := decodeBase64URL("fcParams", text, 1, maxFCParams)
	if err != nil {
		return params, err
	}
	if err := decodeJSON("fcParams", data, &params, strict); err != nil {
		return params, refuseCause(StatusUnacceptableContent, err, "fcParams cannot be read")
	}
	return params, nil
}

// ChallengeBytes returns the decoded challenge: 8 to 64 bytes.
func (p FinalChallengeParams) ChallengeBytes() ([]byte, error) {
	return decodeBase64URL("challenge", p.Challenge, minChallenge, maxChallenge)
}

type fcParamsWire struct {
	AppID          *string         `json:"appID"`
	Challenge      *string         `json:"challenge"`
	FacetID        *string         `json:"facetID"`
	ChannelBinding *ChannelBinding `json:"channelBinding"`
}

// UnmarshalJSONFrom reads and checks the dictionary.
func (p *FinalChallengeParams) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[fcParamsWire](dec)
	if err != nil {
		return err
	}
	err = first(
		need(&p.AppID, wire.AppID, "appID"),
		need(&p.Challenge, wire.Challenge, "challenge"),
		need(&p.FacetID, wire.FacetID, "facetID"),
		need(&p.ChannelBinding, wire.ChannelBinding, "channelBinding"),
	)
	if err != nil {
		return err
	}
	return p.check()
}

// UnmarshalJSONFrom reads the dictionary; a present member must not be empty.
func (b *ChannelBinding) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[struct {
		ServerEndPoint       text `json:"serverEndPoint"`
		TLSServerCertificate text `json:"tlsServerCertificate"`
		TLSUnique            text `json:"tlsUnique"`
		ChannelIDPublicKey   text `json:"cid_pubkey"`
	}](dec)
	*b = ChannelBinding{
		ServerEndPoint: string(wire.ServerEndPoint), TLSServerCertificate: string(wire.TLSServerCertificate),
		TLSUnique: string(wire.TLSUnique), ChannelIDPublicKey: string(wire.ChannelIDPublicKey),
	}
	return err
}

func (p FinalChallengeParams) check() error {
	if err := checkLength("appID", p.AppID, 1, maxAppID); err != nil {
		return err
	}
	if err := checkLength("facetID", p.FacetID, 1, maxAppID); err != nil {
		return err
	}
	_, err := p.ChallengeBytes()
	return err
}
