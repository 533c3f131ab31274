package wire

import (
	"log/slog"
	"net/http"
	pathpkg "path"
	"regexp"
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
	paths, patterns := map[string]bool{}, patternsOf(routes)
	for _, route := range routes {
		m.Handle(route.Method+" "+route.Path, handler(route))
		if !paths[route.Path] && !covered(route.Path, patterns) {
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

// patternsOf are the paths of routes, with the pattern of all that each stands for.
func patternsOf(routes []Route) map[string]string {
	patterns := map[string]string{}
	for _, route := range routes {
		patterns[route.Path] = wildcard.ReplaceAllString(route.Path, "*")
	}
	return patterns
}

var wildcard = regexp.MustCompile(`\{\w+\}`)

// covered reports whether a path is also one of another route's, by a wildcard,
// as /users/register is of /users/{user}: what that route answers to another
// method then goes for both.
func covered(path string, patterns map[string]string) bool {
	for other, pattern := range patterns {
		if matches, err := pathpkg.Match(pattern, path); err == nil && matches && other != path {
			return true
		}
	}
	return false
}

func refuse(status int) Call {
	return func(*http.Request) (any, error) { return nil, Refuse(status, http.StatusText(status)) }
}
