package uaf

import (
	"github.com/go-json-experiment/json/jsontext"
)

// RegistrationRequest asks a client to register (UAF protocol, section of that
// name).
type RegistrationRequest struct {
	Header    Header `json:"header"`
	Challenge string `json:"challenge"` // base64url of 8 to 64 bytes
	Username  string `json:"username"`  // 1 to 128 characters
	Policy    Policy `json:"policy"`
}

// AuthenticationRequest asks a client to authenticate and, with Transactions, the forms
// of one transaction, to confirm it.
type AuthenticationRequest struct {
	Header       Header        `json:"header"`
	Challenge    string        `json:"challenge"` // base64url of 8 to 64 bytes
	Transactions []Transaction `json:"transaction,omitempty"`
	Policy       Policy        `json:"policy"`
}

// NewHeader returns the header of a request of version 1.1.
func NewHeader(operation Operation, appID, serverData string) Header {
	return Header{Version: ProtocolVersion(), Operation: operation, AppID: appID, ServerData: serverData}
}

// Encode checks the request against the protocol's limits and writes it as the
// one dictionary of a message.
func (r RegistrationRequest) Encode() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	return encodeMessage(r)
}

// Encode checks the request against the protocol's limits and writes it as the
// one dictionary of a message.
func (r AuthenticationRequest) Encode() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	return encodeMessage(r)
}

// ParseRegistrationRequest parses a server's request like an authenticator's client:
// strictly, with its policy.
func ParseRegistrationRequest(message string) (*RegistrationRequest, error) {
	return parseRequest(message, (*RegistrationRequest).check)
}

// ParseAuthenticationRequest is [ParseRegistrationRequest] for authentication.
func ParseAuthenticationRequest(message string) (*AuthenticationRequest, error) {
	return parseRequest(message, (*AuthenticationRequest).check)
}

func parseRequest[R any](message string, check func(*R) error) (*R, error) {
	dictionary, err := selectDictionary(message)
	if err != nil {
		return nil, err
	}
	request := new(R)
	if err := decodeJSON("request", dictionary, request, strict); err != nil {
		return nil, err
	}
	if err := check(request); err != nil {
		return nil, err
	}
	return request, nil
}

func (r *RegistrationRequest) check() error {
	return first(
		r.Header.check(OperationRegistration), r.Header.checkRequest(),
		checkChallenge(r.Challenge),
		checkLength("username", r.Username, 1, maxUsername),
		r.Policy.check(),
	)
}

func (r *AuthenticationRequest) check() error {
	if len(r.Transactions) > maxTransactions {
		return unacceptable("%d transactions", len(r.Transactions))
	}
	for _, t := range r.Transactions {
		if err := t.check(); err != nil {
			return err
		}
	}
	return first(
		r.Header.check(OperationAuthentication), r.Header.checkRequest(),
		checkChallenge(r.Challenge),
		r.Policy.check(),
	)
}

func checkChallenge(text string) error {
	_, err := decodeBase64URL("challenge", text, minChallenge, maxChallenge)
	return err
}

type registrationRequestWire struct {
	Header    *Header `json:"header"`
	Challenge *string `json:"challenge"`
	Username  *string `json:"username"`
	Policy    *Policy `json:"policy"`
}

// UnmarshalJSONFrom reads the dictionary; its four members are required.
func (r *RegistrationRequest) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[registrationRequestWire](dec)
	if err != nil {
		return err
	}
	return first(
		need(&r.Header, wire.Header, "header"),
		need(&r.Challenge, wire.Challenge, "challenge"),
		need(&r.Username, wire.Username, "username"),
		need(&r.Policy, wire.Policy, "policy"),
	)
}

type authenticationRequestWire struct {
	Header       *Header           `json:"header"`
	Challenge    *string           `json:"challenge"`
	Transactions list[Transaction] `json:"transaction"`
	Policy       *Policy           `json:"policy"`
}

// UnmarshalJSONFrom reads the dictionary; all but the transaction is required.
func (r *AuthenticationRequest) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[authenticationRequestWire](dec)
	if err != nil {
		return err
	}
	r.Transactions = wire.Transactions
	return first(
		need(&r.Header, wire.Header, "header"),
		need(&r.Challenge, wire.Challenge, "challenge"),
		need(&r.Policy, wire.Policy, "policy"),
	)
}
