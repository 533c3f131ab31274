package session

import (
	"encoding/binary"
	"slices"

	"countersign/internal/seal"
)

// person is a user under one of the session keys: the key of their list, and the sealer
// of its entries and of their sessions' details.
type person struct {
	list   string // the Redis key of the list
	sealer seal.Sealer
}

// people returns user under every session key, in the order of the keys.
func (s *Store) people(user string) []person {
	var people []person
	for _, key := range s.keys.Each() {
		sealer := key.For("countersign list of " + user)
		people = append(people, person{list: "cs:u:" + sealer.Name("list"), sealer: sealer})
	}
	return people
}

// entry is a person's list entry of one session.
type entry struct {
	tag       tag
	id        []byte
	createdAt int64 // Unix seconds
	member    string
	person    person
}

// entry returns the entry of sess on the person's list. Its member is always the same for
// a session, so that it can be taken off the list again. It has 64 bytes, the most for
// which Redis keeps a small list in one piece.
func (p person) entry(sess *Session) entry {
	e := entry{tag: sess.tag, id: sess.state.ID, createdAt: sess.state.CreatedAt, person: p}
	plain := binary.BigEndian.AppendUint32(slices.Concat(e.tag[:], e.id), uint32(e.createdAt))
	e.member = string(p.sealer.SealDeterministic(plain, []byte("entry")))
	return e
}

// read decodes a member of the person's list; it returns false if the member is not an
// entry.
func (p person) read(member string) (entry, bool) {
	plain, ok := p.sealer.Open([]byte(member), []byte("entry"))
	const created = len(tag{}) + idLength
	if !ok || len(plain) != created+4 {
		return entry{}, false
	}
	return entry{
		tag: tag(plain[:len(tag{})]), id: plain[len(tag{}):created], createdAt: int64(binary.BigEndian.Uint32(plain[created:])),
		member: member, person: p,
	}, true
}

// seal seals the details of the session of t; they open with no other session.
func (p person) seal(t tag, plain []byte) []byte { return p.sealer.Seal(plain, t[:]) }

// open undoes seal.
func (p person) open(t tag, sealed []byte) ([]byte, bool) { return p.sealer.Open(sealed, t[:]) }
