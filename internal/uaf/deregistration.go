package uaf

import "github.com/go-json-experiment/json/jsontext"

// DeregistrationRequest asks a client to delete keys (UAF protocol, section of
// that name). There is no response to it.
type DeregistrationRequest struct {
	Header         Header                    `json:"header"`
	Authenticators []DeregisterAuthenticator `json:"authenticators"`
}

// DeregisterAuthenticator names the keys to delete: one key; with an empty KeyID every
// key of a model; with both empty every key of the appID.
type DeregisterAuthenticator struct {
	AAID  AAID   `json:"aaid"`
	KeyID string `json:"keyID"` // base64url
}

// Encode checks the request against the protocol's limits and writes it as the
// one dictionary of a message.
func (r DeregistrationRequest) Encode() (string, error) {
	if err := r.check(); err != nil {
		return "", err
	}
	return encodeMessage(r)
}

// ParseDeregistrationRequest parses a server's request.
func ParseDeregistrationRequest(message string) (*DeregistrationRequest, error) {
	return parseRequest(message, (*DeregistrationRequest).check)
}

// Covers reports whether the request asks to delete the key.
func (r *DeregistrationRequest) Covers(key KeyReference) bool {
	for _, a := range r.Authenticators {
		if a.AAID == "" || a.AAID.Equal(key.AAID) && (a.KeyID == "" || a.KeyID == encodeBase64URL(key.KeyID)) {
			return true
		}
	}
	return false
}

func (r *DeregistrationRequest) check() error {
	if len(r.Authenticators) == 0 {
		return unacceptable("a deregistration of nothing")
	}
	for _, a := range r.Authenticators {
		if err := a.check(); err != nil {
			return err
		}
	}
	return first(r.Header.check(OperationDeregistration), r.Header.checkRequest())
}

func (a DeregisterAuthenticator) check() error {
	if a.AAID == "" {
		if a.KeyID != "" {
			return unacceptable("a deregistration of a key without its AAID")
		}
		return nil
	}
	if a.KeyID != "" {
		if _, err := decodeBase64URL("keyID", a.KeyID, minKeyID, maxKeyID); err != nil {
			return err
		}
	}
	_, err := ParseAAID(string(a.AAID))
	return err
}

type deregistrationRequestWire struct {
	Header         *Header                    `json:"header"`
	Authenticators *[]DeregisterAuthenticator `json:"authenticators"`
}

// UnmarshalJSONFrom reads the dictionary; its two members are required.
func (r *DeregistrationRequest) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[deregistrationRequestWire](dec)
	if err != nil {
		return err
	}
	return first(
		need(&r.Header, wire.Header, "header"),
		need(&r.Authenticators, wire.Authenticators, "authenticators"),
	)
}

// UnmarshalJSONFrom reads the dictionary; its two members are required, but may be empty.
func (a *DeregisterAuthenticator) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[struct {
		AAID  *AAID   `json:"aaid"`
		KeyID *string `json:"keyID"`
	}](dec)
	if err != nil {
		return err
	}
	return first(need(&a.AAID, wire.AAID, "aaid"), need(&a.KeyID, wire.KeyID, "keyID"))
}
