// Package intake reads what clients send without holding it in memory: JSON without its
// long strings, and what must wait until it can be passed on. It knows no payload.
package intake

import (
	"bytes"
	"errors"
	"io"
	"sort"

	"github.com/go-json-experiment/json/jsontext"
)

// PieceSize is how much of a content is judged at once, in bytes.
const PieceSize = 4 << 10

// MaxDepth is how many objects and arrays may be open at once.
const MaxDepth = 64

// Content is a string that is not kept: it is judged in pieces.
type Content interface {
	// Take takes more of the text.
	Take(text []byte)
	// Verdict is what stands in the skeleton in place of the text: plain ASCII.
	Verdict() string
}

var (
	// ErrTooLarge is a payload that has too much beside its contents.
	ErrTooLarge = errors.New("the payload is too long")
	// ErrTooDeep is a payload with more than MaxDepth objects and arrays open at once.
	ErrTooDeep = errors.New("the payload is too deep")
)

// Scanner reads JSON in constant memory. It keeps the text, but each content of a file is
// replaced by its verdict. What it leaves out it has checked: escapes, surrogates and
// UTF-8. The rest is the reader's of the skeleton to check.
type Scanner struct {
	// Limit is how long the payload may be without its contents, in bytes.
	Limit int
	// Content says what judges the string that is the value of a member ("" in an
	// array); nil has it kept. Without it all are.
	Content func(member string) Content

	skeleton []byte
	cuts     []cut
	verdicts int // bytes of the skeleton
	depth    int
	inString bool
	before   byte   // what stands before the string, but for white space
	last     []byte // the string before, as it is kept, with its quotes
	text     stringScan
}

// Skeleton is what was kept. Its error is a payload that ended in a string.
func (s *Scanner) Skeleton() ([]byte, error) {
	if s.inString {
		return nil, io.ErrUnexpectedEOF
	}
	return s.skeleton, nil
}

// cut is a place of the skeleton that stands for more, or less, text of the payload.
type cut struct {
	at      int   // behind it, in the skeleton
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

// outside takes what stands between strings, up to the quote that begins the next.
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

// nest counts what is open.
func (s *Scanner) nest(between []byte) error {
	for _, b := range between {
		switch b {
		case '{', '[':
			if s.depth++; s.depth > MaxDepth {
				return ErrTooDeep
			}
		case '}', ']':
			s.depth--
		}
	}
	return nil
}

// content is what judges the string that begins; nil if it is kept.
func (s *Scanner) content() Content {
	if s.Content == nil {
		return nil
	}
	return s.Content(s.member())
}

// member is the name of the member whose value begins; "" in an array, for a name
// itself, and for a name that matters to nobody here.
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

// inside takes what belongs to a string, up to its closing quote.
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

// Original is the offset in the payload of an offset in the skeleton.
func (s *Scanner) Original(offset int) int64 {
	after := sort.Search(len(s.cuts), func(i int) bool { return s.cuts[i].at > offset })
	if after == 0 {
		return int64(offset)
	}
	return int64(offset) + s.cuts[after-1].missing
}
