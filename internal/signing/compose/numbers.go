package compose

import (
	"strconv"

	"countersign/internal/fault"
)

// formInput is an input: its name behind the key of its part, and what was typed.
type formInput struct{ name, typed string }

// unread are the inputs of fields that are somebody's whose text cannot be put into a
// payload: numbers that are none, pages and custom fields that there are not.
func (f *Form) unread() (fields []fault.Field) {
	for _, d := range f.Fields {
		if f.recipientAt(d.Recipient) < 0 {
			continue
		}
		note := func(name, detail string) {
			fields = append(fields, fault.Field{Pointer: d.Key + "." + name, Detail: detail})
		}
		for _, in := range d.measures() {
			n, ok := parse(in.typed)
			switch {
			case in.typed == "":
			case !ok:
				note(in.name, "field.number")
			case n <= 0 && (in.name == "width" || in.name == "height"):
				note(in.name, "field.positive")
			}
		}
		if KindOf(d.Kind).Bounded() {
			for _, in := range []formInput{{"min_length", d.MinLength}, {"max_length", d.MaxLength}} {
				if in.typed != "" && count(in.typed) == nil {
					note(in.name, "field.whole-number")
				}
			}
		}
		if i := f.documentAt(d.Document); d.Anchor == "" && i >= 0 && !f.Documents[i].has(d.Page) {
			note("page", "field.page")
		}
	}
	return append(fields, f.ambiguous()...)
}

// measures are the inputs of the numbers that place the field, in the way in which it is
// placed.
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
