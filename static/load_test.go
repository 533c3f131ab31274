package static

import (
	"strings"
	"testing"
	"testing/fstest"
)

func oneOf(content string) fstest.MapFS {
	return fstest.MapFS{"a.css": {Data: []byte(content)}, "b.js": {Data: []byte("//")}}
}

// TestHash_CoversNamesAndContents: any change of a file or of a name changes the address.
func TestHash_CoversNamesAndContents(t *testing.T) {
	seen := map[string]bool{}
	for name, fsys := range map[string]fstest.MapFS{
		"first":   oneOf("x"),
		"content": oneOf("y"),
		"name":    {"c.css": {Data: []byte("x")}, "b.js": {Data: []byte("//")}},
		"border":  {"a.css": {Data: []byte("x//")}, "b.js": {Data: nil}},
		"less":    {"a.css": {Data: []byte("x")}},
	} {
		assets, err := load(fsys)
		if err != nil {
			t.Fatal(err)
		}
		if seen[assets.base] {
			t.Errorf("%s: the address of something else", name)
		}
		seen[assets.base] = true
	}
}

// TestLoad_UnknownKind: a file of an unknown kind fails the start rather than
// being served with a guessed media type.
func TestLoad_UnknownKind(t *testing.T) {
	if _, err := load(fstest.MapFS{"a.exe": {Data: []byte("x")}}); err == nil || !strings.Contains(err.Error(), "a.exe") {
		t.Errorf("load: %v", err)
	}
}
