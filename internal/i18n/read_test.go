package i18n

import (
	"strings"
	"testing"
	"testing/fstest"
)

// readAll reads the messages of every language found.
func readAll(b *Bundle, err error) error {
	if err != nil {
		return err
	}
	for _, printer := range b.printers {
		if _, err := printer.messages(); err != nil {
			return err
		}
	}
	return nil
}

// All files that ship can be loaded.
func TestBundle_ReadsEveryLanguage(t *testing.T) {
	if err := readAll(New()); err != nil {
		t.Error(err)
	}
}

func TestRead_Refused(t *testing.T) {
	file := func(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }
	for name, c := range map[string]struct {
		files fstest.MapFS
		want  string
	}{
		"no messages":             {fstest.MapFS{}, "messages"},
		"an id in two files":      {fstest.MapFS{"messages/en/a.json": file(`{"x":"1"}`), "messages/en/b.json": file(`{"y":"2","x":"1"}`)}, "x is in a.json and in b.json"},
		"an id twice in a file":   {fstest.MapFS{"messages/en/a.json": file(`{"x":"1","x":"1"}`)}, "a.json"},
		"a plural in two files":   {fstest.MapFS{"messages/fr/a.json": file(`{"x":{"other":"1"}}`), "messages/fr/b.json": file(`{"x":"1"}`)}, "fr: x is in"},
		"a nested id":             {fstest.MapFS{"messages/en/a.json": file(`{"x.y":"1"}`), "messages/en/b.json": file(`{"x":{"y":"1"}}`)}, "x.y is in"},
		"a file that is no JSON":  {fstest.MapFS{"messages/en/a.json": file(`{`)}, "a.json"},
		"a language that is none": {fstest.MapFS{"messages/english language/a.json": file(`{}`)}, "english language"},
	} {
		if err := readAll(find(c.files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	same := fstest.MapFS{"messages/en/a.json": file(`{"x":"1"}`), "messages/fr/b.json": file(`{"x":"un"}`), "messages/fr/a.json": file(`{"y":"deux"}`)}
	b, err := find(same)
	if err := readAll(b, err); err != nil || b.For("fr").T("x") != "un" || b.For("fr").T("y") != "deux" || b.For("en").T("x") != "1" {
		t.Errorf("two languages with one id: %v", err)
	}
}

// A language's name is read without its messages; without a name, it is the tag.
func TestName_ReadWithoutMessages(t *testing.T) {
	b, err := find(fstest.MapFS{
		"messages/en/other.json": {Data: []byte(`{`)},
		"messages/de/name.txt":   {Data: []byte("Deutsch\n")},
		"messages/de/other.json": {Data: []byte(`{`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.For("de").Name() + " " + b.For("en").Name(); got != "Deutsch en" {
		t.Errorf("they are called %s", got)
	}
	if readAll(b, nil) == nil {
		t.Error("the messages can be read, so that it does not show whether they were")
	}
}
