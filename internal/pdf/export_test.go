package pdf

import "encoding/binary"

// EmbeddedGlyph is the number of a character's glyph in the whole font.
var EmbeddedGlyph = embeddedGlyph

// Outline is that of a glyph in a TrueType font with long offsets.
func Outline(font []byte, glyph int) []byte {
	tables := tablesOf(font)
	offsets := tables["loca"][4*glyph:]
	return tables["glyf"][binary.BigEndian.Uint32(offsets):binary.BigEndian.Uint32(offsets[4:])]
}

// Occupy takes every place among the processes until release is called.
func (w *Workers) Occupy() (release func()) {
	for range cap(w.slots) {
		w.slots <- struct{}{}
	}
	return func() {
		for range cap(w.slots) {
			w.leave()
		}
	}
}
