package index

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/fxamacker/cbor/v2"
	"github.com/go-json-experiment/json"

	"countersign/internal/payload"
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

// boundedItem deflates an item into at most room bytes; cut is true if it had to be
// reduced to an excerpt.
func boundedItem(item []byte, room int) (deflated []byte, cut bool, err error) {
	deflated = deflate(item)
	for people := maxPeople; len(deflated) > room && people > 0; people /= 2 {
		if item, err = excerpt(item, people-1); err != nil {
			return nil, false, err
		}
		deflated, cut = deflate(item), true
	}
	return deflated, cut, nil
}

// excerpted holds the names, states and people of a package.
type excerpted struct {
	ID        string              `json:"id"`
	Name      string              `json:"name"`
	Status    string              `json:"status"`
	Type      string              `json:"type,omitzero"`
	Trashed   bool                `json:"trashed"`
	Created   string              `json:"created,omitzero"`
	Updated   string              `json:"updated,omitzero"`
	Completed string              `json:"completed,omitzero"`
	Due       string              `json:"due,omitzero"`
	Language  string              `json:"language,omitzero"`
	Sender    excerptedPerson     `json:"sender"`
	Roles     []excerptedRole     `json:"roles"`
	Documents []excerptedDocument `json:"documents"`
}

type excerptedRole struct {
	ID      string            `json:"id"`
	Name    string            `json:"name,omitzero"`
	Type    string            `json:"type,omitzero"`
	Index   int               `json:"index"`
	Signers []excerptedPerson `json:"signers"`
}

type excerptedPerson struct {
	ID        string `json:"id,omitzero"`
	Email     string `json:"email,omitzero"`
	FirstName string `json:"firstName,omitzero"`
	LastName  string `json:"lastName,omitzero"`
	Name      string `json:"name,omitzero"`
}

type excerptedDocument struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// asExcerpt decodes an item and skips members of an unexpected type.
var asExcerpt = payload.Lenient(
	payload.Expect[excerptedPerson]('{'), payload.Expect[[]excerptedPerson]('['),
	payload.Expect[excerptedRole]('{'), payload.Expect[[]excerptedRole]('['),
	payload.Expect[excerptedDocument]('{'), payload.Expect[[]excerptedDocument]('['),
)

// excerpt reduces an item to its names, states and people, with at most that many people
// and documents.
func excerpt(item []byte, people int) ([]byte, error) {
	var e excerpted
	if err := json.Unmarshal(item, &e, asExcerpt); err != nil {
		return nil, err
	}
	e.Documents = e.Documents[:min(people, len(e.Documents))]
	e.Roles = firstOf(e.Roles, people, func(r *excerptedRole) *[]excerptedPerson { return &r.Signers })
	e.shorten()
	return json.Marshal(e)
}

// shorten cuts every text to maxName characters and drops overlong e-mail addresses.
func (e *excerpted) shorten() {
	texts := []*string{&e.Name, &e.Status, &e.Type, &e.Created, &e.Updated, &e.Completed, &e.Due, &e.Language}
	people := []*excerptedPerson{&e.Sender}
	for i := range e.Roles {
		r := &e.Roles[i]
		texts = append(texts, &r.ID, &r.Name, &r.Type)
		for j := range r.Signers {
			people = append(people, &r.Signers[j])
		}
	}
	for i := range e.Documents {
		texts = append(texts, &e.Documents[i].ID, &e.Documents[i].Name)
	}
	for _, p := range people {
		texts = append(texts, &p.ID, &p.FirstName, &p.LastName, &p.Name)
		p.Email = boundedName(p.Email)
	}
	for _, text := range texts {
		*text = shortened(*text)
	}
}

// firstOf returns the first roles that have at most so many people between them.
func firstOf[R, P any](roles []R, people int, of func(*R) *[]P) []R {
	roles = slices.Clone(roles)
	for i := range roles {
		if people <= 0 {
			return roles[:i]
		}
		signers := of(&roles[i])
		*signers = (*signers)[:min(people, len(*signers))]
		people -= max(1, len(*signers))
	}
	return roles
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

// dictionary is a typical package: what an item shares with it takes no room once
// deflated. Another dictionary begins another index.
//
//go:embed dictionary.json
var dictionary []byte

// format names the dictionary that records are deflated with.
func format() string {
	sum := sha256.Sum256(dictionary)
	return "dictionary " + hex.EncodeToString(sum[:8])
}

// deflaters and inflaters are pools, since each of them takes much memory to make.
var (
	deflaters = sync.Pool{New: func() any {
		w, err := flate.NewWriterDict(nil, flate.DefaultCompression, dictionary)
		if err != nil {
			panic(err) // only for a level that does not exist
		}
		return w
	}}
	inflaters = sync.Pool{New: func() any { return flate.NewReaderDict(nil, dictionary) }}
)

// inflater is the interface of what flate.NewReaderDict returns.
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
	if err := r.Reset(bytes.NewReader(deflated), dictionary); err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}
