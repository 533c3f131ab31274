package templates_test

import (
	"errors"
	"io"
	"reflect"
	"testing"

	"countersign/templates"
)

// Every page is written, empty and for nobody: a template that does not parse, or that
// names a missing field, fails here and not on a person's visit.
func TestEveryPageIsWritten(t *testing.T) {
	pages := newPagesWith(t, templates.Options{Verifications: true, Packages: true, Operator: func(string) bool { return true }})
	methods, written := reflect.TypeFor[*templates.Pages](), 0
	for method := range methods.Methods() {
		if method.Type.NumIn() != 3 || method.Type.In(1) != reflect.TypeFor[io.Writer]() {
			t.Fatalf("%s writes no page", method.Name)
		}
		written++
		out := method.Func.Call([]reflect.Value{reflect.ValueOf(pages), reflect.ValueOf(io.Discard), reflect.Zero(method.Type.In(2))})
		if err, _ := reflect.TypeAssert[error](out[0]); err != nil {
			t.Errorf("%s: %v", method.Name, err)
		}
	}
	if written < 14 {
		t.Errorf("%d pages", written)
	}
}

// The inner parts of a page are written too, with the same effect.
func TestInnerPartsAreWritten(t *testing.T) {
	p := newPagesWith(t, templates.Options{Verifications: true, Packages: true, Operator: func(string) bool { return true }})
	if err := errors.Join(
		p.SignIn(io.Discard, templates.SignIn{User: "someone", Push: true}),
		p.Account(io.Discard, templates.Account{ActivationPassword: "0", StepUp: true}),
		p.Verification(io.Discard, templates.Verification{Active: true}),
		p.Packages(io.Discard, templates.Packages{Tab: templates.TabToSign}),
		p.NewPackage(io.Discard, templates.NewPackage{
			Recipients: []templates.ComposedRecipient{{}}, Documents: []templates.ComposedDocument{{Pages: []templates.ComposedPage{{Fields: []templates.ComposedField{{}}}}}}, Fields: []templates.ComposedField{{}},
		}),
		p.Package(io.Discard, templates.Package{Active: true}),
		p.CustomFields(io.Discard, templates.CustomFields{Form: &templates.CustomFieldForm{Translations: []templates.Translation{{}}}}),
	); err != nil {
		t.Error(err)
	}
}
