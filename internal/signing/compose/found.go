package compose

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/pdf"
)

// pdfHead is what a PDF has in its first bytes.
var pdfHead = []byte("%PDF")

const pdfHeadSize = 1024

// look reads what is known of a file that is a PDF. One that cannot be read is
// request.invalid.
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
	return s.read(ctx, content, nil)
}

// read has a worker read a file. What is wrong with the file is request.invalid.
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

// refusalDetails are the sentences of the reasons that a person can do something about.
var refusalDetails = map[string]string{ //nolint:gosec // It is none.
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

// foundKinds are the kinds of the PDF's form fields; the others are no fields for
// signers.
var foundKinds = map[string]string{
	pdf.KindText: "text", pdf.KindCheckbox: "checkbox", pdf.KindRadio: "radio", pdf.KindChoice: "text", pdf.KindSignature: "fullname",
}

// foundKind is the kind of a form field: a choice without options of its own is any text.
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

// maxFound is how many form fields of one document are shown.
const maxFound = 100

// addFound adds the form fields of the document that was added last, which are nobody's
// yet.
func (f *Form) addFound(found pdf.Document) {
	document := f.Documents[len(f.Documents)-1]
	places := map[string]int{}
	for _, one := range found.Fields {
		places[one.Name]++
	}
	count := 0
	for _, one := range found.Fields {
		kind, ok := foundKind(one)
		if !ok {
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

// foundField is a form field as a field that is nobody's.
func foundField(one pdf.FormField) Field {
	field := Field{
		Check: Checks[0].Name, Found: one.Name, Required: one.Required, Group: one.Name, Options: strings.Join(one.Options, "\n"),
		Page: strconv.Itoa(one.Page + 1), Left: number(one.Rect.Left), Top: number(one.Rect.Top),
		Width: number(one.Rect.Width), Height: number(one.Rect.Height),
	}
	if one.MaxLength > 0 {
		field.MaxLength = strconv.Itoa(one.MaxLength)
	}
	return field
}

// Owned reports whether some field of the document is somebody's.
func (f *Form) Owned(document string) bool {
	return slices.ContainsFunc(f.Fields, func(d Field) bool { return d.Document == document && d.Recipient != "" })
}
