package uaf

import (
	"crypto/sha256"

	"github.com/go-json-experiment/json"
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

// satisfies reports whether the client's and the server's views of the channel agree. A
// member that either side lacks is not compared.
func (b ChannelBinding) satisfies(expected ChannelBinding) bool {
	pairs := [][2]string{
		{b.ServerEndPoint, expected.ServerEndPoint},
		{b.TLSServerCertificate, expected.TLSServerCertificate},
		{b.TLSUnique, expected.TLSUnique},
		{b.ChannelIDPublicKey, expected.ChannelIDPublicKey},
	}
	for _, pair := range pairs {
		if pair[0] != "" && pair[1] != "" && pair[0] != pair[1] {
			return false
		}
	}
	return true
}
