package pdf

import (
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

// maxOptions limits the options of a choice, and maxOption the bytes of one; of a choice
// beyond either limit, no options are read.
const (
	maxOptions = 500
	maxOption  = 500
)

// fields adds the form fields of the page to list, in the order of its annotations.
func (p *openPage) fields(list []FormField) ([]FormField, error) {
	err := p.eachWidget(func(w widget) bool {
		if f, ok := w.field(); ok {
			list = append(list, f)
		}
		return len(list) <= maxFields
	})
	if err == nil && len(list) > maxFields {
		err = &Refusal{Reason: reasonTooMuch}
	}
	return list, err
}

// eachWidget calls do with each place of a form field on the page, until it returns false.
func (p *openPage) eachWidget(do func(widget) bool) error {
	annotations, err := p.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: p.ref()})
	if err != nil || annotations.Count == 0 {
		return err
	}
	if annotations.Count > maxFields {
		return &Refusal{Reason: reasonTooMuch}
	}
	if _, err := p.FORM_OnAfterLoadPage(&requests.FORM_OnAfterLoadPage{Page: p.ref(), FormHandle: p.form}); err != nil {
		return err
	}
	defer func() {
		_, _ = p.FORM_OnBeforeClosePage(&requests.FORM_OnBeforeClosePage{Page: p.ref(), FormHandle: p.form})
	}()
	for i := range annotations.Count {
		if !p.withWidget(i, do) {
			return nil
		}
	}
	return nil
}

// withWidget calls do with an annotation if it is a place of a form field, and returns what
// do does.
func (p *openPage) withWidget(number int, do func(widget) bool) bool {
	annotation, err := p.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: p.ref(), Index: number})
	if err != nil {
		return true
	}
	w := widget{p, annotation.Annotation}
	defer w.close()
	kind, err := p.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: w.annotation})
	return err != nil || kind.Subtype != enums.FPDF_ANNOT_SUBTYPE_WIDGET || do(w)
}

// field returns the form field; ok is false for one without a name.
func (w widget) field() (f FormField, ok bool) {
	at, err := w.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: w.annotation})
	name := w.name()
	if err != nil || name == "" {
		return f, false
	}
	l, b, r, t := float64(at.Rect.Left), float64(at.Rect.Bottom), float64(at.Rect.Right), float64(at.Rect.Top)
	f = FormField{
		Name: name, Partial: name[strings.LastIndex(name, ".")+1:], Label: w.label(), Kind: w.kind(),
		Page: w.number, Rect: w.rect([4]float64{min(l, r), min(b, t), max(l, r), max(b, t)}),
	}
	f.Unseen = f.Rect.Width <= 0 || f.Rect.Height <= 0 || !w.shows(f.Rect) || w.isHidden()
	f.Signed = f.Kind == KindSignature && w.isSigned()
	w.describe(&f)
	return f, true
}

// isSigned reports whether a field for a signature has one: its own or, where its value stands at
// a parent, which PDFium does not tell, a picture of one.
func (w widget) isSigned() bool {
	if given, err := w.FPDFAnnot_GetValueType(&requests.FPDFAnnot_GetValueType{Annotation: w.annotation, Key: "V"}); err == nil &&
		(given.ValueType == enums.FPDF_OBJECT_TYPE_DICTIONARY || given.ValueType == enums.FPDF_OBJECT_TYPE_REFERENCE) {
		return true
	}
	if !w.sealed || !w.has("Parent") {
		return false
	}
	picture, err := w.FPDFAnnot_GetAP(&requests.FPDFAnnot_GetAP{Annotation: w.annotation, AppearanceMode: enums.FPDF_ANNOT_APPEARANCEMODE_NORMAL})
	return err == nil && strings.TrimSpace(picture.Value) != ""
}

func (w widget) isHidden() bool {
	const hidden, noView = 1 << 1, 1 << 5
	found, err := w.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: w.annotation})
	return err == nil && int(found.Flags)&(hidden|noView) != 0
}

// signed reports whether the file has a signature that has been given. Where all that it has
// are given, so are the fields of d.
func (o *openDocument) signed(d *Document) bool {
	all, err := o.FPDF_GetSignatureCount(&requests.FPDF_GetSignatureCount{Document: o.document})
	if err != nil {
		return false
	}
	given := 0
	for i := range min(all.Count, maxFields) {
		one, err := o.FPDF_GetSignatureObject(&requests.FPDF_GetSignatureObject{Document: o.document, Index: i})
		if err != nil {
			continue
		}
		if made, err := o.FPDFSignatureObj_GetByteRange(&requests.FPDFSignatureObj_GetByteRange{Signature: one.Signature}); err == nil && len(made.ByteRange) > 0 {
			given++
		}
	}
	for i := range d.Fields {
		f := &d.Fields[i]
		f.Signed = f.Signed || f.Kind == KindSignature && given > 0 && given == all.Count
	}
	return given > 0 || o.sealed // PDFium counts those alone that stand at the top of the form
}

// xfa reports whether the file's form is one of XFA that its pages do not show.
func (o *openDocument) xfa(d *Document) bool {
	kind, err := o.FPDF_GetFormType(&requests.FPDF_GetFormType{Document: o.document})
	return err == nil && (kind.FormType == enums.FPDF_FORMTYPE_XFA_FULL || kind.FormType == enums.FPDF_FORMTYPE_XFA_FOREGROUND && len(d.Fields) == 0)
}

