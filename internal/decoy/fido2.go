package decoy

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// requestOptions are the PublicKeyCredentialRequestOptions (Web Authentication section
// 5.5) of whoever is not the account's owner, in this order.
type requestOptions struct {
	Challenge        base64url    `json:"challenge"`
	Timeout          float64      `json:"timeout,omitzero"` // milliseconds
	RPID             string       `json:"rpId,omitzero"`
	AllowCredentials []descriptor `json:"allowCredentials,omitzero"`
	UserVerification string       `json:"userVerification,omitzero"`
	Extensions       extensions   `json:"extensions,omitzero"`
}

type descriptor struct {
	Type       string    `json:"type"`
	ID         base64url `json:"id"`
	Transports []string  `json:"transports,omitempty"`
}

// extensions are those that say nothing of a person: the AppID of keys from before
// FIDO2, and the wish to be told the method of user verification.
type extensions struct {
	AppID string `json:"appid,omitzero"`
	UVM   bool   `json:"uvm,omitzero"`
}

// base64url is bytes whose text is base64url, padded or not when read.
type base64url []byte

func (b base64url) MarshalText() ([]byte, error) {
	return base64.RawURLEncoding.AppendEncode(nil, b), nil
}

func (b *base64url) UnmarshalText(text []byte) (err error) {
	*b, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(string(text), "="))
	return err
}

var errChallenge = errors.New("no challenge")

const publicKey = "public-key"

// fido2Record has the parameters of a request: all that is not one person's or one
// answer's.
type fido2Record struct {
	// Options have neither challenge nor credentials.
	Options requestOptions `json:"options"`
	// Challenge is its length in bytes.
	Challenge uint16 `json:"challenge"`
	// Credentials tells whether that member is there, Transports whether they ever were:
	// one person's that are missing shall not take away everybody else's.
	Credentials bool `json:"credentials"`
	Transports  bool `json:"transports"`
}

func (f fido2Record) valid() bool { return f.Challenge > 0 }

func (r Records) realFIDO2(ctx context.Context, q Question, text string) (string, error) {
	options, err := readOptions(text)
	if err != nil {
		return "", err
	}
	hasTransports := func(d descriptor) bool { return len(d.Transports) > 0 }
	record := fido2Record{
		Options: options, Challenge: uint16(len(options.Challenge)), Credentials: options.AllowCredentials != nil,
		Transports: r.fido2(q).Transports || slices.ContainsFunc(options.AllowCredentials, hasTransports),
	}
	record.Options.Challenge, record.Options.AllowCredentials = nil, nil
	if err := r.learn(ctx, q.name(), record); err != nil {
		return "", err
	}
	return options.encode()
}

// readOptions reads the options, which may be the publicKey of an object.
func readOptions(text string) (requestOptions, error) {
	var wrapped struct {
		PublicKey *requestOptions `json:"publicKey"`
		requestOptions
	}
	if err := json.Unmarshal([]byte(text), &wrapped); err != nil {
		return requestOptions{}, unreadable(err)
	}
	options := wrapped.requestOptions
	if wrapped.PublicKey != nil {
		options = *wrapped.PublicKey
	}
	if len(options.Challenge) == 0 {
		return requestOptions{}, unreadable(errChallenge)
	}
	named := options.AllowCredentials != nil
	options.AllowCredentials = slices.DeleteFunc(options.AllowCredentials, func(d descriptor) bool { return d.Type != publicKey })
	if named && len(options.AllowCredentials) == 0 {
		return requestOptions{}, ErrNoCredentials
	}
	if !slices.Contains([]string{"required", "preferred", "discouraged"}, options.UserVerification) {
		options.UserVerification = ""
	}
	return options, nil
}

func (o requestOptions) encode() (string, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return "", unreadable(err)
	}
	return string(text), nil
}

func (r Records) decoyFIDO2(q Question, user string) (string, error) {
	record := r.fido2(q)
	options := record.Options
	options.Challenge = make([]byte, record.Challenge)
	_, _ = rand.Read(options.Challenge) // it ends the program rather than return an error
	if record.Credentials {
		options.AllowCredentials = r.service.person(user).credentials(record.Transports)
	}
	return options.encode()
}

// fido2 is the record of q; else that of no particular wish, with the wish put in as
// the platform would echo it; else what the settings say.
func (r Records) fido2(q Question) fido2Record {
	record, ok := read[fido2Record](r, q.name())
	if ok {
		return record
	}
	if record, ok = read[fido2Record](r, Question{Protocol: q.Protocol}.name()); !ok {
		record = fido2Record{
			Options:   requestOptions{Timeout: 180_000, RPID: r.service.rpID, UserVerification: "preferred"},
			Challenge: 32, Credentials: true,
		}
	}
	if q.UserVerification != "" && record.Options.UserVerification != "" {
		record.Options.UserVerification = q.UserVerification
	}
	return record
}
