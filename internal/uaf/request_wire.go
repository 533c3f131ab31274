package uaf

import (
	"github.com/go-json-experiment/json/jsontext"
)

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
