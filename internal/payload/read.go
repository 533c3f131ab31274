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
// is request.malformed; too many bytes beside the contents are request.too-large. Errors of
// r are returned as they are.
func Read(r io.Reader, scanner *Scanner) (skeleton jsontext.Value, size int64, err error) {
	source := &failing{reader: r}
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

// WellFormed returns request.malformed unless text is one JSON value that is not too deep
// and has no repeated member.
func WellFormed(text []byte) error {
	if Depth(text) > maxDepth {
		return Malformed(ErrTooDeep)
	}
	if jsontext.Value(text).IsValid() {
		return nil
	}
	decoder := jsontext.NewDecoder(bytes.NewBuffer(text)) // says what is wrong
	if err := decoder.SkipValue(); err != nil {
		return Malformed(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return Malformed(errors.New("the payload goes on behind its end"))
	}
	return nil
}

// Depth returns how many objects and arrays of a text are nested at most.
func Depth(text []byte) (most int) {
	open, inText := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{', c == '[':
			open++
			most = max(most, open)
		case c == '}', c == ']':
			open--
		}
	}
	return most
}
