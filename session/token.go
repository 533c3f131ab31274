package session

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// token is the secret that makes a client the holder of its session.
type token [32]byte

// tokenLength is the length of a token in base64url.
const tokenLength = 43

func newToken() token {
	var t token
	_, _ = rand.Read(t[:]) // never fails: crypto/rand ends the program first
	return t
}

// parseToken reads a token in its one canonical spelling.
func parseToken(text string) (token, bool) {
	var t token
	if len(text) != tokenLength {
		return t, false
	}
	n, err := base64.RawURLEncoding.Strict().Decode(t[:], []byte(text))
	return t, err == nil && n == len(t)
}

func (t token) text() string { return encode(t[:]) }

// tag names a token's session in Redis: half of the token's SHA-256, unique to the token
// and without a way back to it.
type tag [16]byte

func (t token) tag() tag {
	sum := sha256.Sum256(t[:])
	return tag(sum[:])
}

// session returns the key of the session, index the key of its records' names, and record
// the key of one record. The braces are a cluster's hash tag.
func (t tag) session() string {
	key := base64.RawURLEncoding.AppendEncode(append(make([]byte, 0, 32), "cs:{"...), t[:])
	return string(append(key, '}'))
}

func (t tag) index() string             { return t.session() + ":i" }
func (t tag) record(name string) string { return t.session() + ":" + name }

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// newID makes the id of a session that begins now. It is random but for its first two
// bytes, the fraction of the second: so the ids of one second sort by their beginning.
func newID(now time.Time) []byte {
	id := make([]byte, idLength)
	_, _ = rand.Read(id)
	binary.BigEndian.PutUint16(id, uint16(now.Nanosecond()>>14)) // a second has less than 1<<30 ns
	return id
}

const idLength = 16
