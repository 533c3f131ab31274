package signing

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/intake"
)

// maxPayload limits a payload without the contents of its files, in bytes.
const maxPayload = 1 << 20

// newScanner returns a scanner for payloads of the signing API.
func newScanner() *intake.Scanner {
	return &intake.Scanner{Limit: maxPayload, Content: func(member string) intake.Content {
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
	scanned *intake.Scanner
	edits   []edit
	size    int64
	// attached says that files come beside the payload; files holds the pointers of the
	// documents that need one, as found by a Check; list is the pointer of the documents.
	attached bool
	files    []string
	list     string
	optional bool // the file may be left out
	over     bool // a Check found a bound exceeded, unless the package has the same value
}

// Over reports whether the last Check found something that is allowed only if the package
// has it already.
func (p *Payload) Over() bool { return p.over }

// NewPayload reads the payload in text.
func NewPayload(text []byte) (*Payload, error) { return readPayload(bytes.NewReader(text)) }

// readPayload reads a payload to its end. JSON that is invalid, too deep, has a repeated
// member or a lone surrogate is request.malformed; too many bytes beside the files are
// request.too-large. Errors of r are returned as they are.
func readPayload(r io.Reader) (*Payload, error) {
	p := &Payload{scanned: newScanner()}
	source := &failing{reader: r}
	size, err := io.Copy(p.scanned, source)
	if err == nil {
		p.text, err = p.scanned.Skeleton()
	}
	switch {
	case source.err != nil:
		return nil, source.err
	case errors.Is(err, intake.ErrTooDeep):
		return nil, fault.Wrap(fault.RequestMalformed, err)
	case errors.Is(err, intake.ErrTooLarge):
		return nil, fault.Wrap(fault.RequestTooLarge, err)
	case err != nil:
		return nil, malformed(err)
	}
	p.size = size
	return p, wellFormed(p.text)
}

// failing records the error of its reader, to tell it from a writer's.
type failing struct {
	reader io.Reader
	err    error
}

func (f *failing) Read(p []byte) (int, error) {
	n, err := f.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

func wellFormed(text jsontext.Value) error {
	decoder := jsontext.NewDecoder(bytes.NewReader(text))
	if err := decoder.SkipValue(); err != nil {
		return malformed(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return malformed(errors.New("the payload goes on behind its end"))
	}
	return nil
}

// maxPointer limits the pointer that an answer repeats, in bytes.
const maxPointer = 256

// malformed returns request.malformed with the place of the error.
func malformed(err error) error {
	field := fault.Field{Detail: "field.syntax"}
	if errors.Is(err, jsontext.ErrDuplicateName) {
		field.Detail = "field.duplicate"
	}
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		field.Pointer = shortPointer(string(syntactic.JSONPointer))
	}
	e := fault.Wrap(fault.RequestMalformed, err)
	e.Fields = []fault.Field{field}
	return e
}

// malformedForm returns request.malformed for an invalid multipart/form-data body, or one
// with other parts than one payload and files.
func malformedForm(err error) error {
	e := fault.Wrap(fault.RequestMalformed, err)
	e.Fields = []fault.Field{{Detail: "field.form"}}
	return e
}

func shortPointer(pointer string) string {
	return strings.ToValidUTF8(pointer[:min(len(pointer), maxPointer)], "")
}

// Check applies the rules of one operation to a payload and finds all violations at once:
// request.invalid with the pointers of the first 20. A payload of the wrong kind, object
// or array, is request.malformed.
type Check func(*Payload, Context) error

// check applies rule to the payload, whose kind must be one of kinds.
func (p *Payload) check(c Context, kinds string, rule func(*rules, value)) error {
	if !strings.ContainsRune(kinds, rune(p.text.Kind())) {
		return malformed(errors.New("the payload is of another kind"))
	}
	p.files, p.list, p.optional, p.over, p.edits = nil, "", false, false, nil
	r := newRules(p, c)
	whole := value{text: p.text, rules: r}
	rule(r, whole)
	r.texts(whole)
	if len(r.fields) > 0 {
		return fault.Invalid(r.fields...)
	}
	return nil
}
