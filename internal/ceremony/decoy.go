package ceremony

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// model is a kind of authenticator that a decoy may seem to hold a credential
// of: how long its credential IDs are, and its transports in the order that
// browsers report them.
type model struct {
	length     int
	transports [][]byte // JSON strings
}

var (
	synced   = [][]byte{[]byte(`"hybrid"`), []byte(`"internal"`)}
	internal = [][]byte{[]byte(`"internal"`)}
	nfcKey   = [][]byte{[]byte(`"nfc"`), []byte(`"usb"`)}
	usbKey   = [][]byte{[]byte(`"usb"`)}
)

// models are those of today's common authenticators: synced passkeys, platform
// authenticators, security keys.
var models = []model{
	{16, synced}, {20, synced}, {32, synced}, {32, internal}, {48, nfcKey}, {64, usbKey},
}

// imagined is one credential of somebody who has none.
type imagined struct {
	id         []byte
	transports [][]byte
}

// NewDecoy makes an authenticationRequest in FIDO2, and the requestID beside it,
// for a user who cannot sign in, so that nobody can tell by the answer. shape
// (of Shape; "" for the default) gives everything but the challenge, which is
// fresh, and the credentials: how many there are, their IDs and transports come
// from HMAC-SHA-256 under key of user, a canonical user id, and stay the same
// whoever signed in meanwhile. rpID is filled in where shape has none of its own.
func NewDecoy(key []byte, shape, user, rpID string) (authenticationRequest, requestID string, err error) {
	if shape == "" {
		shape = defaultShape
	}
	credentials, err := imagine(key, user)
	if err != nil {
		return "", "", fmt.Errorf("decoy: %w", err)
	}
	request, err := onOptions(shape, func(name string, value []byte) ([]byte, error) {
		switch name {
		case "challenge":
			return freshChallenge(value)
		case "rpId":
			if string(value) == `""` {
				return jsontext.AppendQuote(nil, rpID)
			}
		case "allowCredentials":
			return decoyDescriptors(value, credentials)
		}
		return value, nil
	})
	if err != nil {
		return "", "", fmt.Errorf("decoy: %w", err)
	}
	id, err := uuid.NewRandom()
	if err != nil {
		return "", "", fmt.Errorf("decoy: %w", err)
	}
	return request, "authentication:" + id.String(), nil
}

// imagine makes up the credentials of user: mostly one, sometimes two.
func imagine(key []byte, user string) ([]imagined, error) {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(user))
	seed := mac.Sum(nil)
	var out []imagined
	for i := range 2 {
		stream, err := hkdf.Expand(sha256.New, seed, fmt.Sprintf("countersign decoy credential %d", i), 2+64)
		if err != nil {
			return nil, err
		}
		m := models[int(stream[0])%len(models)]
		out = append(out, imagined{id: stream[2 : 2+m.length], transports: m.transports})
		if stream[1] >= 64 {
			break
		}
	}
	return out, nil
}

func freshChallenge(value []byte) ([]byte, error) {
	challenge, padded, err := bytesIn(value)
	if err != nil {
		return nil, err
	}
	if _, err := rand.Read(challenge); err != nil {
		return nil, err
	}
	return quoted(challenge, padded), nil
}

// decoyDescriptors fills the template that allowCredentials of a shape holds; a
// platform that names no credentials is not outdone.
func decoyDescriptors(array []byte, credentials []imagined) ([]byte, error) {
	templates, before, after, err := elements(array)
	if err != nil || len(templates) == 0 {
		return array, err
	}
	var out [][]byte
	for _, c := range credentials {
		descriptor, err := rewrite(templates[0], func(name string, value []byte) ([]byte, error) {
			switch name {
			case "id":
				_, padded, err := bytesIn(value)
				return quoted(c.id, padded), err
			case "transports":
				_, before, after, err := elements(value)
				return compose(c.transports, before, after), err
			}
			return value, nil
		})
		if err != nil {
			return nil, err
		}
		out = append(out, descriptor)
	}
	return compose(out, before, after), nil
}
