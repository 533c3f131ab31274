package signing

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"countersign/internal/pdf"
	"countersign/internal/sandbox/wire"
)

// anchor is the position of a field relative to a text of the document (specification,
// part 2.6).
type anchor struct {
	Text           string  `json:"text"`
	Index          float64 `json:"index"` // occurrences to pass over
	CharacterIndex float64 `json:"characterIndex"`
	AnchorPoint    string  `json:"anchorPoint"`
	Width          float64 `json:"width"`
	Height         float64 `json:"height"`
	LeftOffset     float64 `json:"leftOffset"`
	TopOffset      float64 `json:"topOffset"`
}

// looseSize limits the documents that are read although nothing requires it.
const looseSize = 32 << 20

// inspect converts new documents to PDF, and finds the sizes of their pages and the
// positions of their fields. It refuses a document that cannot be read.
func (s *Server) inspect(ctx context.Context, documents []document, roles []role) error {
	for i := range documents {
		d := &documents[i]
		if d.content.original == nil {
			continue
		}
		content, err := convert(d.content.original)
		if err != nil {
			return wire.Refuse(http.StatusBadRequest, "The document "+d.Name+" cannot be used: "+err.Error()+".").
				With(messageKey, "error.validation.document.unsupportedFormat")
		}
		d.content.pdf, d.content.scale = content, s.store.scale()
		if err := s.locate(ctx, d, roles); err != nil {
			return err
		}
	}
	return nil
}

// fromFormFields is the one of a document's extractionTypes that the sandbox has.
const fromFormFields = "ACROFIELDS"

// locate reads the document's PDF. A file without a page object is only a placeholder,
// and is accepted unread.
func (s *Server) locate(ctx context.Context, d *document, roles []role) error {
	anchors, anchored := d.anchors()
	needed := d.Extract || len(anchors) > 0
	content := d.content.pdf
	if s.pdf == nil || !needed && len(content) > looseSize || !hasPages(content) {
		return nil
	}
	found, err := s.pdf.Read(ctx, content, anchors)
	refusal, ok := errors.AsType[*pdf.Refusal](err)
	switch {
	case ok && refusal.Busy:
		return wire.Refuse(http.StatusTooManyRequests, "The document "+d.Name+" cannot be read now: "+refusal.Reason+".").
			With(messageKey, "error.tooManyRequests.documents.busy")
	case ok:
		return wire.Refuse(http.StatusBadRequest, "The document "+d.Name+" cannot be used: "+refusal.Reason+".").
			With(messageKey, "error.validation.document.unreadable")
	case err != nil:
		return err
	}
	d.content.toUnits(found)
	d.Tagged = found.Tagged
	d.Pages = nil
	for i, page := range found.Pages {
		d.Pages = append(d.Pages, pageSize{Index: i, Width: page.Width, Height: page.Height})
	}
	for i, f := range anchored {
		f.placeAt(found.Places[i])
	}
	d.extract(found.Fields)
	if d.Extract && (len(d.ExtractionTypes) == 0 || slices.Contains(d.ExtractionTypes, fromFormFields)) {
		d.extractNamed(found.Fields, roles)
	}
	return nil
}

// hasPages reports whether a file may have readable pages: in plain text, or in a stream
// of objects.
func hasPages(file []byte) bool {
	return bytes.Contains(file, []byte("/Page")) || bytes.Contains(file, []byte("/ObjStm")) || bytes.Contains(file, []byte("/Encrypt"))
}

// anchors returns the anchors of the document's fields, with the fields.
func (d *document) anchors() (anchors []pdf.Anchor, fields []*field) {
	for f := range d.fields() {
		if a, ok := f.anchor(); ok {
			anchors = append(anchors, pdf.Anchor{Text: a.Text, Index: int(a.Index), Character: int(a.CharacterIndex)})
			fields = append(fields, f)
		}
	}
	return anchors, fields
}

func (f *field) anchor() (anchor, bool) {
	var a anchor
	if !wire.Given(f.ExtractAnchor) || json.Unmarshal(f.ExtractAnchor, &a) != nil || a.Text == "" {
		return anchor{}, false
	}
	return a, true
}

// placeAt moves an anchored field to the corner of its anchor. A field whose anchor is
// not found keeps its position.
func (f *field) placeAt(place pdf.Place) {
	a, _ := f.anchor()
	if a.Width > 0 && a.Height > 0 {
		f.Width, f.Height = a.Width, a.Height
	}
	if !place.Found {
		return
	}
	f.Page, f.Left, f.Top = place.Page, place.Rect.Left, place.Rect.Top
	if a.AnchorPoint == "TOPRIGHT" || a.AnchorPoint == "BOTTOMRIGHT" {
		f.Left += place.Rect.Width
	}
	if a.AnchorPoint == "BOTTOMLEFT" || a.AnchorPoint == "BOTTOMRIGHT" {
		f.Top += place.Rect.Height
	}
	f.Left += a.LeftOffset
	f.Top += a.TopOffset
}

// extract moves fields to the form fields that they name, by the full name, else by its
// last part.
func (d *document) extract(form []pdf.FormField) {
	if !d.Extract {
		return
	}
	for f := range d.fields() {
		if at, ok := formField(form, f.Name); ok && f.Extract {
			f.Page, f.Left, f.Top, f.Width, f.Height = at.Page, at.Rect.Left, at.Rect.Top, at.Rect.Width, at.Rect.Height
		}
	}
}

func formField(form []pdf.FormField, name string) (pdf.FormField, bool) {
	for _, one := range form {
		if one.Name == name {
			return one, true
		}
	}
	for _, one := range form {
		if one.Partial == name {
			return one, true
		}
	}
	return pdf.FormField{}, false
}
