package ceremony

import (
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
}

// descriptor is a PublicKeyCredentialDescriptor.
type descriptor struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

// requestOptions are the members of PublicKeyCredentialRequestOptions that we read.
type requestOptions struct {
	Challenge string  `json:"challenge"`
	Timeout   float64 `json:"timeout"`
	RPID      string  `json:"rpId"`
	// AllowCredentials is nil if any discoverable credential will do; an empty list means
	// something else.
	AllowCredentials *[]jsontext.Value `json:"allowCredentials"`
}

func readCreationOptions(text string) (Request, error) {
	o, err := readOptions[creationOptions](text)
	if err != nil {
		return Request{}, fmt.Errorf("registration request: %w", err)
	}
	challenge, err := decodeOurs(o.Challenge)
	if err != nil {
		return Request{}, fmt.Errorf("registration request: challenge: %w", err)
	}
	return Request{
		Protocol: FIDO2, Challenge: challenge, RPID: o.RP.ID, Timeout: milliseconds(o.Timeout), AllowCredentials: -1,
	}, nil
}

func readRequestOptions(text string) (Request, error) {
	o, err := readOptions[requestOptions](text)
	if err != nil {
		return Request{}, fmt.Errorf("authentication request: %w", err)
	}
	challenge, err := decodeOurs(o.Challenge)
	if err != nil {
		return Request{}, fmt.Errorf("authentication request: challenge: %w", err)
	}
	request := Request{
		Protocol: FIDO2, Challenge: challenge, RPID: o.RPID, Timeout: milliseconds(o.Timeout), AllowCredentials: -1,
	}
	if o.AllowCredentials != nil {
		request.AllowCredentials = len(*o.AllowCredentials)
	}
	return request, nil
}

// readOptions parses the options themselves, or the object with them as its publicKey,
// the form of navigator.credentials.
func readOptions[O any](text string) (O, error) {
	var read struct {
		Options   O  `json:",embed"`
		PublicKey *O `json:"publicKey"`
	}
	err := json.Unmarshal([]byte(text), &read)
	if read.PublicKey != nil {
		return *read.PublicKey, err
	}
	return read.Options, err
}

// decodeOurs decodes base64url from our own side, with or without padding: clients send
// back the bytes, not the text.
func decodeOurs(text string) ([]byte, error) {
	decoded, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
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
