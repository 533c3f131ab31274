package pdf

import (
	"slices"
	"unicode/utf16"

	ledongthuc "github.com/ledongthuc/pdf"
)

// toUnicodeMap is what a font says that its codes mean (ISO 32000-2, 9.10.3).
type toUnicodeMap struct {
	single map[int][]rune
	ranges []meaningRange
}

// meaningRange gives codes in a row meanings in a row.
type meaningRange struct {
	first, last int
	meaning     []rune
}

func readToUnicode(stream ledongthuc.Value) *toUnicodeMap {
	if stream.Kind() != ledongthuc.Stream {
		return nil
	}
	m := &toUnicodeMap{single: map[int][]rune{}}
	scanContent(streamContent(stream), func(operator string, args []operand) {
		switch operator {
		case "endbfchar":
			for ; len(args) >= 2; args = args[2:] {
				m.single[codeOf(args[0].text)] = utf16Text(args[1].text)
			}
		case "endbfrange":
			for ; len(args) >= 3; args = args[3:] {
				m.addRange(codeOf(args[0].text), codeOf(args[1].text), args[2])
			}
		}
	})
	return m
}

func (m *toUnicodeMap) addRange(first, last int, meaning operand) {
	if meaning.kind != arrayOperand {
		m.ranges = append(m.ranges, meaningRange{first, last, utf16Text(meaning.text)})
		return
	}
	for i, one := range meaning.list {
		if first+i <= last {
			m.single[first+i] = utf16Text(one.text)
		}
	}
}

// find is the meaning of a code, false where there is none.
func (m *toUnicodeMap) find(code int) ([]rune, bool) {
	if m == nil {
		return nil, false
	}
	if meaning, ok := m.single[code]; ok {
		return meaning, true
	}
	for _, r := range m.ranges {
		if n := len(r.meaning); r.first <= code && code <= r.last && n > 0 {
			meaning := slices.Clone(r.meaning)
			meaning[n-1] += rune(code - r.first)
			return meaning, true
		}
	}
	return nil, false
}

// codeOf is a code of several bytes.
func codeOf(text string) (code int) {
	for i := range len(text) {
		code = code<<8 | int(text[i])
	}
	return code
}

// utf16Text is a text in UTF-16, the high byte first.
func utf16Text(text string) []rune {
	units := make([]uint16, len(text)/2)
	for i := range units {
		units[i] = uint16(text[2*i])<<8 | uint16(text[2*i+1])
	}
	if len(text) == 1 { // Some programs write one byte for what is below 256.
		units = []uint16{uint16(text[0])}
	}
	return utf16.Decode(units)
}
