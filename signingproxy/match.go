package signingproxy

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/fault"
	"countersign/internal/redisdb"
	"countersign/internal/request"
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
	names      []string // of the placeholders; "" for a literal segment
	id         func(name, value string) (string, bool)
	operations map[string]T
	methods    []string // of operations, and HEAD, sorted
}

// NewRoutes makes Routes. All routes of one path must have the same ID function.
func NewRoutes[T any](list []Route[T]) Routes[T] {
	var all Routes[T]
	for _, one := range list {
		segments := strings.Split(strings.TrimPrefix(one.Path, "/"), "/")
		at := slices.IndexFunc(all, func(r route[T]) bool { return slices.Equal(r.segments, segments) })
		if at < 0 {
			at = len(all)
			all = append(all, route[T]{segments: segments, names: names(segments), id: one.ID, operations: map[string]T{}})
		}
		for _, method := range one.Methods {
			all[at].operations[method] = one.Operation
		}
	}
	for i := range all {
		all[i].methods = methodsOf(all[i].operations)
	}
	slices.SortStableFunc(all, func(a, b route[T]) int { return a.placeholders() - b.placeholders() })
	return all
}

func (r route[T]) placeholders() (n int) {
	for _, name := range r.names {
		if name != "" {
			n++
		}
	}
	return n
}

// names returns the name in each segment such as {package}, and "" for any other segment.
func names(segments []string) []string {
	all := make([]string, len(segments))
	for i, segment := range segments {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			all[i] = strings.TrimSuffix(name, "}")
		}
	}
	return all
}

// Match holds the operation at the path of a request or, if the path has only others, the error
// request.method. It answers a part of request.Operation.
type Match[T any] struct {
	Operation T
	// Values has what the path gives for each placeholder.
	Values  map[string]string
	methods []string
	err     error
}

// Methods returns the methods of the path, which callers do not change.
func (m *Match[T]) Methods() []string { return m.methods }

// Reads returns nothing.
func (m *Match[T]) Reads(context.Context) []redisdb.Command { return nil }

// Actor returns who asks. The error is request.method if the path has no such operation, after
// the errors of actors.
func (m *Match[T]) Actor(c *gin.Context, actors request.Actors) (access.Actor, error) {
	who, err := actors.Actor(c)
	if err == nil && m.err != nil {
		c.Header("Allow", strings.Join(m.methods, ", "))
		err = m.err
	}
	return who, err
}

// Find returns what stands at escapedPath for method; nil if there is nothing. HEAD finds the
// operation of GET.
func (all Routes[T]) Find(method, escapedPath string) *Match[T] {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	segments, ok := split(escapedPath)
	if !ok {
		return nil
	}
	for _, r := range all {
		values, ok := r.match(segments)
		if !ok {
			continue
		}
		found := &Match[T]{Values: values, methods: r.methods}
		if found.Operation, ok = r.operations[method]; !ok {
			found.err = fault.New(fault.RequestMethod)
		}
		return found
	}
	return nil
}

// methodsOf returns the methods of operations, sorted.
func methodsOf[T any](operations map[string]T) []string {
	var all []string
	for method := range operations {
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
	for i, name := range r.names {
		if name == "" && segments[i] != r.segments[i] {
			return nil, false
		}
	}
	values := make(map[string]string, len(segments))
	for i, name := range r.names {
		if name == "" {
			continue
		}
		value, ok := r.id(name, segments[i])
		if !ok {
			return nil, false
		}
		values[name] = value
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
// its name, which may contain any characters. "verifications" names what the platform found out
// about all of them.
func isAttachment(value string) bool {
	n := utf8.RuneCountInString(value)
	return n >= 1 && n <= 255 && value != "." && value != ".." && value != "verifications" && utf8.ValidString(value)
}
