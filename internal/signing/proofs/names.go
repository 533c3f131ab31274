package proofs

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Name is the first and the last name of a person.
type Name struct{ First, Last string }

// Known reports whether both names are there.
func (n Name) Known() bool {
	return strings.TrimSpace(n.First) != "" && strings.TrimSpace(n.Last) != ""
}

// Names reports whether a document that says n names the signer: the last names are equal,
// and the signer's first names are among the document's, in their order. Names are equal in
// one of their spellings: as they are written, without marks, in lower case, with spaces and
// hyphens as one; or as passports transcribe them (ICAO Doc 9303, part 3, section 6).
func (n Name) Names(signer Name) bool {
	return equalNames(signer.Last, n.Last, func(signer, document []string) bool { return slices.Equal(signer, document) }) &&
		equalNames(signer.First, n.First, within)
}

// within reports whether the words are among the words of all, in their order.
func within(words, all []string) bool {
	for _, word := range all {
		if len(words) > 0 && words[0] == word {
			words = words[1:]
		}
	}
	return len(words) == 0
}

// equalNames reports whether equal holds for some spellings of two names.
func equalNames(signer, document string, equal func(signer, document []string) bool) bool {
	documents := spellings(document)
	for _, a := range spellings(signer) {
		for _, b := range documents {
			if len(a) > 0 && len(b) > 0 && equal(a, b) {
				return true
			}
		}
	}
	return false
}

// spellings returns the words of a name in each of its spellings.
func spellings(name string) (all [][]string) {
	name = norm.NFC.String(name)
	all = append(all, words(name))
	for _, way := range transcriptions {
		all = append(all, words(way.write(name)))
	}
	return all
}

// words returns the words of a name without marks, folded.
func words(name string) []string {
	var out strings.Builder
	for _, r := range norm.NFKD.String(cases.Fold().String(name)) {
		switch {
		case unicode.Is(unicode.M, r), unicode.Is(unicode.Cf, r):
		case isHyphen(r):
			out.WriteByte(' ')
		default:
			out.WriteRune(r)
		}
	}
	return strings.Fields(cases.Fold().String(out.String()))
}

// write returns a name as a passport's machine-readable zone has it. Apostrophes, full stops
// and commas are left out there, and a letter with a shadda is repeated.
func (t transcription) write(name string) string {
	const shadda = '\u0651'
	var out strings.Builder
	last, first := "", true
	for _, r := range strings.ToUpper(name) {
		switch {
		case strings.ContainsRune(apostrophes+".,", r):
		case r == shadda:
			out.WriteString(last)
		case unicode.Is(unicode.Mn, r): // stands between a letter and its shadda
			out.WriteRune(r)
		default:
			last = t.letter(r, first)
			out.WriteString(last)
			first = unicode.IsSpace(r) || isHyphen(r)
		}
	}
	return out.String()
}

// isHyphen reports whether r joins two names: a dash of any length, the minus sign that is typed
// for one, or the dot between foreign names in Japanese.
func isHyphen(r rune) bool { return unicode.Is(unicode.Pd, r) || r == '−' || r == '・' }

// apostrophes are the ways to type one, and the letters that look like one: an acute accent
// that is a letter, the Hawaiian ʻokina, the hamza and the ʿayn of Arabic names in Latin letters.
const apostrophes = "'’‘‛＇`´′ʹʻʼʽʾʿ"

// letter returns what is written for a letter, which may be the first of its word.
func (t transcription) letter(r rune, first bool) string {
	if text, ok := t.first[r]; ok && first {
		return text
	}
	for _, table := range t.tables {
		if text, ok := table[r]; ok {
			return text
		}
	}
	return string(r)
}
