package compose

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// addedKey are the keys of fields that a page adds by itself: a number of milliseconds
// since 1970, so that two pages never choose the same. Key counts, and stays below.
var addedKey = regexp.MustCompile(`^f[1-9][0-9]{12,15}$`)

// adopt removes the fields whose keys the input "removed" holds, and adds those that were
// typed under a key of addedKey. Form fields of a PDF stay.
func (f *Form) adopt(typed map[string]string) {
	removed := strings.Fields(typed["removed"])
	f.Fields = slices.DeleteFunc(f.Fields, func(d Field) bool { return d.Found == "" && d.Fixed == "" && slices.Contains(removed, d.Key) })
	if len(f.Documents) > 0 {
		f.addTyped(typed, func(key string) bool { return addedKey.MatchString(key) && !slices.Contains(removed, key) })
	}
}

// addTyped adds the fields that were typed under keys that the form does not have and that
// are right.
func (f *Form) addTyped(typed map[string]string, right func(key string) bool) {
	var keys []string
	for name := range typed {
		key, rest, _ := strings.Cut(name, ".")
		if rest == "recipient" && f.fieldAt(key) < 0 && right(key) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, key := range keys[:min(len(keys), max(0, maxFields-len(f.Fields)))] {
		added := f.Blank(key)
		added.take(typed)
		f.Fields = append(f.Fields, added)
	}
}

// Blank returns a field with that key and the defaults of a new one.
func (f *Form) Blank(key string) Field {
	d := Field{Key: key, Kind: kinds[0].Name, Check: checks[0].Name, Page: "1"}
	if len(f.Documents) > 0 {
		d.Document = f.Documents[0].Key
	}
	return d
}
