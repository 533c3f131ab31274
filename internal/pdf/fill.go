package pdf

import (
	"bytes"

	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/structs"
)

// Filling is what is written into a file.
type Filling struct {
	// Over is a PDF. Its page i is drawn over the page Pages[i] of the file, which count from
	// 0, so that the top left corners of both, as displayed, are one. Pages beyond the last
	// are left out.
	Over  []byte
	Pages []int
	// Entries are the values of form fields.
	Entries []Entry
}

// Entry is the value of a form field. Its first place on that page is hidden, because the
// value is drawn over it, and the field can no longer be changed.
type Entry struct {
	Page        int
	Field, Text string // the full name, and the value; any text ticks a box
}

// fill returns the file with f in it, without its protection.
func (o *openDocument) fill(f Filling) ([]byte, error) {
	over, err := o.OpenDocument(&requests.OpenDocument{File: &f.Over})
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = o.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: over.Document}) }()
	for i, number := range f.Pages {
		if number < 0 || number >= o.count {
			continue
		}
		if err := o.drawOver(number, over.Document, i); err != nil {
			return nil, err
		}
		if err := o.enter(number, f.Entries); err != nil {
			return nil, err
		}
	}
	var file bytes.Buffer
	_, err = o.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{Document: o.document, Flags: requests.SaveFlagRemoveSecurity, FileWriter: &file})
	return file.Bytes(), err
}

// drawOver draws a page of another document over a page.
func (o *openDocument) drawOver(number int, over references.FPDF_DOCUMENT, page int) error {
	// The library's parameters of this call are interchanged.
	template, err := o.FPDF_NewXObjectFromPage(&requests.FPDF_NewXObjectFromPage{Source: o.document, Destination: over, SourcePageIndex: page})
	if err != nil {
		return err
	}
	defer func() { _, _ = o.FPDF_CloseXObject(&requests.FPDF_CloseXObject{XObject: template.XObject}) }()
	size, err := o.FPDF_GetPageSizeByIndexF(&requests.FPDF_GetPageSizeByIndexF{Document: over, Index: page})
	if err != nil {
		return err
	}
	if err := o.isolate(number); err != nil {
		return err
	}
	p, err := o.page(number)
	if err != nil {
		return err
	}
	defer p.close()
	drawn, err := o.FPDF_NewFormObjectFromXObject(&requests.FPDF_NewFormObjectFromXObject{XObject: template.XObject})
	if err != nil {
		return err
	}
	if _, err := o.FPDFPageObj_SetMatrix(&requests.FPDFPageObj_SetMatrix{PageObject: drawn.PageObject, Transform: p.below(size.Size.Height)}); err != nil {
		return err
	}
	if _, err := o.FPDFPage_InsertObject(&requests.FPDFPage_InsertObject{Page: p.ref(), PageObject: drawn.PageObject}); err != nil {
		return err
	}
	_, err = o.FPDFPage_GenerateContent(&requests.FPDFPage_GenerateContent{Page: p.ref()})
	return err
}

// isolated is how many states the content of a page may leave open or close too much,
// without an effect on what is drawn over it.
const isolated = 2

// isolate has the page's content save the state before it, and restore it afterwards.
func (o *openDocument) isolate(number int) error {
	p, err := o.page(number)
	if err != nil {
		return err
	}
	defer p.close()
	for range isolated { // it fails where there is no content
		_, _ = o.FPDFPage_TransFormWithClip(&requests.FPDFPage_TransFormWithClip{Page: p.ref(), Matrix: &structs.FPDF_FS_MATRIX{A: 1, D: 1}})
	}
	return nil
}

// below returns the matrix from the coordinates of an upright page of that height to the
// file's, by which its top left corner is the one of p.
func (p *openPage) below(height float32) structs.FPDF_FS_MATRIX {
	left, bottom, right, top := float32(p.box[0]), float32(p.box[1]), float32(p.box[2]), float32(p.box[3])
	switch p.quarters {
	case 1:
		return structs.FPDF_FS_MATRIX{B: 1, C: -1, E: left + height, F: bottom}
	case 2:
		return structs.FPDF_FS_MATRIX{A: -1, D: -1, E: right, F: bottom + height}
	case 3:
		return structs.FPDF_FS_MATRIX{B: -1, C: 1, E: right - height, F: top}
	}
	return structs.FPDF_FS_MATRIX{A: 1, D: 1, E: left, F: top - height}
}
