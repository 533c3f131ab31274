package pdf

import (
	"math"
	"strings"
	"unicode"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// enter gives the form fields on a page their values, each at its first place there.
func (o *openDocument) enter(number int, entries []Entry) error {
	texts := map[string]string{}
	for _, one := range entries {
		if one.Page == number {
			texts[one.Field] = one.Text
		}
	}
	if len(texts) == 0 {
		return nil
	}
	p, err := o.page(number)
	if err != nil {
		return err
	}
	defer p.close()
	return p.eachWidget(func(w widget) bool {
		name := w.name()
		if text, ok := texts[name]; ok {
			w.enter(text)
			delete(texts, name)
		}
		return len(texts) > 0
	})
}

// enter gives the form field its value, hides this place of it, and makes it read-only. A
// field that does not take the value stays without it.
func (w widget) enter(text string) {
	switch kind := w.kind(); kind {
	case KindCheckbox, KindRadio:
		if text != "" {
			w.tick()
		}
	case KindText, KindChoice:
		w.write(text)
		_, _ = w.FPDFAnnot_SetAP(&requests.FPDFAnnot_SetAP{Annotation: w.annotation, AppearanceMode: enums.FPDF_ANNOT_APPEARANCEMODE_NORMAL})
	}
	if flags, err := w.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: w.annotation}); err == nil {
		_, _ = w.FPDFAnnot_SetFlags(&requests.FPDFAnnot_SetFlags{Annotation: w.annotation, Flags: flags.Flags | enums.FPDF_ANNOT_FLAG_HIDDEN})
	}
	if flags, err := w.FPDFAnnot_GetFormFieldFlags(&requests.FPDFAnnot_GetFormFieldFlags{FormHandle: w.form, Annotation: w.annotation}); err == nil {
		_, _ = w.FPDFAnnot_SetFormFieldFlags(&requests.FPDFAnnot_SetFormFieldFlags{FormHandle: w.form, Annotation: w.annotation, Flags: flags.Flags | enums.FPDF_FORMFLAG_READONLY})
	}
}

// write gives a field for text or a choice its value: in the field itself where the widget
// is all of it, else as a person does who types or chooses.
func (w widget) write(text string) {
	if own, err := w.FPDFAnnot_HasKey(&requests.FPDFAnnot_HasKey{Annotation: w.annotation, Key: "T"}); err == nil && own.HasKey {
		_, _ = w.FPDFAnnot_SetStringValue(&requests.FPDFAnnot_SetStringValue{Annotation: w.annotation, Key: "V", Value: text})
		return
	}
	w.focused(func() {
		if at, ok := w.optionOf(text); ok {
			_, _ = w.FORM_SetIndexSelected(&requests.FORM_SetIndexSelected{FormHandle: w.form, Page: w.ref(), Index: at, Selected: true})
			return
		}
		_, _ = w.FORM_SelectAllText(&requests.FORM_SelectAllText{FormHandle: w.form, Page: w.ref()})
		_, _ = w.FORM_ReplaceSelection(&requests.FORM_ReplaceSelection{FormHandle: w.form, Page: w.ref(), Text: strings.Map(typed, text)})
	})
}

// typed returns what PDFium can type for a character: it knows those of 16 bits.
func typed(r rune) rune {
	if r > math.MaxUint16 {
		return unicode.ReplacementChar
	}
	return r
}

// optionOf returns the index of the choice that is shown as text.
func (w widget) optionOf(text string) (at int, ok bool) {
	count, err := w.FPDFAnnot_GetOptionCount(&requests.FPDFAnnot_GetOptionCount{FormHandle: w.form, Annotation: w.annotation})
	if err != nil {
		return 0, false
	}
	for at := range min(count.OptionCount, maxOptions) {
		found, err := w.FPDFAnnot_GetOptionLabel(&requests.FPDFAnnot_GetOptionLabel{FormHandle: w.form, Annotation: w.annotation, Index: at})
		if err == nil && strings.Join(strings.Fields(found.OptionLabel), " ") == text {
			return at, true
		}
	}
	return 0, false
}

// tick turns a button on.
func (w widget) tick() {
	if on, err := w.FPDFAnnot_IsChecked(&requests.FPDFAnnot_IsChecked{FormHandle: w.form, Annotation: w.annotation}); err != nil || on.IsChecked {
		return
	}
	const space = ' '
	w.focused(func() {
		_, _ = w.FORM_OnChar(&requests.FORM_OnChar{FormHandle: w.form, Page: w.ref(), NChar: space})
	})
}

// focused calls do while the widget has the focus.
func (w widget) focused(do func()) {
	if _, err := w.FORM_SetFocusedAnnot(&requests.FORM_SetFocusedAnnot{FormHandle: w.form, Annotation: w.annotation}); err != nil {
		return
	}
	do()
	_, _ = w.FORM_ForceToKillFocus(&requests.FORM_ForceToKillFocus{FormHandle: w.form})
}
