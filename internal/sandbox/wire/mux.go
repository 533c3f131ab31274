package wire

import (
	"log/slog"
	"net/http"
	pathpkg "path"
	"regexp"
	"strings"
)

// Management serves calls below /_manage/, with plain errors and without journal, faults or
// credential.
func Management(routes []Route, log *slog.Logger) http.Handler {
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

// newMux finds the handler of a request. An unknown path is a 404, and so is one that is
// not clean; another method on a known path is a 405. Neither has an operation.
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
		if sent := r.URL.EscapedPath(); pathpkg.Clean(sent) != sent { // ServeMux would redirect
			unknown.ServeHTTP(w, r)
			return
		}
		m.ServeHTTP(w, r)
	})
}

// withoutSlash returns r without the trailing slash of its path, which some clients send.
func withoutSlash(r *http.Request) *http.Request {
	if sent := r.URL.EscapedPath(); len(sent) < 2 || !strings.HasSuffix(sent, "/") {
		return r
	}
	changed, address := *r, *r.URL
	address.Path, address.RawPath = strings.TrimSuffix(address.Path, "/"), strings.TrimSuffix(address.RawPath, "/")
	changed.URL = &address
	return &changed
}

// patternsOf returns the routes' paths, each with the pattern for all paths that it
// matches.
func patternsOf(routes []Route) map[string]string {
	patterns := map[string]string{}
	for _, route := range routes {
		patterns[route.Path] = wildcard.ReplaceAllString(route.Path, "*")
	}
	return patterns
}

var wildcard = regexp.MustCompile(`\{\w+\}`)

// covered reports whether a path also matches another route's, by a wildcard, as
// /users/register matches /users/{user}: that route then answers other methods for both.
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
