package pdf

import (
	"math"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"countersign/internal/pdf"
)

// pageObject is a page of a file, with its inherited members.
type pageObject struct {
	dict      types.Dict
	box       [4]float64 // the displayed part, from the lower left to the upper right corner
	rotation  int
	resources types.Object
}

// inherited holds a page's members from the nodes above it.
type inherited struct {
	media, crop, resources types.Object
	rotation               types.Object
}

// over returns a node's members, completed by the inherited ones.
func (i inherited) over(d types.Dict) inherited {
	for name, member := range map[string]*types.Object{"MediaBox": &i.media, "CropBox": &i.crop, "Resources": &i.resources, "Rotate": &i.rotation} {
		if own, ok := d.Find(name); ok {
			*member = own
		}
	}
	return i
}

// findPages walks the tree of pages. If the tree has none, every page object counts, by
// object number.
func (o *opened) findPages() error {
	catalog, err := o.ctx.Catalog()
	if err == nil && catalog != nil {
		if err := o.walkPages(catalog["Pages"], inherited{}, map[int]bool{}, 0); err != nil {
			return err
		}
	}
	if len(o.pages) == 0 {
		for _, number := range o.objectNumbers() {
			d := o.dict(*types.NewIndirectRef(number, 0))
			if o.name(d["Type"]) == "Page" {
				o.addPage(d, inherited{}.over(d))
			}
		}
	}
	if len(o.pages) == 0 {
		return &pdf.Refusal{Reason: reasonNoPages}
	}
	return nil
}

func (o *opened) walkPages(node types.Object, above inherited, seen map[int]bool, depth int) error {
	number := objectNumber(node)
	d := o.dict(node)
	if d == nil || depth > maxDepth {
		return nil
	}
	here := above.over(d)
	kids, ok := d.Find("Kids")
	if kind := o.name(d["Type"]); kind == "Page" || kind == "" && !ok {
		o.addPage(d, here) // a page may occur several times
	}
	if len(o.pages) > maxPages {
		return &pdf.Refusal{Reason: reasonTooMuch}
	}
	if number != 0 && seen[number] {
		return nil
	}
	seen[number] = true
	for _, kid := range o.array(kids) {
		if err := o.walkPages(kid, here, seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// letter is the default size of a page.
var letter = [4]float64{0, 0, 612, 792}

func (o *opened) addPage(d types.Dict, has inherited) {
	box, ok := o.box(has.media)
	if !ok || box[2]-box[0] <= 0 || box[3]-box[1] <= 0 {
		box = letter
	}
	if crop, ok := o.box(has.crop); ok {
		inside := [4]float64{max(box[0], crop[0]), max(box[1], crop[1]), min(box[2], crop[2]), min(box[3], crop[3])}
		if inside[2]-inside[0] > 0 && inside[3]-inside[1] > 0 {
			box = inside
		}
	}
	const turn, quarter = 360, 90
	rotation := int(math.Mod(o.number(has.rotation), turn)) / quarter * quarter
	o.pages = append(o.pages, pageObject{dict: d, box: box, rotation: (rotation + turn) % turn, resources: has.resources})
}

func (p pageObject) width() float64  { return p.box[2] - p.box[0] }
func (p pageObject) height() float64 { return p.box[3] - p.box[1] }

// displayedHeight returns the height of the displayed page.
func (p pageObject) displayedHeight() float64 {
	if p.rotation == 90 || p.rotation == 270 {
		return p.width()
	}
	return p.height()
}

// matrix returns the transformation from the displayed page, from its lower left corner,
// to the file's coordinates.
func (p pageObject) matrix() [6]float64 {
	switch p.rotation {
	case 90:
		return [6]float64{0, 1, -1, 0, p.box[2], p.box[1]}
	case 180:
		return [6]float64{-1, 0, 0, -1, p.box[2], p.box[3]}
	case 270:
		return [6]float64{0, -1, 1, 0, p.box[0], p.box[3]}
	default:
		return [6]float64{1, 0, 0, 1, p.box[0], p.box[1]}
	}
}
