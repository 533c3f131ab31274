package signing

import (
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// twin is a part of a payload with its counterpart in the stored package.
type twin struct {
	given, stored any
	found         bool // stored is the counterpart
}

// within sets the part of the stored package that the payload concerns, by the members
// and ids that lead to it.
func (r *rules) within(path ...string) { r.path = append([]string{}, path...) }

// isUnchanged reports whether the stored package has the same value at the pointer.
func (r *rules) isUnchanged(pointer string) bool {
	t := r.twin(pointer)
	return t.found && reflect.DeepEqual(t.given, t.stored)
}

// storedPackage returns the package whose values exceed no bound; nil for none.
func (r *rules) storedPackage() *Package {
	if r.Replaces != nil {
		return r.Replaces
	}
	return r.Package
}

// twin returns the part of the payload at the pointer, with its counterpart.
func (r *rules) twin(pointer string) twin {
	there := r.storedPackage()
	if there == nil || r.path == nil {
		return twin{}
	}
	if r.root == nil {
		r.root = newTwin(r.payload.text, there.raw, r.path)
	}
	t := *r.root
	for name := range jsontext.Pointer(pointer).Tokens() {
		t = t.part(name)
	}
	return t
}

func newTwin(given, stored jsontext.Value, path []string) *twin {
	t := &twin{found: true}
	if json.Unmarshal(given, &t.given) != nil || payload.Unmarshal(stored, &t.stored) != nil {
		return &twin{}
	}
	for _, name := range path {
		switch parent := t.stored.(type) {
		case map[string]any:
			t.stored, t.found = parent[name], parent[name] != nil
		case []any:
			t.stored, t.found = withMember(parent, "id", name)
		}
	}
	return t
}

// part returns the twin of a member or of an array's element.
func (t twin) part(name string) (p twin) {
	switch given := t.given.(type) {
	case map[string]any:
		p.given = given[name]
		if stored, ok := t.stored.(map[string]any); ok && t.found {
			p.stored, p.found = stored[name]
		}
	case []any:
		i, err := strconv.Atoi(name)
		if err != nil || i >= len(given) {
			return twin{}
		}
		p.given = given[i]
		if stored, ok := t.stored.([]any); ok && t.found {
			p.stored, p.found = counterpart(stored, given[i], i)
		}
	}
	return p
}

// counterpart returns the stored element that matches given at index i: the one with its
// id or e-mail address; if given has neither, the one at i.
func counterpart(stored []any, given any, i int) (any, bool) {
	members, _ := given.(map[string]any)
	for _, name := range []string{"id", "email"} {
		if text, ok := members[name].(string); ok && text != "" {
			return withMember(stored, name, text)
		}
	}
	if i < len(stored) {
		return stored[i], true
	}
	return nil, false
}

// withMember returns the element whose member name is text; e-mail addresses are folded.
func withMember(all []any, name, text string) (any, bool) {
	fold := func(text string) string { return text }
	if name == "email" {
		fold = payload.FoldAddress
	}
	for _, one := range all {
		members, _ := one.(map[string]any)
		if has, ok := members[name].(string); ok && fold(has) == fold(text) {
			return one, true
		}
	}
	return nil, false
}
