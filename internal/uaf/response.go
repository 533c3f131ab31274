package uaf

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// SchemeTLV is the one assertion scheme that this package reads.
const SchemeTLV = "UAFV1TLV"

// Response is a RegistrationResponse or an AuthenticationResponse (UAF
// protocol, sections of these names); the header's operation says which.
type Response struct {
	Header Header `json:"header"`
	// FCParams is the base64url text whose hash assertions sign.
	FCParams   string      `json:"fcParams"`
	Assertions []Assertion `json:"assertions"`
	// Params is the decoded FCParams.
	Params FinalChallengeParams `json:"-"`
}

// Assertion is one authenticator's contribution to a response.
type Assertion struct {
	Scheme string `json:"assertionScheme"`
	// Text is the assertion in base64url.
	Text       string      `json:"assertion"`
	Extensions []Extension `json:"exts,omitempty"`
}

// ParseRegistrationResponse parses a client's response: JSON to the last byte, every
// required member with its type, and fcParams. Of several dictionaries it takes the one
// of version 1.1. It does not look into assertions: see [Assertion.Registration].
func ParseRegistrationResponse(message string) (*Response, error) {
	return parseResponse(message, OperationRegistration)
}

// ParseAuthenticationResponse is [ParseRegistrationResponse] for authentication.
func ParseAuthenticationResponse(message string) (*Response, error) {
	return parseResponse(message, OperationAuthentication)
}

func parseResponse(message string, operation Operation) (*Response, error) {
	response, err := decodeResponse(message)
	if err != nil {
		return nil, err
	}
	if err := response.Header.check(operation); err != nil {
		return nil, err
	}
	return response, nil
}

// decodeResponse decodes the response of version 1.1, with any operation in its header.
func decodeResponse(message string) (*Response, error) {
	dictionary, err := selectDictionary(message)
	if err != nil {
		return nil, err
	}
	response := new(Response)
	if err := decodeJSON("response", dictionary, response, strict); err != nil {
		return nil, err
	}
	if size := len(response.Assertions); size < 1 || size > maxAssertions {
		return nil, unacceptable("%d assertions", size)
	}
	response.Params, err = parseFinalChallengeParams(response.FCParams)
	if err != nil {
		return nil, err
	}
	return response, nil
}

// Registration parses the assertion of a registration to its last byte. It checks the form
// alone: no extension, no signature.
func (a Assertion) Registration() (*RegistrationAssertion, error) {
	data, err := a.decode()
	if err != nil {
		return nil, err
	}
	return parseRegistrationAssertion(data)
}

// Authentication is [Assertion.Registration] for an authentication.
func (a Assertion) Authentication() (*AuthenticationAssertion, error) {
	data, err := a.decode()
	if err != nil {
		return nil, err
	}
	return parseAuthenticationAssertion(data)
}

func (a Assertion) decode() ([]byte, error) {
	if a.Scheme != SchemeTLV {
		return nil, unacceptable("assertionScheme is not %s", SchemeTLV)
	}
	return decodeBase64URL("assertion", a.Text, 1, maxAssertionSize)
}

type responseWire struct {
	Header     *Header      `json:"header"`
	FCParams   *string      `json:"fcParams"`
	Assertions *[]Assertion `json:"assertions"`
}

// UnmarshalJSONFrom reads the dictionary; its three members are required.
func (r *Response) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[responseWire](dec)
	if err != nil {
		return err
	}
	return first(
		need(&r.Header, wire.Header, "header"),
		need(&r.FCParams, wire.FCParams, "fcParams"),
		need(&r.Assertions, wire.Assertions, "assertions"),
	)
}

type assertionWire struct {
	Scheme     *string         `json:"assertionScheme"`
	Text       *string         `json:"assertion"`
	Extensions list[Extension] `json:"exts"`
}

// UnmarshalJSONFrom reads the dictionary; scheme and assertion are required.
func (a *Assertion) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[assertionWire](dec)
	if err != nil {
		return err
	}
	a.Extensions = wire.Extensions
	return first(
		need(&a.Scheme, wire.Scheme, "assertionScheme"),
		need(&a.Text, wire.Text, "assertion"),
	)
}

// Encode writes the message: an array with this one dictionary. Parsing checks the
// limits, this does not.
func (r Response) Encode() (string, error) { return encodeMessage(r) }

func encodeMessage[M any](message M) (string, error) {
	data, err := json.Marshal([]M{message})
	if err != nil {
		return "", refuseCause(StatusInternalError, err, "message")
	}
	return string(data), nil
}
