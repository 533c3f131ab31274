package templates_test

import (
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"testing"

	"countersign/handlers/page"
	"countersign/templates"
)

// Every page is written, empty and for nobody: a template that does not parse, or that
// names a missing field, fails here and not on a person's visit.
func TestEveryPageIsWritten(t *testing.T) {
	pages := newPagesWith(t, templates.Options{Verifications: true, Packages: true, Operator: func(string) bool { return true }})
	views := page.Views()
	for name, view := range views {
		empty, _ := reflect.TypeAssert[templates.Page](reflect.Zero(view))
		if err := pages.Write(io.Discard, name, empty); err != nil {
			t.Error(err)
		}
	}
	files, err := filepath.Glob("*.html")
	if err != nil || len(files) != len(views) {
		t.Errorf("%d files, %d pages with a handler (%v)", len(files), len(views), err)
	}
}

// The inner parts of a page are written too, with the same effect.
func TestInnerPartsAreWritten(t *testing.T) {
	p := newPagesWith(t, templates.Options{Verifications: true, Packages: true, Operator: func(string) bool { return true }})
	if err := errors.Join(
		p.Write(io.Discard, "signin", templates.SignIn{User: "someone", Push: true}),
		p.Write(io.Discard, "account", templates.Account{ActivationPassword: "0", StepUp: true}),
		p.Write(io.Discard, "verification", templates.Verification{Active: true}),
		p.Write(io.Discard, "packages", templates.Packages{Tab: templates.TabToSign}),
		p.Write(io.Discard, "package-new", templates.NewPackage{
			Recipients: []templates.ComposedRecipient{{}}, Documents: []templates.ComposedDocument{{Pages: []templates.ComposedPage{{Fields: []templates.ComposedField{{}}}}}}, Fields: []templates.ComposedField{{}},
		}),
		p.Write(io.Discard, "package", templates.Package{Active: true}),
		p.Write(io.Discard, "custom-fields", templates.CustomFields{Form: &templates.CustomFieldForm{Translations: []templates.Translation{{}}}}),
	); err != nil {
		t.Error(err)
	}
}
