package pdf

import (
	"math"

	ledongthuc "github.com/ledongthuc/pdf"
)

// Limits of the text of a page.
const (
	maxGlyphs = 500_000
	maxForms  = 12 // forms within forms
	maxSaved  = 1000
)

// matrix is the first two columns of a transformation, row by row.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// times is m, and then n.
func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// textState is what decides where the next glyph stands.
type textState struct {
	page, text, line matrix
	font             *textFont
	size, scale      float64
	charSpace        float64
	wordSpace        float64
	leading, rise    float64
}

// textReader collects the glyphs of a page, one page after the other.
type textReader struct {
	state textState
	saved []textState
	fonts map[string]*textFont // of the resources at hand, by name
	// allFonts are those of the file, by what they are made of.
	allFonts map[string]*textFont
	depth    int
	glyphs   []glyph
	text     pageText // of the page
}

// glyphsOf are the glyphs of a page, given its contents and its resources, as far
// as it can be read.
func (t *textReader) glyphsOf(page ledongthuc.Value) (glyphs []glyph) {
	t.state, t.saved, t.depth, t.glyphs = textState{page: identity, scale: 1}, t.saved[:0], 0, t.glyphs[:0]
	defer func() {
		_ = recover() // The library panics on what it cannot read.
		glyphs = t.glyphs
	}()
	t.run(page.Index(0), page.Index(1))
	return t.glyphs
}

// run interprets content with its resources.
func (t *textReader) run(content, resources ledongthuc.Value) {
	before, saved := t.fonts, len(t.saved)
	t.fonts = map[string]*textFont{}
	scanContent(contentOf(content), func(operator string, args []operand) {
		if len(t.glyphs) < maxGlyphs {
			t.operate(operator, args, resources)
		}
	})
	t.fonts, t.saved = before, t.saved[:min(saved, len(t.saved))]
}

// arities are how many operands the operators need.
var arities = map[string]int{
	"cm": 6, "Tm": 6, "Td": 2, "TD": 2, "Tf": 2, "TL": 1, "Tc": 1, "Tw": 1, "Tz": 1, "Ts": 1, "Tj": 1, "TJ": 1, "'": 1, "\"": 3, "Do": 1,
}

func (t *textReader) operate(operator string, args []operand, resources ledongthuc.Value) {
	if len(args) < arities[operator] {
		return
	}
	args = args[len(args)-arities[operator]:]
	s := &t.state
	switch operator {
	case "q":
		if len(t.saved) < maxSaved {
			t.saved = append(t.saved, *s)
		}
	case "Q":
		if n := len(t.saved); n > 0 {
			*s, t.saved = t.saved[n-1], t.saved[:n-1]
		}
	case "cm":
		s.page = matrixOf(args).times(s.page)
	case "BT":
		s.text, s.line = identity, identity
	case "Tf":
		s.font, s.size = t.font(resources, args[0].text), args[1].number
	case "Do":
		t.form(resources.Key("XObject").Key(args[0].text), resources)
	default:
		s.set(operator, args)
		t.showing(operator, args)
	}
}

// set changes where text stands.
func (s *textState) set(operator string, args []operand) {
	switch operator {
	case "Tm":
		s.line = matrixOf(args)
		s.text = s.line
	case "TD":
		s.leading = -args[1].number
		s.move(args[0].number, args[1].number)
	case "Td":
		s.move(args[0].number, args[1].number)
	case "T*", "'":
		s.move(0, -s.leading)
	case "\"":
		s.wordSpace, s.charSpace = args[0].number, args[1].number
		s.move(0, -s.leading)
	case "TL":
		s.leading = args[0].number
	case "Tc":
		s.charSpace = args[0].number
	case "Tw":
		s.wordSpace = args[0].number
	case "Tz":
		s.scale = args[0].number / 100
	case "Ts":
		s.rise = args[0].number
	}
}

func (s *textState) move(x, y float64) {
	s.line = matrix{1, 0, 0, 1, x, y}.times(s.line)
	s.text = s.line
}

// showing shows the text of an operator.
func (t *textReader) showing(operator string, args []operand) {
	switch operator {
	case "Tj", "'", "\"":
		t.show(args[len(args)-1].text)
	case "TJ":
		for _, part := range args[0].list {
			if part.kind == stringOperand {
				t.show(part.text)
			} else {
				t.state.advance(-part.number / 1000 * t.state.size)
			}
		}
	}
}

func (s *textState) advance(x float64) { s.text = matrix{1, 0, 0, 1, x * s.scale, 0}.times(s.text) }

// show shows a string in the font that is set.
func (t *textReader) show(codes string) {
	s := &t.state
	if s.font == nil {
		return
	}
	for _, c := range s.font.characters(codes) {
		width := c.width / 1000 * s.size
		to := s.text.times(s.page)
		x0, y0 := to.apply(0, s.rise+s.font.descent*s.size)
		x1, y1 := to.apply(width*s.scale, s.rise+s.font.ascent*s.size)
		box := [4]float64{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
		size := math.Abs(s.size) * math.Hypot(to[2], to[3])
		beginX, beginY := to.apply(0, 0)
		endX, endY := to.apply(width*s.scale, 0)
		for i, char := range c.runes {
			g := glyph{char: char, box: box, size: size, begin: [2]float64{beginX, beginY}, end: [2]float64{endX, endY}}
			if i > 0 { // A ligature stands in one place.
				g.begin = g.end
			}
			t.glyphs = append(t.glyphs, g)
		}
		step := width + s.charSpace
		if c.isSpace {
			step += s.wordSpace
		}
		s.advance(step)
	}
}

// form shows a form, such as a letterhead that is drawn on several pages.
func (t *textReader) form(form, resources ledongthuc.Value) {
	if form.Key("Subtype").Name() != "Form" || t.depth >= maxForms {
		return
	}
	if own := form.Key("Resources"); !own.IsNull() {
		resources = own
	}
	before := t.state
	t.depth++
	if m := form.Key("Matrix"); m.Len() == len(identity) {
		var to matrix
		for i := range to {
			to[i] = m.Index(i).Float64()
		}
		t.state.page = to.times(t.state.page)
	}
	t.run(form, resources)
	t.depth--
	t.state = before
}

func matrixOf(args []operand) (m matrix) {
	for i := range m {
		m[i] = args[i].number
	}
	return m
}
