package signingproxy

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// Route is an operation at a path of ours, whose placeholders stand as {name}.
type Route[T any] struct {
	Path      string
	Methods   []string
	Operation T
	// ID returns what a placeholder of that name stands for, in its normal form; false for
	// what it cannot stand for.
	ID func(name, value string) (string, bool)
}

// Routes find operations by their paths: those with the fewest placeholders first, so that
// a literal goes before an id.
type Routes[T any] []route[T]

// route is one path and its operations by method.
type route[T any] struct {
	segments   []string
	id         func(name, value string) (string, bool)
	operations map[string]T
}

// NewRoutes makes Routes; of one path all have the same ID.
func NewRoutes[T any](list []Route[T]) Routes[T] {
	var all Routes[T]
	for _, one := range list {
		segments := strings.Split(strings.TrimPrefix(one.Path, "/"), "/")
		at := slices.IndexFunc(all, func(r route[T]) bool { return slices.Equal(r.segments, segments) })
		if at < 0 {
			at = len(all)
			all = append(all, route[T]{segments: segments, id: one.ID, operations: map[string]T{}})
		}
		for _, method := range one.Methods {
			all[at].operations[method] = one.Operation
		}
	}
	slices.SortStableFunc(all, func(a, b route[T]) int { return a.placeholders() - b.placeholders() })
	return all
}

func (r route[T]) placeholders() (n int) {
	for _, segment := range r.segments {
		if _, ok := placeholder(segment); ok {
			n++
		}
	}
	return n
}

// placeholder is the name in a segment such as {package}.
func placeholder(segment string) (name string, ok bool) {
	name, ok = strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), ok
}

// Find returns the operation of method at escapedPath, and the values of its path's
// placeholders. HEAD asks for what GET does. The error is request.not-found where nothing is
// at the path, and request.method, with the methods that are there, for another method.
func (all Routes[T]) Find(method, escapedPath string) (o T, values map[string]string, methods []string, err error) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segments, ok := split(escapedPath)
	if !ok {
		return o, nil, nil, fault.New(fault.RequestNotFound)
	}
	for _, r := range all {
		values, ok := r.match(segments)
		if !ok {
			continue
		}
		if found, ok := r.operations[method]; ok {
			return found, values, nil, nil
		}
		return o, nil, r.methods(), fault.New(fault.RequestMethod)
	}
	return o, nil, nil, fault.New(fault.RequestNotFound)
}

// methods are those of the path, in order.
func (r route[T]) methods() []string {
	var all []string
	for method := range r.operations {
		all = append(all, method)
	}
	if slices.Contains(all, http.MethodGet) {
		all = append(all, http.MethodHead)
	}
	slices.Sort(all)
	return all
}

// split undoes the escapes of each segment of a path, once. One slash at the end
// does not count.
func split(escapedPath string) ([]string, bool) {
	path := strings.TrimSuffix(strings.TrimPrefix(escapedPath, "/"), "/")
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		plain, err := url.PathUnescape(segment)
		if err != nil {
			return nil, false
		}
		segments[i] = plain
	}
	return segments, true
}

// match is the values of the placeholders where segments are a path of r.
func (r route[T]) match(segments []string) (map[string]string, bool) {
	if len(segments) != len(r.segments) {
		return nil, false
	}
	for i, want := range r.segments {
		if _, ok := placeholder(want); !ok && segments[i] != want {
			return nil, false
		}
	}
	values := make(map[string]string, len(segments))
	for i, want := range r.segments {
		name, ok := placeholder(want)
		if !ok {
			continue
		}
		if values[name], ok = r.id(name, segments[i]); !ok {
			return nil, false
		}
	}
	return values, true
}

// signingID is what a placeholder of electronic signing stands for.
func signingID(name, value string) (string, bool) { return value, isID(name, value) }

// isID reports whether value can be what the placeholder called name stands for.
func isID(name, value string) bool {
	switch name {
	case "use":
		return value == "singleUse" || value == "multiUse"
	case "document":
		if signing.IsPathWord(value) {
			return false
		}
	case "attachment":
		return isAttachment(value)
	}
	return signing.ValidID(value)
}

// isAttachment reports whether value can name what a signer is asked to attach: its name
// will do, which may have any characters.
func isAttachment(value string) bool {
	n := utf8.RuneCountInString(value)
	return n >= 1 && n <= 255 && value != "." && value != ".." && utf8.ValidString(value)
}
