package identity

import (
	"encoding/base64"

	"github.com/go-json-experiment/json"
	"github.com/go-webauthn/webauthn/protocol"
)

// creationOptions is the content of registrationRequest: the options themselves, without
// a wrapper. The icon members come from Level 1; the platform still sends them, and
// clients must accept them.
type creationOptions struct {
	protocol.PublicKeyCredentialCreationOptions
	RP struct {
		protocol.RelyingPartyEntity
		Icon *string `json:"icon"`
	} `json:"rp"`
	User struct {
		protocol.UserEntity
		Icon *string `json:"icon"`
	} `json:"user"`
	Exclude []protocol.CredentialDescriptor `json:"excludeCredentials"`
}

// requestOptions is the content of authenticationRequest.
type requestOptions struct {
	protocol.PublicKeyCredentialRequestOptions
	Allow []protocol.CredentialDescriptor `json:"allowCredentials"`
}

func creationText(o protocol.PublicKeyCredentialCreationOptions) (string, error) {
	out := creationOptions{PublicKeyCredentialCreationOptions: o, Exclude: withoutTransports(o.CredentialExcludeList)}
	out.RP.RelyingPartyEntity, out.User.UserEntity = o.RelyingParty, o.User
	return text(out)
}

func requestText(o protocol.PublicKeyCredentialRequestOptions) (string, error) {
	return text(requestOptions{o, withoutTransports(o.AllowedCredentials)})
}

// withoutTransports returns the descriptors without how an authenticator is reached, which the
// platform does not keep.
func withoutTransports(credentials []protocol.CredentialDescriptor) []protocol.CredentialDescriptor {
	for i := range credentials {
		credentials[i].Transport = nil
	}
	return credentials
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func text(options any) (string, error) {
	b, err := json.Marshal(options)
	return string(b), err
}