// widget is one place of a form field.
type widget struct {
	*openPage
	annotation references.FPDF_ANNOTATION
}

func (w widget) close() {
	_, _ = w.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: w.annotation})
}

func (w widget) name() string {
	found, err := w.FPDFAnnot_GetFormFieldName(&requests.FPDFAnnot_GetFormFieldName{FormHandle: w.form, Annotation: w.annotation})
	if err != nil {
		return ""
	}
	return found.FormFieldName
}

func (w widget) label() string {
	found, err := w.FPDFAnnot_GetFormFieldAlternateName(&requests.FPDFAnnot_GetFormFieldAlternateName{FormHandle: w.form, Annotation: w.annotation})
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(found.FormFieldAlternateName), " ")
}

var kinds = map[enums.FPDF_FORMFIELD_TYPE]string{
	enums.FPDF_FORMFIELD_TYPE_PUSHBUTTON:  KindButton,
	enums.FPDF_FORMFIELD_TYPE_CHECKBOX:    KindCheckbox,
	enums.FPDF_FORMFIELD_TYPE_RADIOBUTTON: KindRadio,
	enums.FPDF_FORMFIELD_TYPE_COMBOBOX:    KindChoice,
	enums.FPDF_FORMFIELD_TYPE_LISTBOX:     KindChoice,
	enums.FPDF_FORMFIELD_TYPE_TEXTFIELD:   KindText,
	enums.FPDF_FORMFIELD_TYPE_SIGNATURE:   KindSignature,
}

func (w widget) kind() string {
	found, err := w.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: w.form, Annotation: w.annotation})
	if err != nil {
		return ""
	}
	return kinds[found.FormFieldType]
}

// describe adds the possible input. A choice that takes any text has no options.
func (w widget) describe(f *FormField) {
	const required, multiline, edit = 1 << 1, 1 << 12, 1 << 18
	flags, err := w.FPDFAnnot_GetFormFieldFlags(&requests.FPDFAnnot_GetFormFieldFlags{FormHandle: w.form, Annotation: w.annotation})
	if err != nil {
		return
	}
	has := func(flag enums.FPDF_FORMFLAG) bool { return flags.Flags&flag != 0 }
	f.Required = has(required)
	switch {
	case f.Kind == KindText:
		f.Lines, f.MaxLength = has(multiline), w.maxLength()
	case f.Kind == KindChoice && !has(edit):
		f.Options = w.options()
	}
}

// maxTyped are numbers of characters that are typed to find a limit that stands at a parent: each
// finds the limits below it. maxLimits limits the fields of a file for which that is done, as it
// takes some milliseconds, and some ten times as long for the second number.
var (
	maxTyped  = [2]int{1000, 10_001}
	maxLimits = [2]int{500, 12}
)

// maxLength returns the most characters that the field takes; 0 if it has no limit.
func (w widget) maxLength() int {
	if w.has("MaxLen") {
		found, err := w.FPDFAnnot_GetNumberValue(&requests.FPDFAnnot_GetNumberValue{Annotation: w.annotation, Key: "MaxLen"})
		if err != nil {
			return 0
		}
		return max(0, int(found.Value))
	}
	if !w.has("Parent") {
		return 0
	}
	for i, most := range maxTyped {
		if w.limits[i]++; w.limits[i] > maxLimits[i] || i == 0 && w.typed(1) != 1 {
			return 0
		}
		if n := w.typed(most); n < most {
			return n
		}
	}
	return 0
}

// typed returns how many of so many characters the field takes, which it then has: PDFium says
// only so what a field has from its parents. The file itself stays as it is.
func (w widget) typed(count int) int {
	if _, err := w.FORM_SetFocusedAnnot(&requests.FORM_SetFocusedAnnot{FormHandle: w.form, Annotation: w.annotation}); err != nil {
		return 0
	}
	defer func() { _, _ = w.FORM_ForceToKillFocus(&requests.FORM_ForceToKillFocus{FormHandle: w.form}) }()
	_, _ = w.FORM_SelectAllText(&requests.FORM_SelectAllText{FormHandle: w.form, Page: w.ref()}) // fails where nothing is typed yet
	if _, err := w.FORM_ReplaceSelection(&requests.FORM_ReplaceSelection{FormHandle: w.form, Page: w.ref(), Text: strings.Repeat("x", count)}); err != nil {
		return 0
	}
	now, err := w.FORM_GetFocusedText(&requests.FORM_GetFocusedText{FormHandle: w.form, Page: w.ref()})
	if err != nil || strings.Trim(now.FocusedText, "x") != "" {
		return 0
	}
	return len(now.FocusedText)
}

func (w widget) has(key string) bool {
	found, err := w.FPDFAnnot_HasKey(&requests.FPDFAnnot_HasKey{Annotation: w.annotation, Key: key})
	return err == nil && found.HasKey
}

func (w widget) options() (all []string) {
	count, err := w.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: w.form, Annotation: w.annotation})
	if err != nil || count.OptionCount > maxOptions {
		return nil
	}
	for i := range count.OptionCount {
		found, err := w.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: w.form, Annotation: w.annotation, Index: i})
		if err != nil {
			continue
		}
		text := strings.Join(strings.Fields(found.OptionLabel), " ")
		if len(text) > maxOption {
			return nil
		}
		if text != "" {
			all = append(all, text)
		}
	}
	return all
}
