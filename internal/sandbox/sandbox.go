// Package sandbox is the embedded platform: a real, small implementation of the
// interfaces that Countersign speaks, behind one http.Handler, for development,
// demonstration and tests.
//
// It puts the parts together: the identity platform (sandbox/identity) and the
// management interface (sandbox/manage), with the guards around them. It opens
// no socket, keeps everything in memory, and shares no code with Countersign, so
// that no mistake of one is repeated by the other.
package sandbox

import (
	"errors"
	"log/slog"
	"net/http"
	pathpkg "path"
	"regexp"
	"slices"
	"time"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/manage"
	"countersign/internal/sandbox/wire"
)

// Options are whom the platform serves.
type Options struct {
	// RPID is the FIDO2 relying party's id, a host name such as localhost.
	RPID string
	// RPOrigins are all origins a FIDO2 response may carry,
	// android:apk-key-hash:… included.
	RPOrigins []string
	// UAFAppID is the appID of UAF, a URL of up to 512 characters, and UAFFacets
	// are the facets that may use it. Without both, UAF is not served.
	UAFAppID  string
	UAFFacets []string
	// Metadata is a JSON array of FIDO metadata statements: the UAF
	// authenticators that are trusted beside the sandbox's own. Empty: none.
	Metadata []byte
	// APIKey, where it is not empty, is wanted by every platform call as
	// "Authorization: Basic <APIKey>", the key as it is.
	APIKey string
	// Logger takes the sandbox's log; nil discards it.
	Logger *slog.Logger
	// Now is the real time, which the platform's clock starts from; required.
	Now func() time.Time
}

// Server is the platform. It serves any number of requests at once.
type Server struct {
	manage   *manage.Server
	platform http.Handler
	steering http.Handler
	log      *slog.Logger
}

// New is the platform at its start. It fails on an RPID that is no host name,
// without an origin and without a clock, and on an appID without facets,
// facets without an appID and metadata that cannot be read.
func New(o Options) (*Server, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		return nil, errors.New("sandbox: Options.Now is required")
	}
	clock := manage.NewClock(o.Now)
	people, err := identity.New(identity.Options{
		RPID: o.RPID, RPOrigins: o.RPOrigins, UAFAppID: o.UAFAppID, UAFFacets: o.UAFFacets, Metadata: o.Metadata, Now: clock.Now,
	})
	if err != nil {
		return nil, err
	}
	routes := people.Routes()
	steer := manage.New(manage.Options{Clock: clock, Identity: people, Operations: operations(routes)})
	return &Server{
		manage:   steer,
		platform: platformHandler(routes, steer, o),
		steering: steeringHandler(steer.Routes(), o.Logger),
		log:      o.Logger,
	}, nil
}

// Close ends what is being delayed. The handler answers on.
func (s *Server) Close() { s.manage.Close() }

func operations(routes []wire.Route) []string {
	var names []string
	for _, route := range routes {
		names = append(names, route.Operation)
	}
	return names
}

// platformHandler serves the platform's operations: each call goes into the
// journal, shows the API key, and meets the faults that wait for it.
func platformHandler(routes []wire.Route, steer *manage.Server, o Options) http.Handler {
	return mux(routes, func(route wire.Route) http.Handler {
		answer := wire.Handler(route.Call, o.Logger)
		if route.Operation == "" {
			return steer.Record("", requireKey(o.APIKey, answer))
		}
		return steer.Record(route.Operation, requireKey(o.APIKey, steer.Faults(route.Operation, answer)))
	})
}

func steeringHandler(routes []wire.Route, log *slog.Logger) http.Handler {
	return mux(routes, func(route wire.Route) http.Handler { return wire.Handler(route.Call, log) })
}

// mux finds the route of a request. A path that no route has is the platform's
// 404, another method on a path that one has its 405; both are routes without an
// operation.
func mux(routes []wire.Route, handler func(wire.Route) http.Handler) http.Handler {
	m := http.NewServeMux()
	m.Handle("/", handler(wire.Route{Call: refuse(http.StatusNotFound)}))
	paths := map[string]bool{}
	for _, route := range routes {
		m.Handle(route.Method+" "+route.Path, handler(route))
		if !paths[route.Path] && !covered(route.Path, routes) {
			paths[route.Path] = true
			m.Handle(route.Path, handler(wire.Route{Call: refuse(http.StatusMethodNotAllowed)}))
		}
	}
	return m
}

// covered reports whether a path is also one of another route's, by a wildcard,
// as /users/register is of /users/{user}: what that route answers to another
// method then goes for both.
func covered(path string, routes []wire.Route) bool {
	return slices.ContainsFunc(routes, func(route wire.Route) bool {
		matches, err := pathpkg.Match(wildcard.ReplaceAllString(route.Path, "*"), path)
		return err == nil && matches && route.Path != path
	})
}

var wildcard = regexp.MustCompile(`\{\w+\}`)

func refuse(status int) wire.Call {
	return func(*http.Request) (any, error) {
		return nil, wire.Refuse(status, http.StatusText(status))
	}
}
