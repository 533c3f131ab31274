package compose

import (
	"strconv"

	"countersign/internal/signing"
)

// fieldInputs maps the members of a field to its inputs.
var fieldInputs = map[string]string{
	"name": "label", "subtype": "kind", "page": "page", "left": "left", "top": "top", "width": "width", "height": "height",
	"extract": "recipient", "extractAnchor": "anchor", "extractAnchor/text": "anchor", "extractAnchor/index": "hit", "extractAnchor/leftOffset": "right", "extractAnchor/topOffset": "down",
	"validation/pattern": "pattern", "validation/minLength": "min_length", "validation/maxLength": "max_length",
	"validation/enum": "options", "validation/errorMessage": "message",
}

// extracted reports whether the field is placed by a form field of the file.
func (d Field) extracted() bool { return d.Found != "" && !d.Partial && d.Kind != customKind }

// draft returns the field for the payload; scale is the number of the platform's units
// in a point.
func (d Field) draft(scale float64) signing.Field {
	kind := kindOf(d.Kind)
	out := signing.Field{
		Name: d.name(), Type: kind.Type, Subtype: kind.Subtype, Binding: d.binding(), Validation: d.validation(kind),
	}
	units := func(points float64) float64 { return rounded(points * scale) }
	width, height := d.Size()
	switch page, left, top := d.coordinates(); {
	case d.extracted():
		out.Extract, out.Page = true, page
	case d.Anchor != "":
		right, down := d.offset()
		out.Anchor = &signing.Anchor{
			Text: d.Anchor, Index: d.index(), AnchorPoint: "TOPLEFT", LeftOffset: units(right), TopOffset: units(down), Width: units(width), Height: units(height),
		}
	default:
		out.Page, out.Left, out.Top, out.Width, out.Height = page, units(left), units(top), units(width), units(height)
	}
	return out
}

// draftOver is draft for a field that the platform has: what its list has and the form still
// shows stays as it is.
func (d Field) draftOver(at signing.Field, scale float64) signing.Field {
	out := d.draft(scale)
	if out.Subtype == "LIST" && at.Subtype == "LIST" && at.Validation != nil {
		out.Validation.Enum = options(at.Validation.Enum, d.Options)
	}
	return out
}

// validates reports whether entries of the kind can be validated.
func (k Kind) validates() bool { return k.Type == input && k.Name != labelKind }

// bounded reports whether entries of the kind are texts, with a pattern and a minimum and
// maximum length.
func (k Kind) bounded() bool { return k.Subtype == "TEXTFIELD" || k.Subtype == "TEXTAREA" }

func (d Field) validation(kind Kind) *signing.Validation {
	if !kind.validates() {
		return nil
	}
	v := &signing.Validation{Required: d.Required, ErrorMessage: d.Message}
	if kind.bounded() {
		v.Pattern, v.MinLength, v.MaxLength = d.pattern(), count(d.MinLength), count(d.MaxLength)
	}
	switch kind.Subtype {
	case "LIST":
		v.Enum = options(nil, d.Options)
	case radio:
		if v.Group = d.Group; d.Group != "" {
			v.Enum = []string{d.Group}
		}
	}
	return v
}

// count parses a whole number that was typed; nil if it is none.
func count(typed string) *int {
	n, err := strconv.Atoi(typed)
	if err != nil {
		return nil
	}
	return &n
}
