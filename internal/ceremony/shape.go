package ceremony

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// defaultShape has the members that the platform is known to answer with, and
// the parameters that relying parties commonly choose.
const defaultShape = `{"challenge":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","timeout":180000,"rpId":"",` +
	`"allowCredentials":[{"type":"public-key","id":"AAAAAAAAAAAAAAAAAAAAAA"}],"userVerification":"preferred"}`

// tellingLength is the length from which a text found again elsewhere is no
// coincidence.
const tellingLength = 16

var (
	errDescriptor = errors.New("a member unknown in credential descriptors")
	errSecret     = errors.New("a credential ID outside allowCredentials")
)

// Shape is what can be remembered of authenticationRequest, a real answer of the
// platform in FIDO2, to build decoys in its likeness: its bytes, but with the
// challenge blanked, and allowCredentials cut down to one descriptor with its ID
// blanked. It holds nothing of the person whose answer it was.
//
// An error means that it could not be made free of that person's data; what was
// remembered before is then better kept. Parameters may follow the question (the
// platform echoes userVerification), so remember one shape for each
// userVerification asked for, or make do with WithUserVerification.
func Shape(authenticationRequest string) (string, error) {
	var secrets []string
	shape, err := onOptions(authenticationRequest, func(name string, value []byte) ([]byte, error) {
		switch name {
		case "challenge":
			return blank(value, &secrets)
		case "allowCredentials":
			return oneDescriptor(value, &secrets)
		}
		return value, nil
	})
	if err != nil {
		return "", fmt.Errorf("shape of an authentication request: %w", err)
	}
	for _, secret := range secrets {
		if len(secret) >= tellingLength && strings.Contains(shape, secret) {
			return "", fmt.Errorf("shape of an authentication request: %w", errSecret)
		}
	}
	return shape, nil
}

// DefaultShape is the shape to use until a real answer was seen. userVerification
// is what the client asked for, "" if nothing.
func DefaultShape(userVerification string) string {
	if userVerification == "" {
		return defaultShape
	}
	shape, err := WithUserVerification(defaultShape, userVerification)
	if err != nil {
		return defaultShape
	}
	return shape
}

// WithUserVerification is shape as the platform would have answered had this
// userVerification been asked for: it is echoed where the shape has the member.
func WithUserVerification(shape, userVerification string) (string, error) {
	changed, err := onOptions(shape, func(name string, value []byte) ([]byte, error) {
		if name == "userVerification" {
			return jsontext.AppendQuote(nil, userVerification)
		}
		return value, nil
	})
	if err != nil {
		return "", fmt.Errorf("userVerification of a shape: %w", err)
	}
	return changed, nil
}

// onOptions rewrites the members of request options, which may be the publicKey
// of an object.
func onOptions(text string, change func(name string, value []byte) ([]byte, error)) (string, error) {
	var wrapped struct {
		PublicKey jsontext.Value `json:"publicKey"`
	}
	if err := json.Unmarshal([]byte(text), &wrapped); err != nil {
		return "", err
	}
	if wrapped.PublicKey.Kind() != '{' {
		changed, err := rewrite([]byte(text), change)
		return string(changed), err
	}
	changed, err := rewrite([]byte(text), func(name string, value []byte) ([]byte, error) {
		if name == "publicKey" {
			return rewrite(value, change)
		}
		return value, nil
	})
	return string(changed), err
}

// oneDescriptor cuts allowCredentials down to its first descriptor, blanked.
func oneDescriptor(array []byte, secrets *[]string) ([]byte, error) {
	values, before, after, err := elements(array)
	if err != nil || len(values) == 0 {
		return array, err
	}
	for i, value := range values {
		values[i], err = rewrite(value, func(name string, value []byte) ([]byte, error) {
			switch name {
			case "id":
				return blank(value, secrets)
			case "transports":
				return oneTransport(value)
			case "type":
				return value, nil
			}
			return nil, errDescriptor
		})
		if err != nil {
			return nil, err
		}
	}
	return compose(values[:1], before, after), nil
}

// oneTransport keeps of a list of transports that, and how, it is written.
func oneTransport(array []byte) ([]byte, error) {
	values, before, after, err := elements(array)
	if err != nil || len(values) == 0 {
		return array, err
	}
	return compose([][]byte{[]byte(`""`)}, before, after), nil
}

// blank replaces a string of base64url by one of as many zero bytes, and notes
// what it was where it was not that already.
func blank(value []byte, secrets *[]string) ([]byte, error) {
	decoded, padding, err := bytesIn(value)
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, len(decoded))
	if !bytes.Equal(decoded, zeros) {
		*secrets = append(*secrets, base64.RawURLEncoding.EncodeToString(decoded))
	}
	return quoted(zeros, padding), nil
}

// bytesIn decodes a JSON string of base64url and tells whether it was padded.
func bytesIn(value []byte) (decoded []byte, padded bool, err error) {
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		return nil, false, err
	}
	decoded, err = decodeOurs(text)
	return decoded, strings.HasSuffix(text, "="), err
}

// quoted is the way back.
func quoted(data []byte, padded bool) []byte {
	encoding := base64.RawURLEncoding
	if padded {
		encoding = base64.URLEncoding
	}
	return []byte(`"` + encoding.EncodeToString(data) + `"`)
}
