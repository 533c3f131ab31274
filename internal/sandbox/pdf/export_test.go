package pdf

// EmbeddedGlyph returns the number of a character's glyph in the whole font.
var EmbeddedGlyph = embeddedGlyph

// Outline returns the outline of a glyph in a TrueType font.
func Outline(font []byte, glyph int) []byte {
	tables := tablesOf(font)
	offsets := offsetsOf(tables)
	return tables["glyf"][offsets[glyph]:offsets[glyph+1]]
}
