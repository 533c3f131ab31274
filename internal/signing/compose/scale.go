package compose

import (
	"context"
	"io"

	"countersign/internal/fault"
)

// Everything in a form is in points. The platform has another unit (docs/platform.md
// S15), which only the sizes of its pages reveal.

// scale returns how many of the platform's units a point is.
func (d Document) scale() float64 {
	if d.Scale > 0 {
		return d.Scale
	}
	return 1
}

// measure sets the pages of f.Documents[i] to their sizes in points, and converts every
// number of the document from the platform's unit to points.
func (f *Form) measure(i int, points []Page) {
	d := &f.Documents[i]
	d.Scale = 1
	if len(d.Pages) > 0 && len(points) > 0 && d.Pages[0].Width > 0 && points[0].Width > 0 {
		d.Scale = d.Pages[0].Width / points[0].Width
	}
	for n, page := range d.Pages {
		d.Pages[n] = Page{page.Width / d.Scale, page.Height / d.Scale}
	}
	if len(d.Pages) <= len(points) {
		d.Pages = points
	}
	for j := range f.Fields {
		if f.Fields[j].Document == d.Key {
			f.Fields[j].shrink(d.Scale)
		}
	}
}

// shrink divides the typed numbers of the field, and those of its anchor.
func (d *Field) shrink(by float64) {
	if d.At != nil && by != 1 {
		at := *d.At
		at.Left, at.Top, at.Width, at.Height = at.Left/by, at.Top/by, at.Width/by, at.Height/by
		d.At = &at
	}
	for _, typed := range []*string{&d.Left, &d.Top, &d.Width, &d.Height, &d.Right, &d.Down} {
		if n, ok := parseNumber(*typed); ok && by != 1 {
			*typed = formatNumber(n / by)
		}
	}
}

// measureAll measures the documents that were not measured yet. If a file cannot be read,
// its document counts as given in points.
func (s *Service) measureAll(ctx context.Context, d *Draft) error {
	for i, document := range d.Form.Documents {
		if document.Scale > 0 || s.PDF == nil {
			continue
		}
		points, err := s.points(ctx, d.ID, document.ID)
		if err != nil {
			return err
		}
		d.Form.measure(i, points)
	}
	return nil
}

// maxShown limits the bytes of a file that is read here to show its pages.
const maxShown = 64 << 20

// shown returns a document's file as the platform shows it; nil for one that is too large.
func (s *Service) shown(ctx context.Context, id, document string) ([]byte, error) {
	file, err := s.Platform.PDF(ctx, id, document)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, maxShown+1))
	if err != nil || len(content) > maxShown {
		return nil, err
	}
	return content, nil
}

// points returns the sizes of the pages of the document's file, in points.
func (s *Service) points(ctx context.Context, id, document string) ([]Page, error) {
	content, err := s.shown(ctx, id, document)
	if err != nil || content == nil {
		return nil, err
	}
	found, err := s.read(ctx, content, nil)
	if fault.Is(err, fault.RequestInvalid) {
		return nil, nil
	}
	return pagesOf(found), err
}
