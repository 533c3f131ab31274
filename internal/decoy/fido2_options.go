package decoy

import (
	"encoding/base64"
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/ceremony"
)

// requestOptions are the PublicKeyCredentialRequestOptions (Web Authentication section
// 5.5) for clients other than the account's owner, in this order.
type requestOptions struct {
	Challenge        base64url    `json:"challenge"`
	Timeout          float64      `json:"timeout,omitzero"` // milliseconds
	RPID             string       `json:"rpId,omitzero"`
	AllowCredentials []descriptor `json:"allowCredentials,omitzero"`
	UserVerification string       `json:"userVerification,omitzero"`
	Extensions       extensions   `json:"extensions,omitzero"`
}

type descriptor struct {
	Type       string    `json:"type"`
	ID         base64url `json:"id"`
	Transports []string  `json:"transports,omitempty"`
}

// extensions are the extensions that reveal nothing about a person: the AppID of keys
// from before FIDO2, and the request for the method of user verification.
type extensions struct {
	AppID string `json:"appid,omitzero"`
	UVM   bool   `json:"uvm,omitzero"`
}

// base64url is bytes written as base64url.
type base64url []byte

func (b base64url) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

func (b *base64url) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.DecodeString(string(text))
	return err
}

const publicKey = "public-key"

// readOptions parses the options, which ceremony has put right.
func readOptions(text string) (requestOptions, error) {
	read, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, text)
	if err != nil {
		return requestOptions{}, unreadable(err)
	}
	var options requestOptions
	if err := json.Unmarshal([]byte(read.Text), &options); err != nil {
		return requestOptions{}, unreadable(err)
	}
	named := options.AllowCredentials != nil
	options.AllowCredentials = slices.DeleteFunc(options.AllowCredentials, func(d descriptor) bool { return d.Type != publicKey })
	if named && len(options.AllowCredentials) == 0 {
		return requestOptions{}, ErrNoCredentials
	}
	if !slices.Contains([]string{"required", "preferred", "discouraged"}, options.UserVerification) {
		options.UserVerification = ""
	}
	return options, nil
}

func (o requestOptions) encode() (string, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", unreadable(err)
	}
	return string(text), nil
}
