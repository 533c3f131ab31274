package wire

import (
	"log/slog"
	"net/http"
	pathpkg "path"
	"slices"
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
	unknown, notAllowed := handler(Route{Call: refuse(http.StatusNotFound)}), handler(Route{Call: refuse(http.StatusMethodNotAllowed)})
	m := http.NewServeMux()
	for _, route := range routes {
		m.Handle(route.Method+" "+route.Path, handler(route))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = withoutSlash(r)
		sent := r.URL.EscapedPath()
		switch {
		case pathpkg.Clean(sent) != sent: // ServeMux would redirect
			unknown.ServeHTTP(w, r)
		case matches(m, r, r.Method):
			m.ServeHTTP(w, r)
		case slices.ContainsFunc(methods, func(other string) bool { return matches(m, r, other) }):
			notAllowed.ServeHTTP(w, r)
		default:
			unknown.ServeHTTP(w, r)
		}
	})
}

// methods are all that a route may have.
var methods = []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodPatch, http.MethodDelete}

// matches reports whether a route has the request's path and that method.
func matches(m *http.ServeMux, r *http.Request, method string) bool {
	other := *r
	other.Method = method
	_, pattern := m.Handler(&other)
	return pattern != ""
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

func refuse(status int) Call {
	return func(*http.Request) (any, error) { return nil, Refuse(status, http.StatusText(status)) }
}
