package pdf

import (
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// Limits on the content read of a file.
const (
	maxPages  = 10_000
	maxFields = 20_000
)

// openPage is a page that PDFium has open.
type openPage struct {
	*openDocument
	handle references.FPDF_PAGE
	number int // from 0
	// size is the page as displayed, turned clockwise by quarters, and box the displayed
	// part of the file's coordinates.
	size     Page
	quarters int
	box      [4]float64 // left, bottom, right, top
}

// page opens a page, which the caller closes.
func (o *openDocument) page(number int) (*openPage, error) {
	loaded, err := o.FPDF_LoadPage(&requests.FPDF_LoadPage{Document: o.document, Index: number})
	if err != nil {
		return nil, &Refusal{Reason: reasonDamaged}
	}
	p := &openPage{openDocument: o, handle: loaded.Page, number: number}
	if err := p.measure(); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *openPage) ref() requests.Page { return requests.Page{ByReference: &p.handle} }

// measure reads the page's size, rotation and box.
func (p *openPage) measure() error {
	size, err := p.sizeOf(p.number)
	if err != nil {
		return err
	}
	turned, err := p.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: p.ref()})
	if err != nil {
		return err
	}
	bounds, err := p.FPDF_GetPageBoundingBox(&requests.FPDF_GetPageBoundingBox{Page: p.ref()})
	if err != nil {
		return err
	}
	p.size, p.quarters = size, int(turned.PageRotation)
	p.box = [4]float64{float64(bounds.Rect.Left), float64(bounds.Rect.Bottom), float64(bounds.Rect.Right), float64(bounds.Rect.Top)}
	return nil
}

// sizeOf returns the size of a page, which it does not open: that would read all of it.
func (o *openDocument) sizeOf(number int) (Page, error) {
	size, err := o.FPDF_GetPageSizeByIndexF(&requests.FPDF_GetPageSizeByIndexF{Document: o.document, Index: number})
	if err != nil {
		return Page{}, &Refusal{Reason: reasonDamaged}
	}
	return Page{Width: float64(size.Size.Width), Height: float64(size.Size.Height)}, nil
}

func (p *openPage) close() {
	_, _ = p.FPDF_ClosePage(&requests.FPDF_ClosePage{Page: p.handle})
}

// rect returns the position on the displayed page of a box in the file's coordinates
// (left, bottom, right, top).
func (p *openPage) rect(box [4]float64) Rect {
	x0, y0, x1, y1 := box[0]-p.box[0], box[1]-p.box[1], box[2]-p.box[0], box[3]-p.box[1]
	width, height := p.box[2]-p.box[0], p.box[3]-p.box[1]
	switch p.quarters {
	case 1:
		return Rect{Left: y0, Top: x0, Width: y1 - y0, Height: x1 - x0}
	case 2:
		return Rect{Left: width - x1, Top: y0, Width: x1 - x0, Height: y1 - y0}
	case 3:
		return Rect{Left: height - y1, Top: width - x1, Width: y1 - y0, Height: x1 - x0}
	}
	return Rect{Left: x0, Top: height - y1, Width: x1 - x0, Height: y1 - y0}
}

// shows reports whether a place is on the displayed page, at least a part of it.
func (p *openPage) shows(r Rect) bool { return p.size.shows(r) }

func (p Page) shows(r Rect) bool {
	return r.Left < p.Width && r.Top < p.Height && r.Left+r.Width > 0 && r.Top+r.Height > 0
}

// read reads everything that is known of the file.
func (o *openDocument) read(anchors []Anchor) (Document, error) {
	tagged, err := o.FPDFCatalog_IsTagged(&requests.FPDFCatalog_IsTagged{Document: o.document})
	if err != nil {
		return Document{}, err
	}
	d := Document{Tagged: tagged.IsTagged}
	s := newSearch(anchors)
	sizesAlone := len(anchors) == 0 && !o.mayHaveFields
	for number := range o.count {
		if sizesAlone {
			size, err := o.sizeOf(number)
			if err != nil {
				return Document{}, err
			}
			d.Pages = append(d.Pages, size)
		} else if err := o.readPage(number, &d, s); err != nil {
			return Document{}, err
		}
	}
	d.Places = s.places
	d.Signed, d.XFA = o.signed(&d), o.xfa(&d)
	return d, nil
}

// readPage adds a page to d, and its content to d and s.
func (o *openDocument) readPage(number int, d *Document, s *search) error {
	p, err := o.page(number)
	if err != nil {
		return err
	}
	defer p.close()
	d.Pages = append(d.Pages, p.size)
	if d.Fields, err = p.fields(d.Fields); err != nil {
		return err
	}
	return s.on(p)
}
