package templates_test

import (
	"io"
	"path/filepath"
	"reflect"
	"testing"

	"countersign/handlers/page"
	"countersign/templates"
)

// Every page is written, empty and for nobody: a template that does not parse, or that
// names a missing field, fails here and not on a person's visit.
func TestPages_WrittenEmpty(t *testing.T) {
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
func TestInnerParts_WrittenEmpty(t *testing.T) {
	p := newPagesWith(t, templates.Options{Verifications: true, Packages: true, Operator: func(string) bool { return true }})
	for _, write := range []func(*templates.Pages, io.Writer) error{
		login("User", "someone", "Push", true),
		account("ActivationPassword", "0", "StepUp", true),
		shown("verification", "Active", true),
		shown("packages", "Tab", "to-sign"),
		shown("package-new", "Recipients", []object{{}}, "Documents", []object{{"Pages": []object{{"Fields": []object{{}}}}}}, "Fields", []object{{}}),
		shown("package", "Active", true),
		shown("custom-fields", "Form", object{"Translations": []object{{}}}),
	} {
		if err := write(p, io.Discard); err != nil {
			t.Error(err)
		}
	}
}
