package pdf

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// fieldNode is a form field as far as its place in the tree tells.
type fieldNode struct {
	name, partial string
	kind          string // FT
	flags         int
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
	return n
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
	const required = 1 << 1
	return FormField{
		Name: node.name, Partial: node.partial, Kind: node.kindOf(), Rect: page.rect(box), Required: node.flags&required != 0,
	}, true
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
