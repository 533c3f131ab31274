package platform

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// quick reads strict JSON as programs write it, in a fraction of the time of a decoder
// that takes any: it compares the names of an object one by one, and passes strings over
// in their place. It never says that a text is wrong, only that it does not know: then a
// decoder judges the text. What it does not know are names with escapes, surrogates,
// objects of very many members, and deep nesting.
type quick struct {
	text  []byte
	at    int    // where it reads
	depth int    // of the open objects and arrays
	names []span // of the members that the open objects have so far, without the quotes
	// nameAt is the offset of the name of the last member.
	nameAt  int
	escaped bool // the string that was read last has an escape
}

// span is a part of a text.
type span struct{ from, to int }

const (
	quickDepth   = 64
	quickMembers = 64 // of an object
)

// read reads the whole text by value, and reports whether it is strict JSON; false if it
// does not know. Nothing that value noted counts then.
func (q *quick) read(text []byte, value func() bool) bool {
	*q = quick{text: text, names: q.names[:0]}
	if !utf8.Valid(text) || !value() {
		return false
	}
	q.space()
	return q.at == len(text)
}

// space passes white space over and returns the byte behind it; 0 at the end.
func (q *quick) space() byte {
	if q.at < len(q.text) && q.text[q.at] > ' ' { // as most programs write it
		return q.text[q.at]
	}
	for ; q.at < len(q.text); q.at++ {
		switch c := q.text[q.at]; c {
		case ' ', '\n', '\r', '\t':
		default:
			return c
		}
	}
	return 0
}

// value reads the next value.
func (q *quick) value() bool {
	switch c := q.space(); c {
	case '"':
		return q.str()
	case '{':
		return q.object(nil)
	case '[':
		return q.array(nil)
	case 't':
		return q.literal("true")
	case 'f':
		return q.literal("false")
	case 'n':
		return q.literal("null")
	}
	return q.number()
}

// object reads an object, of each member the name, and then the value by member; nil
// passes the values over.
func (q *quick) object(member func(name []byte) bool) bool {
	if !q.opens('{') {
		return false
	}
	own := named{first: len(q.names)}
	for more := q.space() != '}'; more; more = q.comma() {
		q.space()
		q.nameAt = q.at
		if !q.str() || !q.isNew(&own) || q.space() != ':' {
			return false
		}
		q.at++
		if member == nil {
			if !q.value() {
				return false
			}
			continue
		}
		name := q.names[len(q.names)-1]
		if !member(q.text[name.from:name.to]) {
			return false
		}
	}
	q.names = q.names[:own.first]
	return q.ends('}')
}

// named are the names of an open object.
type named struct {
	first int    // of quick.names
	seen  uint64 // has the bit of each of them
}

// isNew notes the name that was just read, and reports whether it has no escape and is
// the first of its kind in its object.
func (q *quick) isNew(own *named) bool {
	name := span{q.nameAt + 1, q.at - 1}
	text := q.text[name.from:name.to]
	bit := bitOf(text)
	if own.seen&bit != 0 {
		for _, other := range q.names[own.first:] {
			if string(q.text[other.from:other.to]) == string(text) {
				return false
			}
		}
	}
	own.seen |= bit
	q.names = append(q.names, name)
	return len(q.names)-own.first <= quickMembers && !q.escaped
}

// bitOf returns one of 64 bits, which most other names do not have.
func bitOf(name []byte) uint64 {
	n := len(name)
	if n == 0 {
		return 1
	}
	return 1 << ((n*7 + int(name[0]) + int(name[n-1])*5 + int(name[n/2])*3) & 63)
}

// array reads an array, of each element the value by element; nil passes them over.
func (q *quick) array(element func() bool) bool {
	if !q.opens('[') {
		return false
	}
	for more := q.space() != ']'; more; more = q.comma() {
		var ok bool
		if element != nil {
			ok = element()
		} else {
			ok = q.value()
		}
		if !ok {
			return false
		}
	}
	return q.ends(']')
}

// opens reads the beginning of an object or array.
func (q *quick) opens(c byte) bool {
	if q.space() != c || q.depth == quickDepth {
		return false
	}
	q.at++
	q.depth++
	return true
}

// comma passes a comma over, if there is one.
func (q *quick) comma() bool {
	if q.space() != ',' {
		return false
	}
	q.at++
	return true
}

// ends reads the end of an object or array.
func (q *quick) ends(c byte) bool {
	if q.space() != c {
		return false
	}
	q.at++
	q.depth--
	return true
}

// str reads a string.
func (q *quick) str() bool {
	if q.at >= len(q.text) || q.text[q.at] != '"' {
		return false
	}
	text, i := q.text, q.at+1
	for q.escaped = false; ; q.escaped = true {
		i = afterPlain(text, i)
		if i >= len(text) {
			return false
		}
		if text[i] == '"' {
			q.at = i + 1
			return true
		}
		n := escapeLength(text[i:])
		if n == 0 {
			return false
		}
		i += n
	}
}

// afterPlain returns where the first byte is, from i on, that does not stand for itself in
// a string.
func afterPlain(text []byte, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(text); i += 8 { // eight bytes at once; the lowest bit set is of the first one found
		w := binary.LittleEndian.Uint64(text[i:])
		quote, escape := w^ones*'"', w^ones*'\\'
		found := ((quote-ones)&^quote | (escape-ones)&^escape | (w-ones*' ')&^w) & highs
		if found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\'; i++ {
	}
	return i
}

// escapeLength returns the length of the escape that text begins with; 0 for none that is
// known here.
func escapeLength(text []byte) int {
	switch {
	case len(text) < 2 || text[0] != '\\':
		return 0
	case text[1] != 'u':
		if bytes.IndexByte([]byte(`"\/bfnrt`), text[1]) < 0 {
			return 0
		}
		return 2
	case len(text) < 6 || text[2] == 'd' || text[2] == 'D': // which surrogates begin with
		return 0
	}
	for _, c := range text[2:6] {
		if !isDigit(c) && (c|' ' < 'a' || c|' ' > 'f') {
			return 0
		}
	}
	return 6
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (q *quick) literal(word string) bool {
	ok := bytes.HasPrefix(q.text[q.at:], []byte(word))
	q.at += len(word)
	return ok
}

// number reads a number.
func (q *quick) number() bool {
	q.accept('-', '-')
	if !q.accept('0', '0') && !q.digits() || q.accept('.', '.') && !q.digits() {
		return false
	}
	if q.accept('e', 'E') {
		_ = q.accept('+', '-')
		return q.digits()
	}
	return true
}

// accept passes the next byte over if it is one of these.
func (q *quick) accept(a, b byte) bool {
	if q.at < len(q.text) && (q.text[q.at] == a || q.text[q.at] == b) {
		q.at++
		return true
	}
	return false
}

// digits passes digits over, of which there is one at least.
func (q *quick) digits() bool {
	begin := q.at
	for q.at < len(q.text) && isDigit(q.text[q.at]) {
		q.at++
	}
	return q.at > begin
}
