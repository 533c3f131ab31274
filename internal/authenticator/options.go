package authenticator

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// creationOptions are the members of PublicKeyCredentialCreationOptionsJSON that a client
// uses (Web Authentication section 5.4).
type creationOptions struct {
	RP struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID base64url `json:"id"`
	} `json:"user"`
	Challenge        base64url    `json:"challenge"`
	PubKeyCredParams []parameter  `json:"pubKeyCredParams"`
	Exclude          []descriptor `json:"excludeCredentials"`
	Selection        struct {
		Attachment         string `json:"authenticatorAttachment"`
		UserVerification   string `json:"userVerification"`
		ResidentKey        string `json:"residentKey"`
		RequireResidentKey bool   `json:"requireResidentKey"`
	} `json:"authenticatorSelection"`
	Attestation string `json:"attestation"`
	Extensions  struct {
		CredProps bool `json:"credProps"`
	} `json:"extensions"`
}

// requestOptions are the members of PublicKeyCredentialRequestOptionsJSON that a client
// uses (section 5.5).
type requestOptions struct {
	Challenge        base64url    `json:"challenge"`
	RPID             string       `json:"rpId"`
	Allow            []descriptor `json:"allowCredentials"`
	UserVerification string       `json:"userVerification"`
}

type parameter struct {
	Type string `json:"type"`
	Alg  int64  `json:"alg"`
}

type descriptor struct {
	Type string    `json:"type"`
	ID   base64url `json:"id"`
}

// base64url is a Base64URLString.
type base64url []byte

// UnmarshalText decodes unpadded base64url, as a browser does.
func (b *base64url) UnmarshalText(text []byte) error {
	decoded, err := base64.RawURLEncoding.DecodeString(string(text))
	if err != nil {
		return fmt.Errorf("base64url: %w", err)
	}
	*b = decoded
	return nil
}

// MarshalText encodes unpadded base64url.
func (b base64url) MarshalText() ([]byte, error) {
	return []byte(base64.RawURLEncoding.EncodeToString(b)), nil
}

func readCreationOptions(text string) (o creationOptions, err error) {
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return o, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	switch {
	case len(o.Challenge) == 0:
		return o, fmt.Errorf("%w: no challenge", ErrOptions)
	case len(o.User.ID) == 0 || len(o.User.ID) > 64:
		return o, fmt.Errorf("%w: a user handle of %d bytes", ErrOptions, len(o.User.ID))
	}
	return o, nil
}

func readRequestOptions(text string) (o requestOptions, err error) {
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return o, fmt.Errorf("%w: %w", ErrOptions, err)
	}
	if len(o.Challenge) == 0 {
		return o, fmt.Errorf("%w: no challenge", ErrOptions)
	}
	return o, nil
}

// effectiveRPID returns the relying party ID of a request: the one that it names, which
// must be the origin's host or a parent domain of it, else that host. An app proves its
// relying party in another way, so its origin is not checked here.
func effectiveRPID(named, origin string) (string, error) {
	u, err := url.Parse(origin)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrSecurity, err)
	}
	host := u.Hostname()
	switch {
	case u.Opaque != "" && named != "":
		return named, nil
	case named == "" && host != "":
		return host, nil
	case named != "" && (host == named || strings.HasSuffix(host, "."+named)):
		return named, nil
	}
	return "", fmt.Errorf("%w: %q at %q", ErrSecurity, named, origin)
}

func named(list []descriptor, id []byte) bool {
	return slices.ContainsFunc(list, func(d descriptor) bool {
		return d.Type == publicKeyType && bytes.Equal(d.ID, id)
	})
}
