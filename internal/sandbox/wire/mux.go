package wire

import (
	"log/slog"
	"net/http"
	pathpkg "path"
	"regexp"
	"slices"
	"strings"
)

// Steering serves calls below /_manage/, with plain errors: no journal, no
// faults, no credential.
func Steering(routes []Route, log *slog.Logger) http.Handler {
	return newMux(routes, func(route Route) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := readBody(w, r, route.BodyLimit)
			if err == nil {
				err = respond(w, buffered(r, body), route.Call)
			}
			if err != nil {
				refusal{errors: PlainErrors{}}.write(w, r, err, log)
			}
		})
	})
}

// newMux finds the handler of a request. A path that no route has is a 404, one
// that is not clean as well, and another method on a path that one has is a 405;
// neither has an operation.
func newMux(routes []Route, handler func(Route) http.Handler) http.Handler {
	unknown := handler(Route{Call: refuse(http.StatusNotFound)})
	m := http.NewServeMux()
	m.Handle("/", unknown)
	paths := map[string]bool{}
	for _, route := range routes {
		m.Handle(route.Method+" "+route.Path, handler(route))
		if !paths[route.Path] && !covered(route.Path, routes) {
			paths[route.Path] = true
			m.Handle(route.Path, handler(Route{Call: refuse(http.StatusMethodNotAllowed)}))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = withoutSlash(r)
		if sent := r.URL.EscapedPath(); pathpkg.Clean(sent) != sent { // ServeMux would redirect.
			unknown.ServeHTTP(w, r)
			return
		}
		m.ServeHTTP(w, r)
	})
}

// withoutSlash is r without the slash at the end of its path, which some clients
// send.
func withoutSlash(r *http.Request) *http.Request {
	if sent := r.URL.EscapedPath(); len(sent) < 2 || !strings.HasSuffix(sent, "/") {
		return r
	}
	changed, address := *r, *r.URL
	address.Path, address.RawPath = strings.TrimSuffix(address.Path, "/"), strings.TrimSuffix(address.RawPath, "/")
	changed.URL = &address
	return &changed
}

// covered reports whether a path is also one of another route's, by a wildcard,
// as /users/register is of /users/{user}: what that route answers to another
// method then goes for both.
func covered(path string, routes []Route) bool {
	return slices.ContainsFunc(routes, func(route Route) bool {
		matches, err := pathpkg.Match(wildcard.ReplaceAllString(route.Path, "*"), path)
		return err == nil && matches && route.Path != path
	})
}

var wildcard = regexp.MustCompile(`\{\w+\}`)

func refuse(status int) Call {
	return func(*http.Request) (any, error) { return nil, Refuse(status, http.StatusText(status)) }
}
