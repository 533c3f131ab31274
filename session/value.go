package session

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"countersign/internal/seal"

	"github.com/fxamacker/cbor/v2"
)

// state is the sealed content of a session. Members are only ever added, under new
// numbers, since nodes of two versions read each other's sessions. CBOR with numeric
// names is short: there may be a million sessions.
type state struct {
	ID          []byte  `cbor:"1,keyasint"`
	UserID      string  `cbor:"2,keyasint,omitempty"`
	DisplayName string  `cbor:"3,keyasint,omitempty"`
	Email       string  `cbor:"4,keyasint,omitempty"`
	Methods     methods `cbor:"5,keyasint,omitempty"`
	CreatedAt   int64   `cbor:"6,keyasint"` // Unix seconds
	// AuthenticatedAfter is the time of the last authentication, in seconds after
	// CreatedAt; Life is the absolute end in the same form.
	AuthenticatedAfter int64  `cbor:"7,keyasint,omitempty"`
	Life               int64  `cbor:"8,keyasint"`
	Language           string `cbor:"9,keyasint,omitempty"`
	Bearer             bool   `cbor:"10,keyasint,omitempty"`
	// ProfileMissing is as in User.
	ProfileMissing bool `cbor:"11,keyasint,omitempty"`
	// Key is the thumbprint of the key that the session is bound to; none if it is bound
	// to none.
	Key []byte `cbor:"20,keyasint,omitempty"`
	// AnsweredAfter is the time of the platform's last answer about the account since the
	// last authentication, and AskedAfter that of the last question without one, in
	// milliseconds after CreatedAt.
	AnsweredAfter int64 `cbor:"21,keyasint,omitempty"`
	AskedAfter    int64 `cbor:"22,keyasint,omitempty"`
	// Passkey is the last sign-in by a passkey; nil if there was none.
	Passkey *usedPasskey `cbor:"23,keyasint,omitempty"`
	// Browser is the key that the browser has registered, as an uncompressed point; none if it
	// has not.
	Browser []byte `cbor:"24,keyasint,omitempty"`
}

func (s state) clone() state {
	s.ID, s.Methods, s.Key, s.Browser = slices.Clone(s.ID), slices.Clone(s.Methods), slices.Clone(s.Key), slices.Clone(s.Browser)
	return s
}

// setProfile copies the user's name and address.
func (s *state) setProfile(user User) {
	s.DisplayName, s.Email, s.ProfileMissing = valid(user.DisplayName), valid(user.Email), user.ProfileMissing
}

// end returns the absolute end of the session, in Unix seconds.
func (s state) end() int64 { return s.CreatedAt + s.Life }

// methods are ways of signing in, in the order of their use, each by its index in
// methodNames.
type methods []byte

// methodNames are the ways of signing in. New ones are appended.
var methodNames = []string{"password", "fido2", "uaf", "push", "otp"}

func (m methods) names() []string {
	names := make([]string, 0, len(m))
	for _, place := range m {
		if int(place) < len(methodNames) {
			names = append(names, methodNames[place])
		}
	}
	return names
}

// with returns m and the method name; ok is false if there is no such method.
func (m methods) with(name string) (methods, bool) {
	place := slices.Index(methodNames, name)
	if place < 0 || slices.Contains(m, byte(place)) {
		return m, place >= 0
	}
	return append(slices.Clone(m), byte(place)), true
}

// A session's value in Redis. Fields for scripts and lists are not sealed:
//
//	0   revision      8 bytes, big endian, counts the writes of the state
//	8   last use      8 bytes, big endian, Unix milliseconds
//	16  n             2 bytes, big endian
//	18  details       n bytes, sealed for the person; none for a pre-session
//	    state         the rest, sealed for the token's holder, about the revision
const (
	touchedAt  = 8
	detailsAt  = 16
	headerSize = 18
)

// header is the part of a value that can be read without the token.
type header struct {
	revision uint64
	touched  time.Time
	details  []byte
	state    []byte // sealed
}

// parse reads a session's value; it returns false for anything else.
func parse(b []byte) (header, bool) {
	if len(b) < headerSize {
		return header{}, false
	}
	n := headerSize + int(binary.BigEndian.Uint16(b[detailsAt:]))
	if len(b) < n {
		return header{}, false
	}
	return header{
		revision: binary.BigEndian.Uint64(b),
		touched:  time.UnixMilli(int64(binary.BigEndian.Uint64(b[touchedAt:]))).UTC(),
		details:  b[headerSize:n],
		state:    b[n:],
	}, true
}

// value returns a session's value: its head of detailsAt bytes, which scripts
// compare and change, and the body that follows.
func (s *Store) value(sess *Session) (head, body []byte, err error) {
	if len(sess.details) > math.MaxUint16 {
		return nil, nil, fmt.Errorf("session: details of %d bytes", len(sess.details))
	}
	plain, err := cbor.Marshal(sess.state)
	if err != nil {
		return nil, nil, fmt.Errorf("session: encode the state: %w", err)
	}
	revision := number(sess.revision)
	sealed := s.sealer(sess.token).Seal(plain, revision)
	head = append(revision, number(uint64(sess.touched.UnixMilli()))...)
	body = binary.BigEndian.AppendUint16(nil, uint16(len(sess.details)))
	return head, slices.Concat(body, sess.details, sealed), nil
}

// memory remembers the states of opened sessions by tag, because deriving a session's key
// is most of the cost of loading it. It holds no token and nothing derived from a session
// key.
type memory = seal.Memo[tag, memoryEntry]

// memoryEntry is a state, and the revision at which it was opened.
type memoryEntry struct {
	revision uint64
	state    state
}

// memorySize is the number of sessions in a generation of the memory.
const memorySize = 4096

func newMemory() *memory { return seal.NewMemo[tag, memoryEntry](memorySize) }

// read fills sess in from its value in Redis. It returns false if the value does not
// open; the session then counts as absent.
func (s *Store) read(sess *Session, value []byte) bool {
	head, ok := parse(value)
	if !ok {
		return false
	}
	known, ok := s.memory.Get(sess.tag, head.state)
	if !ok || known.revision != head.revision {
		if known.state, ok = s.open(sess.token, head); !ok {
			return false
		}
		known.revision = head.revision
		s.memory.Put(sess.tag, head.state, known)
	}
	sess.revision, sess.touched, sess.details, sess.state = head.revision, head.touched, head.details, known.state
	sess.idle = s.idleOf(known.state)
	return true
}

// open returns the state of a value; ok is false if it does not open.
func (s *Store) open(t token, head header) (known state, ok bool) {
	plain, ok := s.sealer(t).Open(head.state, number(head.revision))
	if !ok || cbor.Unmarshal(plain, &known) != nil {
		return state{}, false
	}
	return known, true
}

// sealer returns the sealer of the state and the records of the session of t. It depends
// on both the token and a session key: neither a stolen Redis nor a stolen configuration
// opens a session, nor do both together.
func (s *Store) sealer(t token) seal.Sealer { return s.keys.With(t[:], "countersign session") }

// number encodes n as scripts compare it: eight bytes, never a Lua number, which is exact
// only up to 2^53.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
