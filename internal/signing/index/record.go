package index

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/fxamacker/cbor/v2"

	"countersign/internal/access"
	"countersign/internal/seal"
)

// The value of a record in Redis is, in clear, its revision and its place in lists, which
// the scripts read, then the length of the sealed policy, the sealed policy, and the
// sealed item, deflated. A standing needs the policy alone. A value that is a revision
// and nothing else is the tombstone of a deleted package.
const (
	revisionDigits = 16
	placeDigits    = 17
	headDigits     = revisionDigits + placeDigits
)

// record is a package as the index stores it.
type record struct {
	policy
	revision uint64

	name   string
	sealed []byte // the policy
	item   string // sealed
	seal   seal.Sealer
}

// seal returns what a change that puts a record writes: the record's value without its head,
// which the script writes, and for a package that ended its end. after is bounded already;
// cut reports whether the item had to be reduced to an excerpt.
func (c change) seal(s seal.Sealer, ended bool) (value, end []byte, cut bool, err error) {
	decides, err := encodePolicy(c.after)
	if err != nil {
		return nil, nil, false, err
	}
	deflated, cut, err := boundedItem(c.item, maxRecord-recordOverhead-len(decides))
	if err != nil {
		return nil, nil, false, fmt.Errorf("access: cut an item: %w", err)
	}
	about := []byte(c.name)
	sealed := s.Seal(decides, about)
	value = binary.BigEndian.AppendUint32(nil, uint32(len(sealed)))
	value = append(append(value, sealed...), s.Seal(deflated, about)...)
	if ended {
		end = s.Seal([]byte(strings.Join([]string{c.after.Status, c.after.Owner, c.after.ID}, "\x00")), endPurpose)
	}
	return value, end, cut, nil
}

const (
	// deflatedPolicy is the first byte of a deflated policy, with which no CBOR map
	// begins.
	deflatedPolicy = 0
	// longPolicy is the length in bytes from which a policy is deflated.
	longPolicy = 1 << 10
)

func encodePolicy(p *policy) ([]byte, error) {
	plain, err := cbor.Marshal(p)
	if err != nil {
		return nil, fmt.Errorf("access: encode a policy: %w", err)
	}
	if len(plain) < longPolicy {
		return plain, nil
	}
	return append([]byte{deflatedPolicy}, deflate(plain)...), nil
}

func decodePolicy(encoded []byte, out *policy) (err error) {
	if len(encoded) > 0 && encoded[0] == deflatedPolicy {
		if encoded, err = inflate(encoded[1:]); err != nil {
			return err
		}
	}
	return cbor.Unmarshal(encoded, out)
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
func (x *Index) openRemembered(s *access.Space, name, value string) *record {
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
	revision, err := strconv.ParseUint(value[:revisionDigits], 10, 64)
	length, rest := int(binary.BigEndian.Uint32([]byte(value[headDigits:headDigits+4]))), value[headDigits+4:]
	if err != nil || length > len(rest) {
		return nil
	}
	return &record{revision: revision, name: name, sealed: []byte(rest[:length]), item: rest[length:], seal: s}
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
		return nil, fmt.Errorf("access: the item of package %s does not open", r.ID)
	}
	item, err := inflate(plain)
	if err != nil {
		return nil, fmt.Errorf("access: the item of package %s: %w", r.ID, err)
	}
	return item, nil
}
