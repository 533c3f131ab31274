package compose

import (
	"context"
	"errors"
	"io"

	"countersign/internal/fault"
	"countersign/internal/pdf"
)

// Outline is the text of a page, with the page's size. Without a readable text it has no
// lines.
type Outline struct {
	Page
	Lines []pdf.Line
}

// Outline returns the outline of a page, from 0, of the document with that key;
// request.not-found if there is none.
func (s *Service) Outline(ctx context.Context, id, key string, page int) (o Outline, err error) {
	d, err := s.Load(ctx, id)
	if err != nil {
		return o, err
	}
	i := d.Form.documentAt(key)
	if i < 0 || page < 0 || page >= len(d.Form.Documents[i].Pages) {
		return o, fault.New(fault.RequestNotFound)
	}
	o.Page = d.Form.Documents[i].Pages[page]
	if s.PDF == nil {
		return o, nil
	}
	file, err := s.Platform.PDF(ctx, id, d.Form.Documents[i].ID)
	if err != nil {
		return o, err
	}
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil {
		return o, fault.Wrap(fault.PlatformFailed, err)
	}
	o.Lines, err = s.PDF.Lines(ctx, content, page)
	if _, refused := errors.AsType[*pdf.Refusal](err); refused {
		err = nil // the page is shown empty
	}
	return o, err
}
