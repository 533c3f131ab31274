package index

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"countersign/internal/access"
	"countersign/internal/seal"
)

// record is a package as the index stores it.
type record struct {
	policy
	revision uint64
	stale    bool // the package was changed since

	name   string
	sealed []byte // the policy
	item   string // sealed; "" where it had no room
	seal   seal.Sealer
}

// openRecord opens the value of the record name; nil for an empty value, a tombstone, or
// one that seal did not make.
func openRecord(s seal.Sealer, name, value string) *record {
	r := splitRecord(s, name, value)
	if r == nil || !r.open() {
		return nil
	}
	return r
}

// openRemembered is openRecord with the opened policy cached in memory. A name belongs to
// one space alone.
func (x *Index) openRemembered(s *access.Namespace, name, value string) *record {
	r := splitRecord(s.Sealer, name, value)
	if r == nil {
		return nil
	}
	known, ok := x.policies.Get(name, r.sealed)
	if ok {
		r.policy = known
		return r
	}
	if !r.open() {
		return nil
	}
	x.policies.Put(name, r.sealed, r.policy)
	return r
}

// splitRecord returns the record name with its policy still sealed; nil for a value that
// is no record.
func splitRecord(s seal.Sealer, name, value string) *record {
	if len(value) < headDigits+4 {
		return nil
	}
	revision, err := strconv.ParseUint(value[1:revisionDigits], 10, 64)
	length, rest := int(binary.BigEndian.Uint32([]byte(value[headDigits:headDigits+4]))), value[headDigits+4:]
	if err != nil || length > len(rest) {
		return nil
	}
	return &record{revision: revision, stale: value[0] == stale, name: name, sealed: []byte(rest[:length]), item: rest[length:], seal: s}
}

// open opens the policy into r.
func (r *record) open() bool {
	plain, ok := r.seal.Open(r.sealed, []byte(r.name))
	return ok && decodePolicy(plain, &r.policy) == nil
}

// openItem opens and inflates the record's item.
func (r *record) openItem() ([]byte, error) {
	plain, ok := r.seal.Open([]byte(r.item), []byte(r.name))
	if !ok {
		return nil, fmt.Errorf("index: the item of package %s cannot be decrypted", r.ID)
	}
	item, err := inflate(plain)
	if err != nil {
		return nil, fmt.Errorf("index: the item of package %s: %w", r.ID, err)
	}
	return item, nil
}
