package ceremony

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// creationOptions are the members of PublicKeyCredentialCreationOptions that we read
// (docs/platform.md I1).
type creationOptions struct {
	Challenge string  `json:"challenge"`
	Timeout   float64 `json:"timeout"`
	RP        struct {
		ID string `json:"id"`
	} `json:"rp"`
	User struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"user"`
	Exclude    []descriptor `json:"excludeCredentials"`
	Parameters []descriptor `json:"pubKeyCredParams"`
	Selection  struct{}     `json:"authenticatorSelection"`
	optionLists
}

// optionLists are members that both kinds of options have. Their types alone count.
type optionLists struct {
	Hints      []string `json:"hints"`
	Formats    []string `json:"attestationFormats"`
	Extensions struct{} `json:"extensions"`
}

// descriptor is a PublicKeyCredentialDescriptor.
type descriptor struct {
	Type       string   `json:"type"`
	ID         string   `json:"id"`
	Transports []string `json:"transports"`
}

// requestOptions are the members of PublicKeyCredentialRequestOptions that we read.
type requestOptions struct {
	Challenge string  `json:"challenge"`
	Timeout   float64 `json:"timeout"`
	RPID      string  `json:"rpId"`
	// AllowCredentials is nil if any discoverable credential will do; an empty list means
	// something else.
	AllowCredentials *[]descriptor `json:"allowCredentials"`
	optionLists
}

func readCreationOptions(text string) (Request, error) {
	o, right, err := readOptions[creationOptions](text, true)
	if err != nil {
		return Request{}, fmt.Errorf("registration request: %w", err)
	}
	challenge, err := decodeOurs(o.Challenge)
	if err != nil {
		return Request{}, fmt.Errorf("registration request: challenge: %w", err)
	}
	handle, err := decodeOurs(o.User.ID)
	switch {
	case err != nil:
		return Request{}, fmt.Errorf("registration request: user.id: %w", err)
	case len(handle) > maxUserHandle: // browsers refuse it
		return Request{}, fmt.Errorf("registration request: a user id of %d bytes", len(handle))
	}
	return Request{
		Protocol: FIDO2, Text: right, Challenge: challenge, RPID: o.RP.ID, Timeout: milliseconds(o.Timeout),
		User: PasskeyUser{Handle: handle, Name: o.User.Name},
	}, nil
}

func readRequestOptions(text string) (Request, error) {
	o, right, err := readOptions[requestOptions](text, false)
	if err != nil {
		return Request{}, fmt.Errorf("authentication request: %w", err)
	}
	challenge, err := decodeOurs(o.Challenge)
	if err != nil {
		return Request{}, fmt.Errorf("authentication request: challenge: %w", err)
	}
	allowed, err := o.allowed()
	if err != nil {
		return Request{}, fmt.Errorf("authentication request: allowCredentials: %w", err)
	}
	return Request{
		Protocol: FIDO2, Text: right, Challenge: challenge, RPID: o.RPID, Timeout: milliseconds(o.Timeout), Allowed: allowed,
	}, nil
}

// allowed returns the ids of the passkeys in the list; nil without a list. Browsers ignore
// credentials of other types.
func (o requestOptions) allowed() ([][]byte, error) {
	if o.AllowCredentials == nil {
		return nil, nil
	}
	ids := make([][]byte, 0, len(*o.AllowCredentials))
	for _, d := range *o.AllowCredentials {
		if d.Type != "public-key" {
			continue
		}
		id, err := decodeOurs(d.ID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// readOptions puts options right and parses them.
func readOptions[O any](text string, creation bool) (o O, right string, err error) {
	if right, err = normalize(text, creation); err != nil {
		return o, "", err
	}
	return o, right, json.Unmarshal([]byte(right), &o)
}

// standardAlphabet turns base64 of RFC 4648 section 4, which MIME breaks into lines, into that
// of section 5.
var standardAlphabet = strings.NewReplacer("+", "-", "/", "_", "\r", "", "\n", "")

// decodeOurs decodes base64 from our own side, in either alphabet, with or without padding:
// clients send back the bytes, not the text.
func decodeOurs(text string) ([]byte, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(standardAlphabet.Replace(text), "="))
	if err != nil {
		return nil, err
	}
	if len(decoded) == 0 {
		return nil, errors.New("missing or empty")
	}
	return decoded, nil
}

// milliseconds returns n as a duration: zero if n is not a time to wait, and a day at
// most.
func milliseconds(n float64) time.Duration {
	const day = 24 * time.Hour
	if n > float64(day.Milliseconds()) {
		return day
	}
	return time.Duration(math.Max(n, 0)) * time.Millisecond
}
