package ceremony

import (
	"encoding/base64"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNotBase64URL = errors.New("not canonical base64url without padding")
	errNotString    = errors.New("not a string")
)

// base64url is a member of a client's message that must hold bytes: a string of canonical
// base64url without padding, and not empty. Only an absent member leaves it nil.
type base64url []byte

// UnmarshalJSONFrom refuses what base64 decoders commonly accept: padding, the other
// alphabet, line breaks, and bits beyond the last byte.
func (b *base64url) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	if token.Kind() != '"' {
		return errNotString
	}
	*b, err = decodeBase64URL(token.String())
	return err
}

func decodeBase64URL(text string) ([]byte, error) {
	// The decoder of the standard library skips line breaks even when strict.
	if text == "" || strings.ContainsAny(text, "\r\n") {
		return nil, errNotBase64URL
	}
	decoded, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, errNotBase64URL
	}
	return decoded, nil
}
