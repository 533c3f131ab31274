package signing

import (
	"bytes"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// pieceSize is how much of a string is judged at once, in bytes. Every rule on a
	// text but a pattern's is decided by its first piece.
	pieceSize = 4 << 10
	// patternSize holds a pattern of maxPattern characters however they are escaped.
	patternSize = 12 * maxPattern
)

var errLongName = errors.New("the name of a member is too long")

// scanner reads JSON in constant memory. It keeps the text without what is long: the
// content of a file in base64 is replaced by its verdict, another long string is cut.
// What it leaves out it has checked: escapes, surrogates and UTF-8. The structure is
// the reader's of the skeleton to check.
type scanner struct {
	skeleton []byte
	cuts     []cut
	limit    int // of the skeleton, in bytes

	inString bool
	before   byte   // what stands before the string, but for white space
	last     []byte // the string before, as it is kept, with its quotes
	lastCut  bool
	text     stringScan
}

// cut is a place of the skeleton that stands for more, or less, text of the payload.
type cut struct {
	at      int   // behind it, in the skeleton
	missing int64 // bytes
}

// Write scans more of the payload.
func (s *scanner) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		var n int
		var err error
		if s.inString {
			n, err = s.inside(rest)
		} else {
			n, err = s.outside(rest)
		}
		if err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	return len(p), nil
}

// outside takes what stands between strings, up to the quote that begins the next.
func (s *scanner) outside(p []byte) (int, error) {
	end := bytes.IndexByte(p, '"')
	between := p
	if end >= 0 {
		between = p[:end]
	}
	if significant := bytes.Trim(between, " \t\r\n"); len(significant) > 0 {
		if s.lastCut && s.before == 0 && significant[0] == ':' {
			return 0, errLongName
		}
		s.before = significant[len(significant)-1]
	}
	s.skeleton = append(s.skeleton, between...)
	if end < 0 {
		return len(p), s.bounded()
	}
	s.inString = true
	s.text.begin(s.member())
	return end + 1, s.bounded()
}

// member is the name of the member whose value begins; "" in an array, for a name
// itself, and for a name that matters to nobody here.
func (s *scanner) member() string {
	if s.before != ':' {
		return ""
	}
	name, err := jsontext.AppendUnquote(nil, s.last)
	if err != nil {
		return ""
	}
	return string(name)
}

// inside takes what belongs to a string, up to its closing quote.
func (s *scanner) inside(p []byte) (int, error) {
	n, ended, err := s.text.take(p)
	if err != nil || !ended {
		return n, err
	}
	kept, missing, err := s.text.end()
	if err != nil {
		return 0, err
	}
	s.skeleton = append(s.skeleton, kept...)
	s.last, s.lastCut = s.skeleton[len(s.skeleton)-len(kept):], missing != 0
	if s.lastCut {
		s.cuts = append(s.cuts, cut{at: len(s.skeleton), missing: missing})
	}
	s.inString, s.before = false, 0
	return n, s.bounded()
}

func (s *scanner) bounded() error {
	if len(s.skeleton) > s.limit {
		return errTooLarge
	}
	return nil
}

// original is the offset in the payload of an offset in the skeleton.
func (s *scanner) original(offset int) int64 {
	at := int64(offset)
	for _, c := range s.cuts {
		if c.at <= offset {
			at += c.missing
		}
	}
	return at
}
