package compose

import (
	"slices"
	"strconv"

	"countersign/internal/fault"
)

// formInput is an input: its name after the key of its part, and what was typed.
type formInput struct{ name, typed string }

// invalidInputs returns violations for inputs, of fields with a recipient, that cannot be put
// into a payload: invalid numbers, pages that do not exist, and ambiguous labels.
func (f *Form) invalidInputs() (fields []fault.Field) {
	for _, d := range f.Fields {
		if f.recipientAt(d.Recipient) < 0 || f.placedAsBefore(d) {
			continue
		}
		note := func(name, detail string) {
			fields = append(fields, fault.Field{Pointer: d.Key + "." + name, Detail: detail})
		}
		for _, in := range d.measures() {
			n, ok := parseNumber(in.typed)
			switch {
			case in.typed == "":
			case !ok:
				note(in.name, "field.number")
			case n <= 0 && (in.name == "width" || in.name == "height"):
				note(in.name, "field.positive")
			}
		}
		if kindOf(d.Kind).bounded() {
			for _, in := range []formInput{{"min_length", d.MinLength}, {"max_length", d.MaxLength}} {
				if in.typed != "" && count(in.typed) == nil {
					note(in.name, "field.whole-number")
				}
			}
		}
		switch i := f.documentAt(d.Document); {
		case i < 0 || d.Found != "" && !d.Partial:
		case d.Anchor == "" && !f.Documents[i].has(d.Page):
			note("page", "field.page")
		default:
			for _, name := range d.offPage(f.Documents[i]) {
				note(name, "field.off-page")
			}
		}
	}
	return append(fields, f.ambiguous()...)
}

// placedAsBefore reports whether the numbers of the field were not touched since a program set
// them.
func (f *Form) placedAsBefore(d Field) bool {
	was, _, _, ok := f.before(d)
	width, height := d.SizeTyped()
	wasWidth, wasHeight := was.SizeTyped()
	numbers := func(d Field, more ...string) []string {
		return append(more, d.Page, d.Left, d.Top, d.Anchor, d.Right, d.Down, d.MinLength, d.MaxLength)
	}
	return d.Fixed != "" || ok && slices.Equal(numbers(d, width, height), numbers(was, wasWidth, wasHeight))
}

// offPage returns the inputs by which a field ends beside its page of the document.
func (d Field) offPage(document Document) (inputs []string) {
	page, left, top, ok := d.Position()
	if !ok || page >= len(document.Pages) {
		return nil
	}
	size := document.Pages[page]
	width, height := d.Size()
	across, down := "left", "top"
	if d.Anchor != "" {
		across, down = "right", "down"
	}
	const slack = 0.01 // what is typed is rounded
	for _, one := range []struct {
		at, length, most float64
		moves, stretches string
	}{{left, width, size.Width, across, "width"}, {top, height, size.Height, down, "height"}} {
		switch {
		case one.length > one.most+slack:
			inputs = append(inputs, one.stretches)
		case one.at < -slack || one.at+one.length > one.most+slack:
			inputs = append(inputs, one.moves)
		}
	}
	return inputs
}

// measures returns the inputs of the numbers that place the field, either by an anchor or
// by coordinates.
func (d Field) measures() []formInput {
	size := []formInput{{"width", d.Width}, {"height", d.Height}}
	if d.Anchor != "" {
		return append(size, formInput{"right", d.Right}, formInput{"down", d.Down})
	}
	return append(size, formInput{"left", d.Left}, formInput{"top", d.Top})
}

// has reports whether the document has the page that was typed.
func (d Document) has(page string) bool {
	n, err := strconv.Atoi(page)
	return err == nil && n >= 1 && (len(d.Pages) == 0 || n <= len(d.Pages))
}
