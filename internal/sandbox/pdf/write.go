package pdf

import (
	"maps"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"countersign/internal/pdf"
)

// streamOf returns an object that is a stream; ok is false for any other.
func streamOf(object types.Object) (stream types.StreamDict, ok bool) {
	if pointer, ok := object.(*types.StreamDict); ok {
		return *pointer, true
	}
	stream, ok = object.(types.StreamDict)
	return stream, ok
}

// maxContent limits the bytes of a page's content that are scanned.
const maxContent = 64 << 20

// write returns the file with the marks drawn over its pages.
func write(file []byte, marks []Mark) ([]byte, error) {
	o, err := open(file)
	if err != nil {
		return nil, err
	}
	byPage := map[int][]Mark{}
	for _, m := range marks {
		if m.Page >= 0 && m.Page < len(o.pages) {
			byPage[m.Page] = append(byPage[m.Page], m)
		}
	}
	fonts, err := o.addFonts(marks)
	if err != nil {
		return nil, err
	}
	for number, marks := range byPage {
		if err := o.draw(o.pages[number], marks, fonts); err != nil {
			return nil, err
		}
		o.setFieldValues(o.pages[number], marks)
	}
	return o.rewrite()
}

// addFonts adds the fonts that the marks need to the file, and returns references by
// name.
func (o *opened) addFonts(marks []Mark) (types.Dict, error) {
	var added types.IndirectRef
	add := func(object string) (string, error) {
		reference, err := o.ctx.IndRefForNewObject(literal(object))
		if err != nil {
			return "", err
		}
		added = *reference
		return added.PDFString(), nil
	}
	fonts := types.Dict{}
	for name, object := range map[string]string{latinFont: latinFontObject, scriptFont: scriptFontObject} {
		if _, err := add(object); err != nil {
			return nil, err
		}
		fonts[name] = added
	}
	var texts []string
	for _, m := range marks {
		texts = append(texts, m.Text)
	}
	if needOtherFont(strings.Join(texts, "")) {
		if _, err := addOtherFont(texts, add); err != nil {
			return nil, err
		}
		fonts[otherFont] = added
	}
	return fonts, nil
}

// literal is an object that is written unchanged.
type literal string

func (l literal) String() string      { return string(l) }
func (l literal) Clone() types.Object { return l }

// PDFString returns the object as in a file.
func (l literal) PDFString() string { return string(l) }

func (o *opened) addStream(content string) (types.IndirectRef, error) {
	length := int64(len(content))
	stream := types.NewStreamDict(types.Dict{"Length": types.Integer(len(content))}, 0, &length, nil, nil)
	stream.Raw = []byte(content)
	reference, err := o.ctx.IndRefForNewObject(stream)
	if err != nil {
		return types.IndirectRef{}, err
	}
	return *reference, nil
}

// draw draws the marks over the page's content.
func (o *opened) draw(page pageObject, marks []Mark, fonts types.Dict) error {
	saved, restored := o.balance(page)
	var over strings.Builder
	over.WriteString(strings.Repeat("\nQ", restored) + " q")
	for _, n := range page.matrix() {
		over.WriteString(" " + number(n))
	}
	over.WriteString(" cm\n")
	for _, m := range marks {
		over.WriteString(m.operators(page.displayedHeight()))
	}
	over.WriteString("Q\n")
	before, err := o.addStream(strings.Repeat("q\n", saved))
	if err != nil {
		return err
	}
	after, err := o.addStream(over.String())
	if err != nil {
		return err
	}
	page.dict["Contents"] = slices.Concat(types.Array{before}, o.contents(page), types.Array{after})
	page.dict["Resources"] = o.withFonts(o.dict(page.resources), fonts)
	return nil
}

// contents returns the streams of a page's content, without other objects, because of
// which viewers show none of the streams.
func (o *opened) contents(page pageObject) types.Array {
	several := o.array(page.dict["Contents"])
	if several == nil {
		several = types.Array{page.dict["Contents"]}
	}
	return slices.DeleteFunc(slices.Clone(several), func(one types.Object) bool {
		_, ok := streamOf(o.resolve(one))
		return !ok
	})
}

// maxBalance limits the states that a content may leave open before it counts as broken.
const maxBalance = 1000

// balance returns how often to save the state before a page's content and to restore it
// afterwards, so that the following content begins in the state of an empty page even if
// the content leaves states open or closes too many.
func (o *opened) balance(page pageObject) (saved, restored int) {
	depth, lowest := 0, 0
	for _, one := range o.contents(page) {
		stream, ok := streamOf(o.resolve(one))
		if !ok || stream.DecodeWithLimit(maxContent) != nil {
			continue
		}
		scanContent(stream.Content, func(operator string, _ []operand) {
			switch operator {
			case "q":
				depth++
			case "Q":
				depth--
				lowest = min(lowest, depth)
			}
		})
	}
	saved = min(1-lowest, maxBalance)
	return saved, max(1, min(depth+saved, maxBalance))
}

// withFonts returns a copy of a page's resources with additional fonts.
func (o *opened) withFonts(resources, fonts types.Dict) types.Dict {
	all, its := types.Dict{}, types.Dict{}
	maps.Copy(all, resources)
	maps.Copy(its, o.dict(resources["Font"]))
	maps.Copy(its, fonts)
	all["Font"] = its
	return all
}

// setFieldValues gives the form fields under the marks their values, and hides their own
// appearance.
func (o *opened) setFieldValues(page pageObject, marks []Mark) {
	values := map[string]Mark{}
	for _, m := range marks {
		if m.Field != "" {
			values[m.Field] = m
		}
	}
	const hidden, readOnly = 1 << 1, 1
	for _, annotation := range o.array(page.dict["Annots"]) {
		field, ok := o.field(annotation)
		m, marked := values[field.name]
		if !ok || !marked {
			continue
		}
		d := o.dict(annotation)
		state := o.onState(d)
		delete(d, "AP")
		d["F"] = types.Integer(int(o.number(d["F"])) | hidden)
		ticked := (field.kindOf() == pdf.KindCheckbox || field.kindOf() == pdf.KindRadio) && state != "" && m.Text != ""
		if ticked {
			d["AS"] = types.Name(state)
		}
		for depth := 0; d["T"] == nil && o.dict(d["Parent"]) != nil && depth < maxDepth; depth++ {
			d = o.dict(d["Parent"])
		}
		if ticked {
			d["V"] = types.Name(state)
		}
		d["Ff"] = types.Integer(int(o.number(d["Ff"])) | readOnly)
		if field.kindOf() == pdf.KindText || field.kindOf() == pdf.KindChoice {
			d["V"] = types.NewHexLiteral([]byte(types.EncodeUTF16String(m.Text)))
		}
	}
}

// onState returns the name of the state in which a button is on, or "".
func (o *opened) onState(button types.Dict) string {
	for _, state := range slices.Sorted(maps.Keys(o.dict(o.dict(button["AP"])["N"]))) {
		if state != "Off" {
			return state
		}
	}
	return ""
}
