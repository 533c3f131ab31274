package payload

import "encoding/base64"

// Base64 decodes a string in base64 piece by piece, ignoring line breaks.
type Base64 struct {
	rest    []byte // of the last quantum
	decoded []byte // of a piece
	padded  bool   // the end of the base64 was read
	broken  bool
}

// Decode returns what more of the text stands for, until the next call.
func (b *Base64) Decode(text []byte) []byte {
	for _, c := range text {
		if c != '\r' && c != '\n' {
			b.rest = append(b.rest, c)
		}
	}
	whole := b.rest[:len(b.rest)/4*4]
	b.decoded = b.decoded[:0]
	if len(whole) > 0 && !b.broken {
		var err error
		b.decoded, err = base64.StdEncoding.AppendDecode(b.decoded, whole)
		b.broken = b.padded || err != nil
		b.padded = whole[len(whole)-1] == '='
	}
	b.rest = append(b.rest[:0], b.rest[len(whole):]...)
	return b.decoded
}

// Valid reports whether the text, now complete, is base64.
func (b *Base64) Valid() bool { return !b.broken && len(b.rest) == 0 }
