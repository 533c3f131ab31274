package compose

import (
	"testing"
)

// An e-mail address that a person types becomes the one that they see.
func TestAddresses_TypedAsSeen(t *testing.T) {
	f := New()
	prefix := f.Recipients[0].Key + "."
	for typed, want := range map[string]string{
		" bob@b.co ": "bob@b.co", "ｂｏｂ＠ｂ．ｃｏ": "bob@b.co", "bob@b\u3002co": "bob@b.co", "Ü@b.co": "Ü@b.co", "bob\u200b@b.co": "bob\u200b@b.co",
	} {
		f.Type(map[string]string{prefix + "email": typed}, func(kind string) string { return kind })
		if got := f.Recipients[0].Email; got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}

// A custom field is shown by the account's name for it, which does not become its label.
func TestCustomField_LabelStays(t *testing.T) {
	f := New()
	f.Documents = []Document{{Key: "d1", Pages: []Page{{Width: 595, Height: 842}}}}
	f.Fields = []Field{{Key: "f1", Kind: "text", Label: "Rent"}}
	words := func(kind string) string { return kind }
	f.Type(map[string]string{"f1.recipient": "", "f1.kind": customKind, "f1.custom": "iban", "f1.label": "Account number"}, words)
	if got := f.Fields[0].Label; got != "Rent" {
		t.Errorf("it is labelled %q", got)
	}
	f.Type(map[string]string{"f1.recipient": "", "f1.kind": "text", "f1.label": "Address"}, words)
	if got := f.Fields[0].Label; got != "Address" {
		t.Errorf("it is labelled %q afterwards", got)
	}
}

// A page that shows an older version of a draft does not count, unless it has stored this one
// itself or replaces it knowingly.
func TestDraft_OutdatedPage(t *testing.T) {
	now := &Draft{Form: Form{Revision: 2, Page: "p"}}
	program := &Draft{Form: now.Form, stale: true}
	version := program.Version()
	if version == now.Version() || !IsFromProgram(map[string]string{"revision": version}) || IsFromProgram(map[string]string{"revision": "2"}) {
		t.Errorf("the version is %s", version)
	}
	for _, one := range []struct {
		draft *Draft
		typed map[string]string
		want  bool
	}{
		{now, nil, false},
		{now, map[string]string{"revision": "2"}, false},
		{now, map[string]string{"revision": "1"}, true},
		{now, map[string]string{"revision": version}, true},
		{now, map[string]string{"revision": "1", "once": "p"}, false},
		{now, map[string]string{"revision": "1", "do": Replace, "newer": "2"}, false},
		{now, map[string]string{"revision": "0", "do": Replace, "newer": "1"}, true},
		{now, map[string]string{"revision": "1", "do": "save", "newer": "2"}, true},
		{program, nil, true},
		{program, map[string]string{"revision": "2", "once": "p"}, true},
		{program, map[string]string{"revision": version}, false},
		{program, map[string]string{"revision": "2", "do": Replace, "newer": version}, false},
		{program, map[string]string{"revision": "2", "do": Replace, "newer": "2"}, true},
	} {
		if got := one.draft.Outdated(one.typed); got != one.want {
			t.Errorf("%s: %v is outdated: %v", one.draft.Version(), one.typed, got)
		}
	}
}
