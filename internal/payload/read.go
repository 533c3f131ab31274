package payload

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// Read reads one JSON value to its end with the scanner, and returns its skeleton and its
// size in bytes. JSON that is invalid, too deep, has a repeated member or a lone surrogate
// is request.malformed; too many entries are request.invalid, and too many bytes beside the
// contents request.too-large. Errors of r are returned as they are.
func Read(r io.Reader, scanner *Scanner) (skeleton jsontext.Value, size int64, err error) {
	source := &errorRecorder{reader: r}
	size, err = io.Copy(scanner, source)
	switch {
	case source.err != nil:
		return nil, 0, source.err
	case errors.Is(err, ErrTooLarge):
		return nil, 0, fault.Wrap(fault.RequestTooLarge, err)
	case err != nil:
		return nil, 0, Malformed(err)
	}
	skeleton, err = scanner.Skeleton()
	if err != nil {
		return nil, 0, Malformed(err)
	}
	return skeleton, size, WellFormed(skeleton)
}

// errorRecorder records the error of its reader, to tell it from a writer's.
type errorRecorder struct {
	reader io.Reader
	err    error
}

func (f *errorRecorder) Read(p []byte) (int, error) {
	n, err := f.reader.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		f.err = err
	}
	return n, err
}

// maxEntries limits the elements of one array, and the members of one object, of any
// payload: no rule has to look at more.
const maxEntries = 5000

// WellFormed returns request.malformed unless text is one JSON value that is not too deep
// and has no repeated member, and request.invalid at the first array or object with too
// many entries.
func WellFormed(text []byte) error {
	if Depth(text) > maxDepth {
		return Malformed(ErrTooDeep)
	}
	if jsontext.Value(text).IsValid() {
		if pointer, ok := ExceedsLimits(text, maxEntries, maxEntries); ok {
			return Violation(string(pointer), "field.entries-most")
		}
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text)) // says what is wrong
	if err := decoder.SkipValue(); err != nil {
		return Malformed(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return Malformed(errors.New("trailing data after the JSON value"))
	}
	return nil
}

// ExceedsLimits returns the pointer of the first array of a well-formed text that has more than
// `elements` elements, or object that has more than `members` members.
func ExceedsLimits(text []byte, elements, members int) (at jsontext.Pointer, ok bool) {
	if bytes.Count(text, []byte{','}) < min(elements, members) {
		return "", false
	}
	for d := jsontext.NewDecoder(bytes.NewBuffer(text)); ; {
		if _, err := d.ReadToken(); err != nil {
			return "", false
		}
		if kind, length := d.StackIndex(d.StackDepth()); kind == '[' && length > int64(elements) || kind == '{' && length > 2*int64(members) {
			return d.StackPointer().Parent(), true
		}
	}
}

// Depth returns how many objects and arrays of a text are nested at most, up to what is no JSON.
func Depth(text []byte) (most int) {
	for d := jsontext.NewDecoder(bytes.NewBuffer(text), tolerant); ; most = max(most, d.StackDepth()) {
		if _, err := d.ReadToken(); err != nil {
			return most
		}
	}
}
