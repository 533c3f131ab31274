package session

import (
	"encoding/binary"
	"slices"

	"countersign/internal/seal"
)

// person is a user under one of the session keys: where their list is, and what
// seals its entries and the details of their sessions.
type person struct {
	list   string // the key of the list
	sealer seal.Sealer
}

// people returns user under every session key, the first key's first.
func (s *Store) people(user string) []person {
	var people []person
	for _, key := range s.keys.Each() {
		sealer := key.For("countersign list of " + user)
		people = append(people, person{list: "cs:u:" + sealer.Name("list"), sealer: sealer})
	}
	return people
}

// entry is what a person's list says of one session.
type entry struct {
	tag       tag
	id        []byte
	createdAt int64 // Unix seconds
	member    string
	person    person
}

// entry returns the entry of the person's list for sess. Its member always looks the
// same, and can be taken off the list again. It has the 64 bytes up to which Redis
// keeps a small list in one piece.
func (p person) entry(sess *Session) entry {
	e := entry{tag: sess.tag, id: sess.state.ID, createdAt: sess.state.CreatedAt, person: p}
	plain := binary.BigEndian.AppendUint32(slices.Concat(e.tag[:], e.id), uint32(e.createdAt))
	e.member = string(p.sealer.SealDeterministic(plain, []byte("entry")))
	return e
}

// read returns the entry that a member of the person's list is; false for what is
// none.
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

// seal seals the details of the session of t: they open beside no other.
func (p person) seal(t tag, plain []byte) []byte { return p.sealer.Seal(plain, t[:]) }

// open undoes seal.
func (p person) open(t tag, sealed []byte) ([]byte, bool) { return p.sealer.Open(sealed, t[:]) }
