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

// routes are the operations by their paths: those with the fewest placeholders
// first, so that a literal goes before an id.
type routes []route

// route is one path and its operations by method.
type route struct {
	segments   []string
	id         func(name, value string) (string, bool)
	operations map[string]*operation
}

func newRoutes(operations []*operation) routes {
	var all routes
	for _, o := range operations {
		for _, path := range o.paths {
			all = all.with(path, o)
		}
	}
	slices.SortStableFunc(all, func(a, b route) int { return a.placeholders() - b.placeholders() })
	return all
}

// with are all and o at a path.
func (all routes) with(path string, o *operation) routes {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	at := slices.IndexFunc(all, func(r route) bool { return slices.Equal(r.segments, segments) })
	if at < 0 {
		at = len(all)
		all = append(all, route{segments: segments, id: o.id, operations: map[string]*operation{}})
	}
	for _, method := range o.methods() {
		all[at].operations[method] = o
	}
	return all
}

// methods are those that an operation is asked for with.
func (o *operation) methods() []string {
	if len(o.alsoBy) > 0 {
		return append([]string{o.Method}, o.alsoBy...)
	}
	return []string{o.Method}
}

func (r route) placeholders() (n int) {
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

// find is the operation of method at escapedPath, and the values of its path's
// placeholders. HEAD asks for what GET does. The error is request.not-found where
// nothing is at the path, request.method with the methods that are there where it is
// another's.
func (all routes) find(method, escapedPath string) (*operation, map[string]string, []string, error) {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segments, ok := split(escapedPath)
	if !ok {
		return nil, nil, nil, fault.New(fault.RequestNotFound)
	}
	for _, r := range all {
		values, ok := r.match(segments)
		if !ok {
			continue
		}
		if o := r.operations[method]; o != nil {
			return o, values, nil, nil
		}
		return nil, nil, r.methods(), fault.New(fault.RequestMethod)
	}
	return nil, nil, nil, fault.New(fault.RequestNotFound)
}

// methods are those of the path, in order.
func (r route) methods() []string {
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
func (r route) match(segments []string) (map[string]string, bool) {
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

// reserved are the words that follow documents/ in paths of the platform's, and so
// the id of no document.
var reserved = []string{"signed_documents", "signConfirm", "visibility", "zip", "approvals"}

// signingID is what a placeholder of electronic signing stands for.
func signingID(name, value string) (string, bool) { return value, isID(name, value) }

// isID reports whether value can be what the placeholder called name stands for.
func isID(name, value string) bool {
	switch name {
	case "use":
		return value == "singleUse" || value == "multiUse"
	case "document":
		if slices.Contains(reserved, value) {
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
