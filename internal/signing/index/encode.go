package index

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/fxamacker/cbor/v2"

	"countersign/internal/seal"
)

// format names the form of records. Another form begins another index.
const format = "deflated policy and item under the common prefix"

// The value of a record in Redis is, in clear, its revision and its place in lists, which
// the scripts read, then the length of the sealed policy, the sealed policy, and the
// sealed item, deflated, if that has room. An access level needs the policy alone. A value that
// is a revision and nothing else is the tombstone of a deleted package.
const (
	revisionDigits = 16
	placeDigits    = 17
	headDigits     = revisionDigits + placeDigits
)

// seal returns what a change that puts a record writes: the record's value without its head,
// which the script writes, and for a package that ended its end. after is bounded already;
// long reports whether there is no room for its item.
func (c change) seal(s seal.Sealer, ended bool) (value, end []byte, long bool, err error) {
	decides, err := encodePolicy(c.after)
	if err != nil {
		return nil, nil, false, err
	}
	about := []byte(c.name)
	sealed := s.Seal(decides, about)
	value = append(binary.BigEndian.AppendUint32(nil, uint32(len(sealed))), sealed...)
	item := c.deflatedItem(maxRecord - recordOverhead - len(decides))
	if item != nil {
		value = append(value, s.Seal(item, about)...)
	}
	if ended {
		end = s.Seal([]byte(strings.Join([]string{c.after.Status, c.after.Owner, c.after.ID}, "\x00")), endPurpose)
	}
	return value, end, item == nil && c.item != nil, nil
}

// deflatedItem returns the item deflated, in room bytes at most; nil where that is too
// little.
func (c change) deflatedItem(room int) []byte {
	if c.after.Part || c.item == nil || len(c.item) > maxItem {
		return nil
	}
	if item := deflate(c.item); len(item) <= room {
		return item
	}
	return nil
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
		return nil, fmt.Errorf("index: encode a policy: %w", err)
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

// shortened returns the first maxName characters of text.
func shortened(text string) string {
	if len(text) <= maxName {
		return text
	}
	if runes := []rune(text); len(runes) > maxName {
		return string(runes[:maxName])
	}
	return text
}

// boundedName returns an e-mail address or a user id, or "" if it is longer than either
// can be: a part of it could be somebody else's.
func boundedName(of string) string {
	if len(of) > 4*maxName {
		return ""
	}
	return of
}

// deflaters and inflaters are pools, since each of them takes much memory to make.
var (
	deflaters = sync.Pool{New: func() any {
		w, err := flate.NewWriter(nil, flate.DefaultCompression)
		if err != nil {
			panic(err) // only for a level that does not exist
		}
		return w
	}}
	inflaters = sync.Pool{New: func() any { return flate.NewReader(nil) }}
)

// inflater is the interface of what flate.NewReader returns.
type inflater interface {
	io.Reader
	flate.Resetter
}

func deflate(plain []byte) []byte {
	var out bytes.Buffer
	w, _ := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&out)
	_, _ = w.Write(plain) // a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

func inflate(deflated []byte) ([]byte, error) {
	r, _ := inflaters.Get().(inflater)
	defer inflaters.Put(r)
	if err := r.Reset(bytes.NewReader(deflated), nil); err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
