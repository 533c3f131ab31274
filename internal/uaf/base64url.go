package uaf

import (
	"encoding/base64"
	"strings"
)

// base64url is the protocol's encoding: URL alphabet, no padding, and strict, so that one
// value has one text. Go's decoder skips line breaks in its input, so decodeBase64URL
// checks for them itself.
var base64url = base64.RawURLEncoding.Strict()

func encodeBase64URL(data []byte) string { return base64url.EncodeToString(data) }

// decodeBase64URL decodes text to at least least and at most most bytes; it checks the
// length before it allocates anything. name is for the error.
func decodeBase64URL(name, text string, least, most int) ([]byte, error) {
	if size := base64url.DecodedLen(len(text)); size < least || size > most {
		return nil, unacceptable("%s: %d bytes where %d to %d belong", name, size, least, most)
	}
	if strings.ContainsAny(text, "\r\n") {
		return nil, unacceptable("%s is not base64url", name)
	}
	data, err := base64url.DecodeString(text)
	if err != nil {
		return nil, refuseCause(StatusUnacceptableContent, err, "%s is not base64url", name)
	}
	return data, nil
}
