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
	// FCParams is the base64url text, which is what assertions sign a hash of.
	FCParams   string      `json:"fcParams"`
	Assertions []Assertion `json:"assertions"`
	// Params is what FCParams says.
	Params FinalChallengeParams `json:"-"`
}

// Assertion is one authenticator's contribution to a response.
type Assertion struct {
	Scheme string `json:"assertionScheme"`
	// Text is the assertion in base64url.
	Text string `json:"assertion"`
	// Displays are the pictures that the authenticator can show for a
	// transaction, in a registration.
	Displays   []PNGCharacteristics `json:"tcDisplayPNGCharacteristics,omitempty"`
	Extensions []Extension          `json:"exts,omitempty"`
}

// ParseRegistrationResponse parses what a client sent: JSON to the last byte,
// every required member there and of its type, fcParams included. Of several
// dictionaries it takes that of version 1.1. What assertions contain is not
// looked at: see [VerifyRegistrationResponse].
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

// decodeResponse reads the response of version 1.1, whichever operation its
// header names.
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
	Scheme     *string                  `json:"assertionScheme"`
	Text       *string                  `json:"assertion"`
	Displays   list[PNGCharacteristics] `json:"tcDisplayPNGCharacteristics"`
	Extensions list[Extension]          `json:"exts"`
}

// UnmarshalJSONFrom reads the dictionary; scheme and assertion are required.
func (a *Assertion) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[assertionWire](dec)
	if err != nil {
		return err
	}
	a.Displays, a.Extensions = wire.Displays, wire.Extensions
	return first(
		need(&a.Scheme, wire.Scheme, "assertionScheme"),
		need(&a.Text, wire.Text, "assertion"),
	)
}

// Encode writes the message: an array with this one dictionary. Limits are
// checked when it is parsed, not here.
func (r Response) Encode() (string, error) { return encodeMessage(r) }

func encodeMessage[M any](message M) (string, error) {
	data, err := json.Marshal([]M{message})
	if err != nil {
		return "", refuseCause(StatusInternalError, err, "message")
	}
	return string(data), nil
}

// requireOne judges every assertion and returns the first refusal if none of them
// is good.
func requireOne(assertions []Assertion, judge func(Assertion) error) error {
	var first error
	good := 0
	for _, a := range assertions {
		err := judge(a)
		if err == nil {
			good++
		} else if first == nil {
			first = err
		}
	}
	if good > 0 {
		return nil
	}
	return first
}

// open is decode for a server, which also checks the extensions.
func (a Assertion) open() ([]byte, error) {
	if err := checkExtensions("assertion", a.Extensions); err != nil {
		return nil, err
	}
	return a.decode()
}

// decode checks the members beside an assertion's text and decodes the text.
func (a Assertion) decode() ([]byte, error) {
	if a.Scheme != SchemeTLV {
		return nil, unacceptable("assertionScheme is not %s", SchemeTLV)
	}
	if len(a.Displays) > maxDisplays {
		return nil, unacceptable("%d tcDisplayPNGCharacteristics", len(a.Displays))
	}
	return decodeBase64URL("assertion", a.Text, 1, maxAssertionSize)
}
