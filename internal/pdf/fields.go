package pdf

import (
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// fieldNode is a form field as far as its place in the tree tells.
type fieldNode struct {
	name, partial string
	kind          string // FT
	flags         int
	options       []string
	maxLength     int
}

// below is a field of the tree under n.
func (o *opened) below(n fieldNode, d types.Dict) fieldNode {
	if title, ok := d.Find("T"); ok {
		n.partial = o.text(title)
		if n.name == "" {
			n.name = n.partial
		} else {
			n.name += "." + n.partial
		}
	}
	if kind := o.name(d["FT"]); kind != "" {
		n.kind = kind
	}
	if flags, ok := d.Find("Ff"); ok {
		n.flags = int(o.number(flags))
	}
	if options, ok := d.Find("Opt"); ok && n.kind == "Ch" {
		n.options = o.options(options)
	}
	if most, ok := d.Find("MaxLen"); ok {
		n.maxLength = max(0, int(o.number(most)))
	}
	return n
}

// maxOptions is how many options of a choice are read, and maxOption how many bytes one
// has; of a choice with more of either, none are.
const (
	maxOptions = 500
	maxOption  = 500
)

// options are what a choice offers: texts, or pairs of what is meant and what is shown.
func (o *opened) options(list types.Object) (all []string) {
	options := o.array(list)
	if len(options) > maxOptions {
		return nil
	}
	for _, option := range options {
		if pair := o.array(option); len(pair) > 1 {
			option = pair[1]
		}
		text := strings.Join(strings.Fields(o.text(option)), " ")
		if len(text) > maxOption {
			return nil
		}
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}

// fields are the form fields, page by page, in the order of the pages'
// annotations. What a page shows counts, whether or not the form names it; the
// form's tree names fields whose own links to it are missing.
func (o *opened) fields() ([]FormField, error) {
	named := map[int]fieldNode{}
	if catalog, err := o.ctx.Catalog(); err == nil && catalog != nil {
		for _, field := range o.array(o.dict(catalog["AcroForm"])["Fields"]) {
			o.walkFields(field, fieldNode{}, named, 0)
		}
	}
	var list []FormField
	for i, page := range o.pages {
		seen := map[int]bool{}
		for _, annotation := range o.array(page.dict["Annots"]) {
			number := objectNumber(annotation)
			if number != 0 && seen[number] {
				continue
			}
			seen[number] = true
			if field, ok := o.field(annotation, page, named); ok {
				field.Page = i
				list = append(list, field)
			}
			if len(list) > maxFields {
				return nil, &Refusal{Reason: reasonTooMuch}
			}
		}
	}
	return list, nil
}

func (o *opened) walkFields(field types.Object, above fieldNode, named map[int]fieldNode, depth int) {
	number := objectNumber(field)
	if _, known := named[number]; known && number != 0 || depth > maxDepth {
		return
	}
	d := o.dict(field)
	if d == nil {
		return
	}
	here := o.below(above, d)
	if number != 0 {
		named[number] = here
	}
	for _, kid := range o.array(d["Kids"]) {
		o.walkFields(kid, here, named, depth+1)
	}
}

// field is the form field of an annotation, false where it is none.
func (o *opened) field(annotation types.Object, page pageObject, named map[int]fieldNode) (FormField, bool) {
	d := o.dict(annotation)
	if d == nil || o.name(d["Subtype"]) != "Widget" {
		return FormField{}, false
	}
	node, known := named[objectNumber(annotation)]
	if !known {
		node = o.ancestry(annotation)
	}
	box, ok := o.box(d["Rect"])
	if !ok || node.name == "" {
		return FormField{}, false
	}
	return node.formField(page.rect(box)), true
}

// formField is the field in one of its places. A choice with a field to type into is free
// to be anything.
func (n fieldNode) formField(at Rect) FormField {
	const required, multiline, edit = 1 << 1, 1 << 12, 1 << 18
	f := FormField{Name: n.name, Partial: n.partial, Kind: n.kindOf(), Rect: at, Required: n.flags&required != 0}
	switch {
	case f.Kind == KindText:
		f.Lines, f.MaxLength = n.flags&multiline != 0, n.maxLength
	case f.Kind == KindChoice && n.flags&edit == 0:
		f.Options = n.options
	}
	return f
}

// ancestry is a field by its links to those above it, as far as they lead to no
// field twice.
func (o *opened) ancestry(annotation types.Object) (n fieldNode) {
	var line []types.Dict
	seen := map[int]bool{}
	for object := annotation; len(line) < maxDepth; {
		number, d := objectNumber(object), o.dict(object)
		if d == nil || number != 0 && seen[number] {
			break
		}
		seen[number] = true
		line = append(line, d)
		object = d["Parent"]
	}
	for _, d := range slices.Backward(line) {
		n = o.below(n, d)
	}
	return n
}

// kindOf tells buttons apart by their flags.
func (n fieldNode) kindOf() string {
	const radio, push = 1 << 15, 1 << 16
	switch n.kind {
	case "Tx":
		return KindText
	case "Ch":
		return KindChoice
	case "Sig":
		return KindSignature
	case "Btn":
		switch {
		case n.flags&push != 0:
			return KindButton
		case n.flags&radio != 0:
			return KindRadio
		default:
			return KindCheckbox
		}
	default:
		return ""
	}
}
