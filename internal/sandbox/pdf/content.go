package pdf

import (
	"bytes"
	"strconv"
)

// operand is an operand of a content stream: a number, a name without its slash, a
// string, or an array of numbers and strings.
type operand struct {
	kind   operandKind
	number float64
	text   string
	list   []operand
}

type operandKind int

const (
	numberOperand operandKind = iota
	nameOperand
	stringOperand
	arrayOperand
)

// maxOperands limits the operands; a stream with more is not content.
const maxOperands = 100_000

// contentScanner scans content streams, and the CMaps of fonts, which have the same
// syntax. It never fails, and skips what it does not understand.
type contentScanner struct {
	data  []byte
	at    int
	args  []operand
	array []operand
	open  bool // within an array
	depth int  // of dictionaries, whose members are skipped
}

// scanContent calls operate for each operator, with its operands.
func scanContent(data []byte, operate func(operator string, args []operand)) {
	s := &contentScanner{data: data}
	for s.skipSpace() {
		c := s.data[s.at]
		switch {
		case c == '(':
			s.add(operand{kind: stringOperand, text: s.literal()})
		case c == '<' || c == '>':
			s.angle()
		case c == '[' || c == ']':
			s.bracket(c)
		case c == '/':
			s.at++
			s.add(operand{kind: nameOperand, text: s.name()})
		case isDelimiter(c):
			s.at++
		default:
			s.word(operate)
		}
	}
}

func (s *contentScanner) add(one operand) {
	switch {
	case s.depth > 0:
	case s.open && len(s.array) < maxOperands:
		s.array = append(s.array, one)
	case len(s.args) < maxOperands:
		s.args = append(s.args, one)
	}
}

// word scans a number or an operator.
func (s *contentScanner) word(operate func(string, []operand)) {
	word := s.regular()
	if n, ok := parseNumber(word); ok {
		s.add(operand{number: n})
		return
	}
	if s.depth > 0 {
		return
	}
	if string(word) == "BI" {
		s.skipImage()
	} else {
		operate(string(word), s.args)
	}
	s.args, s.array, s.open = s.args[:0], nil, false
}

func (s *contentScanner) bracket(c byte) {
	s.at++
	if c == '[' {
		s.open, s.array = true, nil
	} else if s.open {
		s.open = false
		s.add(operand{kind: arrayOperand, list: s.array})
		s.array = nil
	}
}

// angle scans the begin or end of a dictionary, or a string of hexadecimal digits.
func (s *contentScanner) angle() {
	double := s.at+1 < len(s.data) && s.data[s.at+1] == s.data[s.at]
	switch {
	case double && s.data[s.at] == '<':
		s.depth++
		s.at += 2
	case double:
		s.depth = max(0, s.depth-1)
		s.at += 2
	case s.data[s.at] == '<':
		s.at++
		s.add(operand{kind: stringOperand, text: s.hexadecimal()})
	default:
		s.at++
	}
}

// skipImage skips an inline image.
func (s *contentScanner) skipImage() {
	begin := bytes.Index(s.data[s.at:], []byte("ID"))
	if begin < 0 {
		return
	}
	s.at += begin + len("ID")
	for {
		end := bytes.Index(s.data[s.at:], []byte("EI"))
		if end < 0 {
			s.at = len(s.data)
			return
		}
		s.at += end + len("EI")
		if isSpace(s.data[s.at-len(" EI")]) && s.textFollows() {
			return
		}
	}
}

// textFollows reports whether content follows, rather than an image's data.
func (s *contentScanner) textFollows() bool {
	const ahead = 12
	for i, c := range s.data[s.at:min(s.at+ahead, len(s.data))] {
		if i == 0 && !isSpace(c) || c > '~' || c < ' ' && !isSpace(c) {
			return false
		}
	}
	return true
}

func parseNumber(word []byte) (float64, bool) {
	if len(word) == 0 || word[0] > '9' {
		return 0, false
	}
	n, err := strconv.ParseFloat(string(word), 64)
	if err != nil { // some programs write 1.-5 or --5
		n, err = strconv.ParseFloat(string(bytes.TrimLeft(word, "-")), 64)
	}
	return n, err == nil
}
