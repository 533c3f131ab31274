package index

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"

	"countersign/internal/payload"
)

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
