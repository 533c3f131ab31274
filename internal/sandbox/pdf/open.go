package pdf

import (
	"bytes"
	"errors"
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"countersign/internal/pdf"
)

// Limits on the content read of a file.
const (
	maxPages = 20_000
	maxDepth = 64 // of the trees of pages and fields
)

// The reasons of a refusal.
const (
	reasonDamaged  = "the file is damaged"
	reasonPassword = "the file is protected by a password" //nolint:gosec // not a password
	reasonNoPages  = "the file has no pages"
	reasonTooMuch  = "the file has too many pages"
)

// opened is a file with its parsed objects.
type opened struct {
	ctx   *model.Context
	pages []pageObject
}

// encryptEntry is the trailer's entry of an encrypted file.
var encryptEntry = regexp.MustCompile(`/Encrypt\s*(<<|\d+\s+\d+\s+R)`)

// open finds the objects and the pages of a file, even if the rest of it is broken.
func open(file []byte) (*opened, error) {
	ctx, err := objectsOf(file)
	if err != nil && encryptEntry.Match(file) && emptyStream.Match(file) {
		ctx, err = objectsOf(withoutEmptyStreams(file))
	}
	if err != nil && !errors.Is(err, pdfcpu.ErrWrongPassword) {
		ctx, err = objectsOf(withoutTable(file))
	}
	switch {
	case errors.Is(err, pdfcpu.ErrWrongPassword):
		return nil, &pdf.Refusal{Reason: reasonPassword}
	case err != nil:
		return nil, err
	case ctx.Encrypt == nil && encryptEntry.Match(file): // The library has not found it.
		return nil, &pdf.Refusal{Reason: reasonPassword}
	}
	o := &opened{ctx: ctx}
	if err := o.findPages(); err != nil {
		return nil, err
	}
	return o, nil
}

// objectsOf returns the objects of a file. A panic becomes an error.
func objectsOf(file []byte) (ctx *model.Context, err error) {
	defer func() {
		if recover() != nil {
			err = &pdf.Refusal{Reason: reasonDamaged}
		}
	}()
	conf := model.NewDefaultConfiguration()
	conf.ValidationMode = model.ValidationRelaxed
	conf.Cmd = model.VALIDATE // needs no permission of an encrypted file
	conf.Offline = true
	return pdfcpu.Read(bytes.NewReader(file), conf)
}

// emptyStream matches an encrypted stream without content: only the beginning that its
// cipher requires, which the library takes for broken.
var emptyStream = regexp.MustCompile(`(?s)/Length (?:0|16)\b[^>]*>>\s*(stream\r?\n.{0,16}?\s*endstream)`)

// withoutEmptyStreams returns the file with blanks in place of empty streams; everything
// else keeps its offset.
func withoutEmptyStreams(file []byte) []byte {
	found := bytes.Clone(file)
	for _, at := range emptyStream.FindAllSubmatchIndex(file, -1) {
		for i := at[2]; i < at[3]; i++ {
			found[i] = ' '
		}
	}
	return found
}

// withoutTable returns the file with a readable head, in which the parser then searches
// for the objects instead of using the broken table.
func withoutTable(file []byte) []byte {
	const head = "%PDF-1.7"
	found := bytes.ReplaceAll(file, []byte("startxref"), []byte("startxxxx"))
	at := bytes.Index(found, []byte(head[:len("%PDF-")]))
	if at < 0 || len(found) < at+len(head) {
		return append([]byte(head+"\n"), found...)
	}
	copy(found[at:], head)
	return found
}

// resolve returns the referenced object, or nil.
func (o *opened) resolve(object types.Object) types.Object {
	found, err := o.ctx.Dereference(object)
	if err != nil {
		return nil
	}
	return found
}

// dict returns a dictionary, or nil for anything else.
func (o *opened) dict(object types.Object) types.Dict {
	switch d := o.resolve(object).(type) {
	case types.Dict:
		return d
	case types.StreamDict:
		return d.Dict
	case *types.StreamDict:
		return d.Dict
	default:
		return nil
	}
}

// array returns an array, or nil for anything else.
func (o *opened) array(object types.Object) types.Array {
	a, _ := o.resolve(object).(types.Array)
	return a
}

// name returns a name without its slash, or "" for anything else.
func (o *opened) name(object types.Object) string {
	n, _ := o.resolve(object).(types.Name)
	return string(n)
}

// number returns a number, or 0 for anything else.
func (o *opened) number(object types.Object) float64 {
	switch n := o.resolve(object).(type) {
	case types.Integer:
		return float64(n)
	case types.Float:
		return float64(n)
	default:
		return 0
	}
}

// text returns a text string, or "" for anything else.
func (o *opened) text(object types.Object) string {
	text, err := o.ctx.DereferenceText(object)
	if err != nil {
		return ""
	}
	return text
}

// box returns a rectangle from its lower left to its upper right corner; ok is false for
// anything else.
func (o *opened) box(object types.Object) (box [4]float64, ok bool) {
	a := o.array(object)
	if len(a) < len(box) {
		return box, false
	}
	for i := range box {
		box[i] = o.number(a[i])
	}
	return [4]float64{min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3])}, true
}

// objectNumber returns the number of a reference, or 0 for anything else.
func objectNumber(object types.Object) int {
	if reference, ok := object.(types.IndirectRef); ok {
		return reference.ObjectNumber.Value()
	}
	return 0
}

// objectNumbers returns the numbers of all objects, sorted.
func (o *opened) objectNumbers() []int {
	numbers := make([]int, 0, len(o.ctx.Table))
	for number := range o.ctx.Table {
		numbers = append(numbers, number)
	}
	slices.Sort(numbers)
	return numbers
}
