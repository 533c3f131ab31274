package uaf

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
	Text string `json:"assertion"`
	// Displays are the pictures that the authenticator can show for a
	// transaction, in a registration.
	Displays   []PNGCharacteristics `json:"tcDisplayPNGCharacteristics,omitempty"`
	Extensions []Extension          `json:"exts,omitempty"`
}

// ParseRegistrationResponse parses a client's response: JSON to the last byte, every
// required member with its type, and fcParams. Of several dictionaries it takes the one
// of version 1.1. It does not look into assertions: see [VerifyRegistrationResponse].
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

// open is decode for a server, and also checks the extensions.
func (a Assertion) open() ([]byte, error) {
	if err := checkExtensions("assertion", a.Extensions); err != nil {
		return nil, err
	}
	return a.decode()
}

// decode checks the other members of an assertion and decodes its text.
func (a Assertion) decode() ([]byte, error) {
	if a.Scheme != SchemeTLV {
		return nil, unacceptable("assertionScheme is not %s", SchemeTLV)
	}
	if len(a.Displays) > maxDisplays {
		return nil, unacceptable("%d tcDisplayPNGCharacteristics", len(a.Displays))
	}
	return decodeBase64URL("assertion", a.Text, 1, maxAssertionSize)
}
