package pdf

import (
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"countersign/internal/pdf"
)

// fieldNode is a form field's data from its place in the tree of fields.
type fieldNode struct {
	name  string // full, its parts joined by dots
	kind  string // FT
	flags int
}

// below returns the field d of the tree under n.
func (o *opened) below(n fieldNode, d types.Dict) fieldNode {
	if title, ok := d.Find("T"); ok {
		if n.name != "" {
			n.name += "."
		}
		n.name += o.text(title)
	}
	if kind := o.name(d["FT"]); kind != "" {
		n.kind = kind
	}
	if flags, ok := d.Find("Ff"); ok {
		n.flags = int(o.number(flags))
	}
	return n
}

// field returns the form field of an annotation. It follows the links to parents until
// one repeats; ok is false if the annotation is not a form field.
func (o *opened) field(annotation types.Object) (n fieldNode, ok bool) {
	if d := o.dict(annotation); d == nil || o.name(d["Subtype"]) != "Widget" {
		return n, false
	}
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
	return n, n.name != ""
}

// kindOf returns the kind of a field; buttons are distinguished by their flags.
func (n fieldNode) kindOf() string {
	const radio, push = 1 << 15, 1 << 16
	switch {
	case n.kind == "Tx":
		return pdf.KindText
	case n.kind == "Ch":
		return pdf.KindChoice
	case n.kind == "Sig":
		return pdf.KindSignature
	case n.kind != "Btn":
		return ""
	case n.flags&push != 0:
		return pdf.KindButton
	case n.flags&radio != 0:
		return pdf.KindRadio
	}
	return pdf.KindCheckbox
}
