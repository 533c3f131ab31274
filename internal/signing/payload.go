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

// maxPayload is the longest payload without the contents of its files, in bytes.
const maxPayload = 1 << 20

// newScanner reads payloads of the signing API.
func newScanner() *intake.Scanner {
	return &intake.Scanner{Limit: maxPayload, Content: func(member string) intake.Content {
		if member == "base64Content" {
			return new(fileContent)
		}
		return nil
	}}
}

// Payload is JSON for the signing API, as far as the rules need it: without the contents
// of its files, which were checked while they were read.
type Payload struct {
	text    jsontext.Value
	scanned *intake.Scanner
	edits   []edit
	size    int64
	// attached says that files come beside the payload; files are the pointers of
	// the documents that need one, as a Check found, list that of the documents.
	attached bool
	files    []string
	list     string
	optional bool // the file may stay away
	over     bool // a Check found that a bound is broken, unless the package has the same
}

// Over reports whether the last Check found something that only a package that has it
// already may have.
func (p *Payload) Over() bool { return p.over }

// NewPayload is the payload in text.
func NewPayload(text []byte) (*Payload, error) { return readPayload(bytes.NewReader(text)) }

// readPayload reads a payload to its end. What is no JSON, has a member twice or a lone
// surrogate is request.malformed, and so is what is too deep; what has too much beside
// its files is request.too-large. Errors of r come as they are.
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

// failing keeps the error of its reader, so that it is told from that of a writer.
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

// maxPointer is the longest pointer that an answer repeats, in bytes.
const maxPointer = 256

// malformed is request.malformed, with where it was found.
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

// malformedForm is request.malformed for multipart/form-data that is none, or has other
// parts than one payload and files.
func malformedForm(err error) error {
	e := fault.Wrap(fault.RequestMalformed, err)
	e.Fields = []fault.Field{{Detail: "field.form"}}
	return e
}

func shortPointer(pointer string) string {
	return strings.ToValidUTF8(pointer[:min(len(pointer), maxPointer)], "")
}

// Check is the rules of the payload of one operation.
// It finds all violations at once: request.invalid with the pointers of the first 20.
// A payload that is not of the operation's kind, object or array, is request.malformed.
type Check func(*Payload, Context) error

// check runs rule over the payload, which is of one of kinds.
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
