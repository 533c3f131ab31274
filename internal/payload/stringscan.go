package payload

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// stringScan reads one string of JSON in pieces.
type stringScan struct {
	content Content       // nil for a string that is kept
	kept    []byte        // with its opening quote
	piece   []byte        // whole characters that are not checked yet, after a quote
	decoded []byte        // of a piece
	judged  int64         // bytes that were checked and not kept
	escape  escapeScanner // of the character that is being read
}

// begin starts a string.
func (s *stringScan) begin(content Content) {
	s.content = content
	s.kept, s.piece, s.judged = append(s.kept[:0], '"'), append(s.piece[:0], '"'), 0
	s.escape = escapeScanner{}
}

// take reads up to and including the closing quote; ended is false if p ends before it.
func (s *stringScan) take(p []byte) (n int, ended bool, err error) {
	for n < len(p) {
		if s.full(p[n]) {
			if err := s.judge(); err != nil {
				return n, false, err
			}
		}
		plain := 0
		if !s.escape.open() {
			plain = plainRun(p[n:min(len(p), n+max(1, pieceSize+1-len(s.piece)))])
		}
		switch {
		case plain > 0:
			s.piece, s.escape.high = append(s.piece, p[n:n+plain]...), false
			n += plain
		case p[n] == '"' && !s.escape.open():
			return n + 1, true, nil
		default:
			s.escape.next(p[n])
			s.piece = append(s.piece, p[n])
			n++
		}
	}
	return n, false, nil
}

// full reports whether the piece ends before b. A piece that grows far longer without the
// beginning of a character is not UTF-8, which judge then finds.
func (s *stringScan) full(b byte) bool {
	return len(s.piece) > pieceSize && s.escape.between(b) || len(s.piece) > 3*pieceSize
}

// plainRun returns how many bytes at the beginning of p stand for themselves.
func plainRun(p []byte) int {
	for i, b := range p {
		if b < ' ' || b >= 0x80 || b == '"' || b == '\\' {
			return i
		}
	}
	return len(p)
}

// judge keeps the piece, or checks it and hands it to the Content.
func (s *stringScan) judge() error {
	if s.content == nil {
		s.kept = append(s.kept, s.piece[1:]...)
	} else {
		var err error
		if s.decoded, err = jsontext.AppendUnquote(s.decoded[:0], append(s.piece, '"')); err != nil {
			return err
		}
		s.content.Take(s.decoded)
		s.judged += int64(len(s.piece) - 1)
	}
	s.piece = s.piece[:1]
	return nil
}

// end returns the string as it is kept, with its quotes, and how many bytes were replaced
// by the verdict.
func (s *stringScan) end() (kept []byte, judged int64, err error) {
	if err := s.judge(); err != nil {
		return nil, 0, err
	}
	if s.content != nil {
		s.kept = append(s.kept, s.content.Result()...)
	}
	return append(s.kept, '"'), s.judged, nil
}

// escapeScanner finds where the characters of a raw string begin.
type escapeScanner struct {
	left int     // bytes of the escape that are still to come
	hex  []byte  // of the \u escape that is being read
	text [4]byte // of hex
	high bool    // the last character is the first half of a surrogate pair
}

func (e *escapeScanner) open() bool { return e.left > 0 }

// between reports whether b begins a character.
func (e *escapeScanner) between(b byte) bool {
	return e.left == 0 && !e.high && (b < 0x80 || b >= 0xC0)
}

func (e *escapeScanner) next(b byte) {
	switch {
	case e.left == 0:
		e.high = e.high && b == '\\'
		if b == '\\' {
			e.left, e.hex = 1, nil
		}
	case e.hex == nil: // the letter of the escape
		e.left, e.high = 0, e.high && b == 'u'
		if b == 'u' {
			e.left, e.hex = 4, e.text[:0]
		}
	default:
		e.left--
		e.hex = append(e.hex, b)
		if e.left == 0 {
			e.high = !e.high && len(e.hex) == 4 && (e.hex[0] == 'd' || e.hex[0] == 'D') && bytes.IndexByte([]byte("89abAB"), e.hex[1]) >= 0
		}
	}
}
