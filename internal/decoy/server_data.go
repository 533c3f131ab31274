package decoy

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
)

// serverData describes the length of a serverData. The platform checks it, so that real
// ones pass unchanged; it often contains a MAC and the user's name.
type serverData struct {
	// Before and After are numbers of bytes, in base64url, around the user id if User is
	// set.
	Before uint16 `json:"before,omitzero"`
	User   bool   `json:"user,omitzero"`
	After  uint16 `json:"after,omitzero"`
	// Text is the number of characters of a serverData that is not base64url.
	Text uint16 `json:"text,omitzero"`
}

func measure(text, user string) serverData {
	data, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return serverData{Text: uint16(len(text))}
	}
	for i := range len(data) - len(user) + 1 {
		if bytes.EqualFold(data[i:i+len(user)], []byte(user)) {
			return serverData{Before: uint16(i), User: true, After: uint16(len(data) - i - len(user))}
		}
	}
	return serverData{Before: uint16(len(data))}
}

func (d serverData) draw(user string) string {
	if !d.User {
		user = ""
	}
	data := make([]byte, int(d.Before)+len(user)+int(d.After))
	_, _ = rand.Read(data) // never fails: it ends the program instead
	copy(data[d.Before:], user)
	return base64.RawURLEncoding.EncodeToString(data) + randomText(int(d.Text))[:d.Text]
}

func randomText(n int) string {
	data := make([]byte, n)
	_, _ = rand.Read(data)
	return base64.RawURLEncoding.EncodeToString(data)
}
