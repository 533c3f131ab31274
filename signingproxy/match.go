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

// A Route maps a path of ours, with placeholders as {name}, to an operation.
type Route[T any] struct {
	Path      string
	Methods   []string
	Operation T
	// ID returns the normal form of a value for the placeholder of that name, and false
	// if the value is not allowed there.
	ID func(name, value string) (string, bool)
}

// Routes finds operations by path. Paths with fewer placeholders come first, so that a
// literal segment wins over an id.
type Routes[T any] []route[T]

// A route is one path and its operations by method.
type route[T any] struct {
	segments   []string
	id         func(name, value string) (string, bool)
	operations map[string]T
}

// NewRoutes makes Routes. All routes of one path must have the same ID function.
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

// placeholder returns the name in a segment such as {package}.
func placeholder(segment string) (name string, ok bool) {
	name, ok = strings.CutPrefix(segment, "{")
	return strings.TrimSuffix(name, "}"), ok
}

// Find returns the operation of method at escapedPath, and the values of its path's
// placeholders. HEAD finds the operation of GET. The error is request.not-found if there
// is nothing at the path, and request.method, with the allowed methods, if the path has
// other methods.
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

// methods returns the methods of the path, sorted.
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

// split splits a path into segments and unescapes each of them once. It ignores one slash
// at the end.
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

// match returns the values of r's placeholders if segments match its path.
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

// isID reports whether value is allowed for the placeholder called name.
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

// isAttachment reports whether value can name an attachment requirement: by its id, or by
// its name, which may contain any characters.
func isAttachment(value string) bool {
	n := utf8.RuneCountInString(value)
	return n >= 1 && n <= 255 && value != "." && value != ".." && utf8.ValidString(value)
}
