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

// state is what a session knows, sealed. Members are only ever added, under new
// numbers: nodes of two versions read each other's sessions. CBOR with numbers for names
// is short: there may be a million of them.
type state struct {
	ID          []byte  `cbor:"1,keyasint"`
	UserID      string  `cbor:"2,keyasint,omitempty"`
	DisplayName string  `cbor:"3,keyasint,omitempty"`
	Email       string  `cbor:"4,keyasint,omitempty"`
	Methods     methods `cbor:"5,keyasint,omitempty"`
	CreatedAt   int64   `cbor:"6,keyasint"` // Unix seconds
	// AuthenticatedAfter is when its user last proved who they are, in seconds after
	// CreatedAt; Life is the absolute end, likewise.
	AuthenticatedAfter int64  `cbor:"7,keyasint,omitempty"`
	Life               int64  `cbor:"8,keyasint"`
	Language           string `cbor:"9,keyasint,omitempty"`
	Bearer             bool   `cbor:"10,keyasint,omitempty"`
	// ProfileMissing is as in User.
	ProfileMissing bool `cbor:"11,keyasint,omitempty"`
}

func (s state) clone() state {
	s.ID, s.Methods = slices.Clone(s.ID), slices.Clone(s.Methods)
	return s
}

// setProfile takes over what user is called.
func (s *state) setProfile(user User) {
	s.DisplayName, s.Email, s.ProfileMissing = valid(user.DisplayName), valid(user.Email), user.ProfileMissing
}

// end is when the session ends at the latest, in Unix seconds.
func (s state) end() int64 { return s.CreatedAt + s.Life }

// methods are ways of signing in, in the order in which they were used, each by its
// place in methodNames.
type methods []byte

// methodNames are the ways of signing in. A new one goes to the end.
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

// with is m and the method name; false when there is no such method.
func (m methods) with(name string) (methods, bool) {
	place := slices.Index(methodNames, name)
	if place < 0 || slices.Contains(m, byte(place)) {
		return m, place >= 0
	}
	return append(slices.Clone(m), byte(place)), true
}

// A session's value in Redis. What scripts and lists need stands outside the seals:
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

// header is what of a value can be read without the token.
type header struct {
	revision uint64
	touched  time.Time
	details  []byte
	state    []byte // sealed
}

// parse reads a session's value; false when it is none.
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

// memory remembers the states of sessions that were opened, by tag: deriving a session's
// key is most of what loading it costs. It holds no token and nothing made of a session
// key.
type memory = seal.Memo[tag, remembered]

// remembered is a state, and the revision that it was opened at.
type remembered struct {
	revision uint64
	state    state
}

// memorySize is how many sessions a generation of the memory has.
const memorySize = 4096

func newMemory() *memory { return seal.NewMemo[tag, remembered](memorySize) }

// read fills sess in from its value in Redis; false when the value does not open, and
// the session is then absent.
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

// open is the state of a value; false when it does not open.
func (s *Store) open(t token, head header) (known state, ok bool) {
	plain, ok := s.sealer(t).Open(head.state, number(head.revision))
	if !ok || cbor.Unmarshal(plain, &known) != nil {
		return state{}, false
	}
	return known, true
}

// sealer returns what seals the state and the records of the session of t. It takes
// both the token and a session key: neither a stolen Redis nor a stolen configuration
// opens a session, nor both together.
func (s *Store) sealer(t token) seal.Sealer { return s.keys.With(t[:], "countersign session") }

// number is n as scripts compare it: eight bytes, never a Lua number, whose
// precision ends at 2^53.
func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
