// Package payload reads JSON and uploads without holding them in memory, and reports
// violations with pointers. It knows no payload. It also reads the platform's JSON, which may
// not be strict.
package payload

import (
	"bytes"
	"errors"
	"io"
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// pieceSize is the size of the pieces in which a Content is checked, in bytes.
const pieceSize = 4 << 10

// maxDepth limits the nesting of objects and arrays.
const maxDepth = 64

// Content checks a string in pieces, instead of storing it.
type Content interface {
	// Take takes more of the text.
	Take(text []byte)
	// Result returns what the skeleton has instead of the text: plain ASCII.
	Result() string
}

var (
	// ErrTooLarge is the error of a payload with too many bytes beside its contents.
	ErrTooLarge = errors.New("the payload is too long")
	// ErrTooDeep is the error of a payload that nests more than MaxDepth objects and
	// arrays.
	ErrTooDeep = errors.New("the payload is too deep")
)

// Scanner reads JSON in constant memory and keeps its text as a skeleton, in which the
// verdict replaces each checked string. It checks the escapes, surrogates and UTF-8 of
// the strings that it leaves out; the rest is for the reader of the skeleton to check.
type Scanner struct {
	// Limit limits the payload without its contents, in bytes.
	Limit int
	// Content returns what checks the string value of a member ("" in an array); nil
	// keeps the string. Without Content all strings are kept.
	Content func(member string) Content

	skeleton []byte
	cuts     []cut
	verdicts int // bytes of the skeleton
	depth    int
	inString bool
	before   byte   // the last character before the string, ignoring white space
	last     []byte // the last string as it was kept, with its quotes
	text     stringScan
}

// Skeleton returns what was kept. The error means that the payload ended in a string.
func (s *Scanner) Skeleton() ([]byte, error) {
	if s.inString {
		return nil, io.ErrUnexpectedEOF
	}
	return s.skeleton, nil
}

// cut is a place in the skeleton that stands for more, or less, text of the payload.
type cut struct {
	at      int   // the end of the cut, in the skeleton
	missing int64 // bytes, up to there
}

// Write scans more of the payload.
func (s *Scanner) Write(p []byte) (int, error) {
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

// outside takes the text between strings, up to the quote that begins the next one.
func (s *Scanner) outside(p []byte) (int, error) {
	end := bytes.IndexByte(p, '"')
	between := p
	if end >= 0 {
		between = p[:end]
	}
	if significant := bytes.TrimRight(between, " \t\r\n"); len(significant) > 0 {
		s.before = significant[len(significant)-1]
	}
	s.skeleton = append(s.skeleton, between...)
	if err := s.nest(between); err != nil || end < 0 {
		return len(p), errors.Join(err, s.bounded())
	}
	s.inString = true
	s.text.begin(s.content())
	return end + 1, s.bounded()
}

// nest counts the open objects and arrays.
func (s *Scanner) nest(between []byte) error {
	for _, b := range between {
		switch b {
		case '{', '[':
			if s.depth++; s.depth > maxDepth {
				return ErrTooDeep
			}
		case '}', ']':
			s.depth--
		}
	}
	return nil
}

// content returns what checks the string that begins; nil if it is kept.
func (s *Scanner) content() Content {
	if s.Content == nil {
		return nil
	}
	return s.Content(s.member())
}

// member returns the name of the member whose value begins; "" in an array, for a name
// itself, and for a name that cannot be decoded.
func (s *Scanner) member() string {
	if s.before != ':' {
		return ""
	}
	name, err := jsontext.AppendUnquote(nil, s.last)
	if err != nil {
		return ""
	}
	return string(name)
}

// inside takes the text of a string, up to its closing quote.
func (s *Scanner) inside(p []byte) (int, error) {
	n, ended, err := s.text.take(p)
	if err != nil || !ended {
		return n, errors.Join(err, s.bounded())
	}
	kept, cutOff, err := s.text.end()
	if err != nil {
		return 0, err
	}
	s.skeleton = append(s.skeleton, kept...)
	s.last = s.skeleton[len(s.skeleton)-len(kept):]
	if s.text.content != nil {
		verdict := len(kept) - len(`""`)
		s.verdicts += verdict
		at := len(s.skeleton)
		s.cuts = append(s.cuts, cut{at: at, missing: s.Original(at) - int64(at) + cutOff - int64(verdict)})
	}
	s.text.kept = s.text.kept[:0]
	s.inString, s.before = false, 0
	return n, s.bounded()
}

func (s *Scanner) bounded() error {
	if len(s.skeleton)+len(s.text.kept)-s.verdicts > s.Limit {
		return ErrTooLarge
	}
	return nil
}

// Original returns the offset in the payload for an offset in the skeleton.
func (s *Scanner) Original(offset int) int64 {
	after := sort.Search(len(s.cuts), func(i int) bool { return s.cuts[i].at > offset })
	if after == 0 {
		return int64(offset)
	}
	return int64(offset) + s.cuts[after-1].missing
}
