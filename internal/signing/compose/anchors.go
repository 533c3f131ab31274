package compose

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"countersign/internal/fault"
	"countersign/internal/pdf"
)

// spot is an occurrence of a text in a document: its page, from 0, and its rectangle in
// points.
type spot struct {
	// Document is the key of the document, Text the text, and Index the number of
	// occurrences before this one.
	Document string `json:"document"`
	Text     string `json:"text"`
	Index    int    `json:"index,omitzero"`

	Page   int     `json:"page,omitzero"`
	Left   float64 `json:"left"`
	Top    float64 `json:"top"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// placements are the places of a field by its anchor, the default first.
var placements = []string{"on", "right", "below", "above"}

// Placements returns the places that a field can have by its anchor, the default first.
func Placements() []string { return slices.Clone(placements) }

// index returns the number of occurrences of the anchor to pass over.
func (d Field) index() int {
	n, err := strconv.Atoi(d.Hit)
	if err != nil {
		return 0
	}
	return max(0, n-1)
}

// spot returns where the anchor stands; ok is false if that is not known, or is known of
// another text.
func (d Field) spot() (at spot, ok bool) {
	moved := d.At != nil && d.At.Width == 0 && d.Place != "" && d.Place != placements[0] // its own size is needed
	if moved || d.Anchor == "" || d.At == nil || d.At.Document != d.Document || d.At.Text != d.Anchor || d.At.Index != d.index() {
		return at, false
	}
	return *d.At, true
}

// offset returns how far the field is from the first corner of its anchor, in points: by
// its placement, and by what was typed.
func (d Field) offset() (right, down float64) {
	right, _ = parseNumber(d.Right)
	down, _ = parseNumber(d.Down)
	at, _ := d.spot()
	_, height := d.Size()
	switch d.Place {
	case "right":
		right += at.Width
	case "below":
		down += at.Height
	case "above":
		down -= height
	}
	return right, down
}

// Position returns the page of the field, from 0, its left and its top, in points: beside
// its anchor, or as typed. ok is false if its anchor is not known to stand anywhere.
func (d Field) Position() (page int, left, top float64, ok bool) {
	if d.Approval != "" {
		return 0, 0, 0, false
	}
	if d.Anchor == "" || d.Found != "" {
		page, left, top = d.coordinates()
		return page, left, top, true
	}
	at, ok := d.spot()
	right, down := d.offset()
	return at.Page, at.Left + right, at.Top + down, ok
}

// Locate finds out where the anchors of the draft's fields stand, as far as their
// documents can be read.
func (s *Service) Locate(ctx context.Context, d *Draft) error {
	for i := range d.Form.Fields {
		f := &d.Form.Fields[i]
		if _, known := f.spot(); known || f.Anchor == "" || f.Found != "" || s.PDF == nil {
			continue
		}
		f.At = nil
		document := d.Form.documentAt(f.Document)
		if document < 0 {
			continue
		}
		places, err := s.search(ctx, d.ID, d.Form.Documents[document].ID, f.Anchor)
		if err != nil {
			return err
		}
		if index := f.index(); index < len(places) {
			r := places[index].Rect
			f.At = &spot{
				Document: f.Document, Text: f.Anchor, Index: index, Page: places[index].Page,
				Left: r.Left, Top: r.Top, Width: r.Width, Height: r.Height,
			}
		}
	}
	return nil
}

// search returns the places of a text in a document; none if the document cannot be read.
func (s *Service) search(ctx context.Context, id, document, text string) ([]pdf.Place, error) {
	content, err := s.shown(ctx, id, document)
	if err != nil || content == nil {
		return nil, err
	}
	places, err := s.PDF.Search(ctx, content, text)
	if refusal, refused := errors.AsType[*pdf.Refusal](err); refused && !refusal.Busy {
		return nil, nil
	} else if refused {
		return nil, fault.Wrap(fault.ServerUnavailable, err)
	}
	return places, err
}
