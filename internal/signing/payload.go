package signing

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// maxPayload limits a payload without the contents of its files, in bytes.
const maxPayload = 1 << 20

// newScanner returns a scanner for payloads of the signing API.
func newScanner() *payload.Scanner {
	return &payload.Scanner{Limit: maxPayload, Content: func(member string) payload.Content {
		if member == "base64Content" {
			return new(fileContent)
		}
		return nil
	}}
}

// Payload is JSON for the signing API without the contents of its files, which were
// checked while they were read.
type Payload struct {
	text    jsontext.Value
	scanned *payload.Scanner
	edits   payload.Edits
	size    int64
	// attached says that files come beside the payload; files holds the pointers of the
	// documents that need one, as found by a Check; list is the pointer of the documents.
	attached bool
	files    []string
	list     string
	optional bool // the file may be left out
	limits   Limits
	over     bool // a Check found a bound exceeded, unless the package has the same value
}

// Over reports whether the last Check found something that is allowed only if the package
// has it already.
func (p *Payload) Over() bool { return p.over }

// Summary returns the status and the type that the payload gives a package, "" where it gives
// none, and the texts of all members called email.
func (p *Payload) Summary() (status, kind string, emails []string) {
	o := p.object()
	d := jsontext.NewDecoder(bytes.NewReader(p.text), payload.Tolerant())
	for token, err := d.ReadToken(); err == nil; token, err = d.ReadToken() {
		kind, length := d.StackIndex(d.StackDepth())
		if token.Kind() == '"' && kind == '{' && length%2 == 0 && d.StackPointer().LastToken() == "email" {
			emails = append(emails, token.String())
		}
	}
	return o.StringOrEmpty("status"), o.StringOrEmpty("type"), emails
}

// NewPayload reads the payload in text.
func NewPayload(text []byte) (*Payload, error) { return readPayload(bytes.NewReader(text)) }

// readPayload reads a payload to its end. JSON that is invalid, too deep, has a repeated
// member or a lone surrogate is request.malformed; too many bytes beside the files are
// request.too-large. Errors of r are returned as they are.
func readPayload(r io.Reader) (*Payload, error) {
	p := &Payload{scanned: newScanner()}
	var err error
	p.text, p.size, err = payload.Read(r, p.scanned)
	return p, err
}

// malformedForm returns request.malformed for an invalid multipart/form-data body, or one
// with other parts than one payload and files.
func malformedForm(err error) error {
	e := fault.Wrap(fault.RequestMalformed, err)
	e.Fields = []fault.Field{{Detail: "field.form"}}
	return e
}

// Check applies the rules of one operation to a payload and finds all violations at once:
// request.invalid with the pointers of the first 20. A payload of the wrong kind, object
// or array, is request.malformed.
type Check func(*Payload, Context) error

// check applies rule to the payload, whose kind must be one of kinds.
func (p *Payload) check(c Context, kinds string, rule func(*rules, payload.Value)) error {
	if !strings.ContainsRune(kinds, rune(p.text.Kind())) {
		return payload.Malformed(errors.New("the payload is of another kind"))
	}
	p.files, p.list, p.optional, p.over, p.edits = nil, "", false, false, nil
	p.limits = c.Limits
	r := newRules(p, c)
	whole := r.Examine(p.text)
	rule(r, whole)
	r.everywhere(whole)
	return r.Err()
}
