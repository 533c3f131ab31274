package compose

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/pdf"
)

// pdfHead occurs in the first pdfHeadSize bytes of a PDF.
var pdfHead = []byte("%PDF")

const pdfHeadSize = 1024

// look reads the pages and form fields of a file if it is a PDF. A PDF that cannot be
// read is request.invalid.
func (s *Service) look(ctx context.Context, file *io.SectionReader) (pdf.Document, error) {
	head := make([]byte, min(pdfHeadSize, file.Size()))
	if _, err := file.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return pdf.Document{}, fault.Wrap(fault.ServerUnavailable, err)
	}
	if s.PDF == nil || !bytes.Contains(head, pdfHead) {
		return pdf.Document{}, nil
	}
	content := make([]byte, file.Size())
	if _, err := file.ReadAt(content, 0); err != nil && !errors.Is(err, io.EOF) {
		return pdf.Document{}, fault.Wrap(fault.ServerUnavailable, err)
	}
	found, err := s.read(ctx, content, nil)
	if err == nil && found.XFA {
		err = fault.Invalid(fault.Field{Pointer: "files", Detail: "field.pdf-xfa"})
	}
	return found, err
}

// read reads a PDF in a worker. If something is wrong with the file, the error is
// request.invalid.
func (s *Service) read(ctx context.Context, content []byte, anchors []pdf.Anchor) (pdf.Document, error) {
	found, err := s.PDF.Read(ctx, content, anchors)
	refusal, ok := errors.AsType[*pdf.Refusal](err)
	switch {
	case ok && refusal.Busy:
		err = fault.Wrap(fault.ServerUnavailable, err)
	case ok:
		err = fault.Invalid(fault.Field{Pointer: "files", Detail: refusalDetail(refusal)})
	}
	return found, err
}

// refusalDetails are the message ids for the reasons that a person can do something
// about.
var refusalDetails = map[string]string{ //nolint:gosec // these are no credentials
	"the file is protected by a password":    "field.pdf-password",
	"the file has no pages":                  "field.pdf-no-pages",
	"the file has too many pages or fields":  "field.pdf-too-much",
	"the file takes too long to read":        "field.pdf-too-much",
	"the file takes too much memory to read": "field.pdf-too-much",
}

func refusalDetail(refusal *pdf.Refusal) string {
	if id, ok := refusalDetails[refusal.Reason]; ok {
		return id
	}
	return "field.pdf-damaged"
}

func pagesOf(found pdf.Document) (pages []Page) {
	for _, page := range found.Pages {
		pages = append(pages, Page{page.Width, page.Height})
	}
	return pages
}

// foundKinds are the kinds that the PDF's form fields become; those not listed become
// none.
var foundKinds = map[string]string{
	pdf.KindText: "text", pdf.KindCheckbox: "checkbox", pdf.KindRadio: "radio", pdf.KindChoice: "text", pdf.KindSignature: "fullname",
}

// foundKind returns the kind that a form field becomes: a choice without options becomes
// a text.
func foundKind(one pdf.FormField) (kind string, ok bool) {
	switch {
	case len(one.Options) > 0:
		return "list", true
	case one.Lines:
		return "area", true
	}
	kind, ok = foundKinds[one.Kind]
	return kind, ok
}

// maxFound limits the form fields of a document that are shown.
const maxFound = 100

// addFound adds the form fields of the document that was added last, without recipients:
// those that readers show and that are not signed.
func (f *Form) addFound(found pdf.Document) {
	document := f.Documents[len(f.Documents)-1]
	f.Documents[len(f.Documents)-1].Signed = found.Signed
	places := map[string]int{}
	for _, one := range found.Fields {
		places[one.Name]++
	}
	count := 0
	for _, one := range found.Fields {
		kind, ok := foundKind(one)
		if !ok || one.Unseen || one.Signed {
			continue
		}
		if count++; count > maxFound || len(f.Fields) >= maxFields {
			f.Documents[len(f.Documents)-1].Unshown++
			continue
		}
		field := foundField(one)
		field.Key, field.Document, field.Kind, field.Partial = f.key("f"), document.Key, kind, places[one.Name] > 1
		f.Fields = append(f.Fields, field)
	}
}

// foundField returns a form field as a field without a recipient.
func foundField(one pdf.FormField) Field {
	field := Field{
		Check: checks[0].Name, Found: one.Name, Title: one.Label, Required: one.Required, Group: one.Name, Options: strings.Join(one.Options, "\n"),
		Page: strconv.Itoa(one.Page + 1), Left: formatNumber(one.Rect.Left), Top: formatNumber(one.Rect.Top),
		Width: formatNumber(one.Rect.Width), Height: formatNumber(one.Rect.Height),
	}
	if one.MaxLength > 0 {
		field.MaxLength = strconv.Itoa(one.MaxLength)
	}
	return field
}
