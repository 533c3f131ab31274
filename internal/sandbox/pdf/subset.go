package pdf

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// neededTables are the tables of a TrueType font that a PDF needs (ISO 32000-2, 9.9),
// sorted by name.
var neededTables = []string{"cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"}

// subset returns a TrueType font with only these glyphs. The others keep their numbers
// and are empty, so that no other table changes. The font has long offsets.
func subset(font []byte, glyphs map[int]bool) []byte {
	tables := tablesOf(font)
	outlines, offsets := tables["glyf"], offsetsOf(tables)
	outline := func(glyph int) []byte { return outlines[offsets[glyph]:offsets[glyph+1]] }
	wanted := map[int]bool{0: true}
	for glyph := range glyphs {
		addWithParts(wanted, glyph, outline)
	}
	var kept, places bytes.Buffer
	for glyph := range len(offsets) - 1 {
		places.Write(binary.BigEndian.AppendUint32(nil, uint32(kept.Len())))
		if wanted[glyph] {
			kept.Write(outline(glyph))
		}
	}
	places.Write(binary.BigEndian.AppendUint32(nil, uint32(kept.Len())))
	tables["glyf"], tables["loca"] = kept.Bytes(), places.Bytes()
	tables["head"] = slices.Clone(tables["head"])
	binary.BigEndian.PutUint16(tables["head"][locaFormat:], 1)
	return fontOf(tables)
}

// locaFormat is the offset in the table head of the flag for long (1) or short (0)
// offsets.
const locaFormat = 50

// offsetsOf returns the beginning of each glyph's outline, and the end of the last one.
func offsetsOf(tables map[string][]byte) (offsets []uint32) {
	loca := tables["loca"]
	if binary.BigEndian.Uint16(tables["head"][locaFormat:]) == 1 {
		for ; len(loca) >= 4; loca = loca[4:] {
			offsets = append(offsets, binary.BigEndian.Uint32(loca))
		}
		return offsets
	}
	for ; len(loca) >= 2; loca = loca[2:] {
		offsets = append(offsets, 2*uint32(binary.BigEndian.Uint16(loca)))
	}
	return offsets
}

// addWithParts adds a glyph and its component glyphs.
func addWithParts(wanted map[int]bool, glyph int, outline func(int) []byte) {
	const (
		wordArguments, scale, moreParts, scales, matrix = 1 << 0, 1 << 3, 1 << 5, 1 << 6, 1 << 7
		head                                            = 10
	)
	wanted[glyph] = true
	data := outline(glyph)
	if len(data) < head || int16(binary.BigEndian.Uint16(data)) >= 0 {
		return
	}
	for data = data[head:]; len(data) >= 4; {
		flags, part := binary.BigEndian.Uint16(data), int(binary.BigEndian.Uint16(data[2:]))
		addWithParts(wanted, part, outline)
		size := 6
		for flag, more := range map[uint16]int{wordArguments: 2, scale: 2, scales: 4, matrix: 8} {
			if flags&flag != 0 {
				size += more
			}
		}
		if flags&moreParts == 0 || size > len(data) {
			return
		}
		data = data[size:]
	}
}

// tablesOf returns the tables of a font by name.
func tablesOf(font []byte) map[string][]byte {
	const head, entry = 12, 16
	tables := map[string][]byte{}
	for i := range int(binary.BigEndian.Uint16(font[4:])) {
		one := font[head+entry*i:]
		offset, length := binary.BigEndian.Uint32(one[8:]), binary.BigEndian.Uint32(one[12:])
		tables[string(one[:4])] = font[offset : offset+length]
	}
	return tables
}

// fontOf returns a font of the needed tables.
func fontOf(tables map[string][]byte) []byte {
	const head, entry = 12, 16
	count := len(neededTables)
	file := []byte{0, 1, 0, 0, 0, byte(count), 0, 128, 0, 3, 0, byte(16*count - 128)}
	var content []byte
	for _, name := range neededTables {
		table := tables[name]
		file = append(file, name...)
		file = binary.BigEndian.AppendUint32(file, checksum(table))
		file = binary.BigEndian.AppendUint32(file, uint32(head+entry*count+len(content)))
		file = binary.BigEndian.AppendUint32(file, uint32(len(table)))
		content = append(content, table...)
		content = append(content, make([]byte, -len(table)&3)...)
	}
	return append(file, content...)
}

// checksum returns the sum of a table's words.
func checksum(table []byte) (sum uint32) {
	padded := slices.Concat(table, make([]byte, -len(table)&3))
	for ; len(padded) > 0; padded = padded[4:] {
		sum += binary.BigEndian.Uint32(padded)
	}
	return sum
}
