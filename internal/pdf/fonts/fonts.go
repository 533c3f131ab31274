// Package fonts has fonts for documents that do not embed theirs.
package fonts

import (
	"cmp"
	"io/fs"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/font/sfnt"
)

// Set is the fonts that stand in. It is not safe for concurrent use.
type Set struct {
	own    []family // Liberation: sans, serif, mono
	folder []*font
	// learned are the fonts for names that documents have used, by face name.
	learned map[string]*font
}

// font is a font as it is, under no name yet.
type font struct {
	source
	order int // of preference, lowest first
	// covers is its table of characters, read at the first need.
	covers *sfnt.Font
	unread bool
}

// family is a font in the styles of styles.
type family [4]*font

// styles are the names of the styles of a family, as PDFium spells them.
var styles = [4]string{"Regular", "Bold", "Italic", "Bold Italic"}

// standard are the families that PDFium takes for the standard fonts of documents, by the
// index of Liberation's.
var standard = [3]string{"Arial", "Times New Roman", "Courier New"}

// maxLearned limits the names that are remembered; beyond it, all are forgotten.
const maxLearned = 256

// New returns a set of Liberation's fonts and of those in dir, if there is one: a folder
// with a few files .ttf, .otf and .ttc, of which it reads no more than their heads. Files
// that are no fonts are passed over.
func New(dir string) *Set {
	s := &Set{own: liberation(), learned: map[string]*font{}}
	if dir != "" {
		s.folder = inFolder(dir)
	}
	return s
}

// MissingFont is a font that a document names and does not hold.
type MissingFont struct {
	// Name is its name in the document, Face the name of the font that stood in for it.
	Name, Face   string
	Fixed, Serif bool
	// Text are the characters that it is to draw.
	Text []rune
}

// Learn has a font stand in under the name from now on, in the next FS: the one with most
// of the text. It returns false if nothing changes by that.
func (s *Set) Learn(w MissingFont) (changed bool) {
	best := s.best(w)
	if len(s.learned) > maxLearned {
		clear(s.learned)
	}
	for _, name := range names(w) {
		for i, style := range styles {
			if face := faceName(name, style); s.standsIn(face, i) != best[i] {
				s.learned[face], changed = best[i], true
			}
		}
	}
	return changed
}

// standsIn returns the font that stands in under a name, in the style of that index.
func (s *Set) standsIn(face string, style int) *font {
	if at := slices.Index(standard[:], baseOf(face)); at >= 0 && s.learned[face] == nil {
		return s.own[at][style]
	}
	return s.learned[face]
}

// best returns the font with most of the text, Liberation's of the wanted kind first.
func (s *Set) best(w MissingFont) family {
	kind := 0
	switch {
	case w.Fixed:
		kind = 2
	case w.Serif:
		kind = 1
	}
	best := s.own[kind]
	most := best[0].has(w.Text)
	for _, f := range s.folder {
		if n := f.has(w.Text); n > most {
			best, most = family{f, f, f, f}, n
		}
	}
	return best
}

// Lacks returns the number of a text's characters that no font of the set has.
func (s *Set) Lacks(text string) (n int) {
	for _, r := range text {
		one := []rune{r}
		has := func(f *font) bool { return f.has(one) > 0 }
		if IsShown(r) && !has(s.own[0][0]) && !slices.ContainsFunc(s.folder, has) {
			n++
		}
	}
	return n
}

// IsShown reports whether a character has a distinct shape.
func IsShown(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != unicode.ReplacementChar && !unicode.Is(unicode.Variation_Selector, r)
}

// names returns the families by which PDFium looks for a font.
func names(w MissingFont) (all []string) {
	if slices.Contains(standard[:], baseOf(w.Face)) {
		return []string{baseOf(w.Face)}
	}
	name := strings.ReplaceAll(w.Name, " ", "")
	if prefix, rest, ok := strings.Cut(name, "+"); ok && len(prefix) == 6 && strings.ToUpper(prefix) == prefix {
		name = rest
	}
	add := func(one string) {
		if one != "" && !slices.Contains(all, one) {
			all = append(all, one)
		}
	}
	add(name)
	for _, mark := range []string{",", "-"} {
		if at := strings.LastIndex(name, mark); at > 0 {
			add(name[:at])
		}
	}
	for _, style := range []string{"Regular", "Reg", "BoldItalic", "Italic", "Bold"} {
		add(strings.TrimSuffix(name, style))
	}
	return all
}

// baseOf returns the family of a face.
func baseOf(face string) string {
	for _, style := range []string{" Bold Italic", " Italic", " Bold"} {
		if family, ok := strings.CutSuffix(face, style); ok {
			return family
		}
	}
	return face
}

func faceName(family, style string) string {
	if style == styles[0] {
		return family
	}
	return family + " " + style
}

// FS returns the fonts as files in the folder where PDFium looks for fonts: the standard
// ones, the folder's own names, and what was learned.
func (s *Set) FS() fs.FS {
	files := folder{}
	for i, family := range standard {
		for j, style := range styles {
			if face := faceName(family, style); s.learned[face] == nil {
				files.add(s.own[i][j].named(family, style))
			}
		}
	}
	for _, f := range s.folder {
		files.add(f.source)
	}
	for face, f := range s.learned {
		family := baseOf(face)
		files.add(f.named(family, cmp.Or(strings.TrimPrefix(face[len(family):], " "), styles[0])))
	}
	return files
}

// has returns the number of the characters for which the font has a glyph.
func (f *font) has(text []rune) (n int) {
	if f.covers == nil && !f.unread {
		var err error
		f.covers, err = f.characters()
		f.unread = err != nil
	}
	if f.covers == nil {
		return 0
	}
	var buffer sfnt.Buffer
	for _, r := range text {
		if glyph, err := f.covers.GlyphIndex(&buffer, r); err == nil && glyph != 0 {
			n++
		}
	}
	return n
}
