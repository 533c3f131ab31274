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

// Offer is the platform's answer, and ours, to somebody who wants to sign in
// with an authenticator.
type Offer struct {
	// Request is the authenticationRequest.
	Request string `json:"authenticationRequest"`
	// RequestID is "" where the answer has none.
	RequestID     string `json:"requestID,omitzero"`
	UAFStatusCode *int64 `json:"uafStatusCode"`
}

// shape is what is remembered of an offer: the offer itself, faceless, and what
// models of UAF authenticators the platform has asked for.
type shape struct {
	Offer
	Models []model `json:"models,omitempty"`
}

// ErrNoCredentials is an offer that no credential can take: the platform names
// those that will do, and there are none.
var ErrNoCredentials = errors.New("it is for no credential at all")

// tellingLength is the length from which a text found again elsewhere is no
// coincidence.
const tellingLength = 16

var (
	errMember = errors.New("a member of unknown use")
	errSecret = errors.New("something of the person where it cannot be taken out")
)

// Shape is what can be remembered of real, an answer of the platform in protocol
// p for user, to make decoys in its likeness: its bytes, with everything blanked
// that is the person's or this one answer's. last is what was remembered before,
// "" for nothing.
//
// An error means that it could not be made free of the person's data; what was
// remembered before is then better kept. ErrNoCredentials means that the answer
// itself gives away that the person has none. Parameters may follow the question
// (the platform echoes userVerification), so remember one shape for each
// userVerification asked for, or make do with WithUserVerification.
func Shape(p Protocol, last string, real Offer, user string) (string, error) {
	s, secrets := shape{Offer: real}, []string{user}
	s.RequestID = requestIDLike(real.RequestID, telltale)
	var err error
	switch p {
	case FIDO2:
		s.Request, err = fido2Shape(real.Request, &secrets)
	case UAF11:
		if before, err := readShape(last); err == nil {
			s.Models = before.Models
		}
		s.Request, err = s.uafShape(real.Request, user, &secrets)
	default:
		err = fmt.Errorf("%w %q", errProtocol, p)
	}
	if err == nil {
		err = checkFaceless(s.Request, secrets)
	}
	if err == nil && user != "" && strings.Contains(strings.ToLower(s.RequestID), strings.ToLower(user)) {
		err = errSecret
	}
	if err != nil {
		return "", fmt.Errorf("shape of an authentication request: %w", err)
	}
	return s.text()
}

// Setting is what the first shape takes from the settings of the service.
type Setting struct {
	// RPID is for FIDO2, AppID for UAF.
	RPID, AppID string
}

// DefaultShape is the shape to use until a real answer was seen: the members
// that the platform is known to answer with, and the parameters that relying
// parties commonly choose. userVerification is what the client asked for, ""
// if nothing.
func DefaultShape(p Protocol, in Setting, userVerification string) (string, error) {
	if p == UAF11 {
		return firstUAFShape(in.AppID)
	}
	rpID, err := jsontext.AppendQuote(nil, in.RPID)
	if err != nil {
		return "", fmt.Errorf("default shape: %w", err)
	}
	text, err := shape{Offer: Offer{
		Request: `{"challenge":"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA","timeout":180000,"rpId":` + string(rpID) +
			`,"allowCredentials":[{"type":"public-key","id":"AAAAAAAAAAAAAAAAAAAAAA"}],"userVerification":"preferred"}`,
		RequestID: requestIDLike("authentication:00000000-0000-4000-8000-000000000000", telltale),
	}}.text()
	if err != nil || userVerification == "" {
		return text, err
	}
	return WithUserVerification(text, userVerification)
}

// WithUserVerification is shape, of FIDO2, as the platform would have answered
// had this userVerification been asked for: it is echoed where the shape has the
// member.
func WithUserVerification(shape, userVerification string) (string, error) {
	s, err := readShape(shape)
	if err != nil {
		return "", err
	}
	s.Request, err = onOptions(s.Request, func(name string, value []byte) ([]byte, error) {
		if name == "userVerification" {
			return jsontext.AppendQuote(nil, userVerification)
		}
		return value, nil
	})
	if err != nil {
		return "", fmt.Errorf("userVerification of a shape: %w", err)
	}
	return s.text()
}

func readShape(text string) (s shape, err error) {
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return s, fmt.Errorf("shape: %w", err)
	}
	return s, nil
}

func (s shape) text() (string, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return "", fmt.Errorf("shape: %w", err)
	}
	return string(text), nil
}

// checkFaceless looks for the secrets in every string of a shape, however it is
// spelled.
func checkFaceless(request string, secrets []string) error {
	d := jsontext.NewDecoder(strings.NewReader(request))
	for {
		token, err := d.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // the end: it has been read before
		}
		text := strings.ToLower(token.String())
		for _, secret := range secrets {
			if token.Kind() == '"' && secret != "" && strings.Contains(text, strings.ToLower(secret)) {
				return errSecret
			}
		}
	}
}

// fido2Shape blanks the challenge and cuts allowCredentials down to one
// descriptor, its ID blanked.
func fido2Shape(request string, secrets *[]string) (string, error) {
	return onOptions(request, func(name string, value []byte) ([]byte, error) {
		switch name {
		case "challenge":
			return blank(value, secrets)
		case "allowCredentials":
			return oneDescriptor(value, secrets)
		}
		return value, nil
	})
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

// oneDescriptor cuts allowCredentials down to its first descriptor, blanked. A
// list that is null is one that is not there.
func oneDescriptor(array []byte, secrets *[]string) ([]byte, error) {
	if string(array) == "null" {
		return array, nil
	}
	values, before, after, err := elements(array)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, ErrNoCredentials
	}
	for i, value := range values {
		values[i], err = rewrite(value, func(name string, value []byte) ([]byte, error) {
			switch name {
			case "id":
				return blankID(value, secrets)
			case "transports":
				return oneTransport(value)
			case "type":
				return value, nil
			}
			return nil, errMember
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
	text := base64.RawURLEncoding.EncodeToString(decoded)
	if len(text) >= tellingLength && !bytes.Equal(decoded, zeros) {
		*secrets = append(*secrets, text)
	}
	return quoted(zeros, padding), nil
}

// blankID is blank for what is made up at its own length: the length of the real
// one, too, is the person's.
func blankID(value []byte, secrets *[]string) ([]byte, error) {
	_, padded, err := bytesIn(value)
	if err != nil {
		return nil, err
	}
	if _, err := blank(value, secrets); err != nil {
		return nil, err
	}
	return quoted(make([]byte, 16), padded), nil
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
