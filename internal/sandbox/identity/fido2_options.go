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
	RP               relyingPartyEntity `json:"rp"`
	User             userEntity         `json:"user"`
	Challenge        string             `json:"challenge"`
	PubKeyCredParams []keyParameter     `json:"pubKeyCredParams"`
	Timeout          int                `json:"timeout"` // milliseconds
	Exclude          []descriptor       `json:"excludeCredentials"`
	Selection        selectionCriteria  `json:"authenticatorSelection"`
	Attestation      string             `json:"attestation"`
}

type relyingPartyEntity struct {
	ID   string  `json:"id"`
	Name string  `json:"name"`
	Icon *string `json:"icon"`
}

type userEntity struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	DisplayName string  `json:"displayName"`
	Icon        *string `json:"icon"`
}

type keyParameter struct {
	Type string `json:"type"`
	Alg  int64  `json:"alg"` // COSE
}

type descriptor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

type selectionCriteria struct {
	AuthenticatorAttachment string `json:"authenticatorAttachment,omitempty"`
	RequireResidentKey      bool   `json:"requireResidentKey"`
	ResidentKey             string `json:"residentKey"`
	UserVerification        string `json:"userVerification"`
}

// requestOptions is the content of authenticationRequest.
type requestOptions struct {
	Challenge        string       `json:"challenge"`
	Timeout          int          `json:"timeout"` // milliseconds
	RPID             string       `json:"rpId"`
	AllowCredentials []descriptor `json:"allowCredentials"`
	UserVerification string       `json:"userVerification"`
}

func creationText(o protocol.PublicKeyCredentialCreationOptions, a account) (string, error) {
	selection := o.AuthenticatorSelection
	return text(creationOptions{
		RP:               relyingPartyEntity{ID: o.RelyingParty.ID, Name: o.RelyingParty.Name},
		User:             userEntity{ID: encode(a.handle), Name: o.User.Name, DisplayName: o.User.DisplayName},
		Challenge:        encode(o.Challenge),
		PubKeyCredParams: keyParameters(o.Parameters),
		Timeout:          o.Timeout,
		Exclude:          descriptors(o.CredentialExcludeList),
		Attestation:      string(o.Attestation),
		Selection: selectionCriteria{
			AuthenticatorAttachment: string(selection.AuthenticatorAttachment),
			RequireResidentKey:      *selection.RequireResidentKey,
			ResidentKey:             string(selection.ResidentKey),
			UserVerification:        string(selection.UserVerification),
		},
	})
}

func requestText(o protocol.PublicKeyCredentialRequestOptions) (string, error) {
	return text(requestOptions{
		Challenge:        encode(o.Challenge),
		Timeout:          o.Timeout,
		RPID:             o.RelyingPartyID,
		AllowCredentials: descriptors(o.AllowedCredentials),
		UserVerification: string(o.UserVerification),
	})
}

func descriptors(credentials []protocol.CredentialDescriptor) []descriptor {
	list := make([]descriptor, 0, len(credentials))
	for _, c := range credentials {
		list = append(list, descriptor{Type: string(c.Type), ID: encode(c.CredentialID)})
	}
	return list
}

func keyParameters(parameters []protocol.CredentialParameter) []keyParameter {
	list := make([]keyParameter, 0, len(parameters))
	for _, p := range parameters {
		list = append(list, keyParameter{Type: string(p.Type), Alg: int64(p.Algorithm)})
	}
	return list
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func text(options any) (string, error) {
	b, err := json.Marshal(options)
	return string(b), err
}
