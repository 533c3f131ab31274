package wire

import (
	"cmp"
	"crypto/subtle"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Options are what surrounds the services.
type Options struct {
	Clock *Clock
	// APIKey, where it is not empty, is wanted by every call as
	// "Authorization: Basic <APIKey>", the key as it is.
	APIKey string
	Log    *slog.Logger
	// Canonical is the one spelling of userID@domain.
	Canonical func(user string) string
}

// Platform serves the operations of its services. It is safe for concurrent use.
type Platform struct {
	Faults  Faults
	Journal Journal

	options    Options
	services   []Service
	operations map[string]Errors
	handler    http.Handler
	closed     chan struct{}
	closing    sync.Once
}

// NewPlatform is a platform of those services. No two of them may have an
// operation of the same path; a fault for a name that several have happens to
// whichever is called next.
func NewPlatform(o Options, services ...Service) *Platform {
	p := &Platform{options: o, services: services, operations: map[string]Errors{}, closed: make(chan struct{})}
	var routes []Route
	for _, service := range services {
		for _, route := range service.Routes() {
			if _, ok := p.operations[route.Operation]; !ok {
				p.operations[route.Operation] = service.Errors()
			}
			route.errors = service.Errors()
			routes = append(routes, route)
		}
	}
	p.handler = newMux(routes, func(route Route) http.Handler {
		if route.errors == nil {
			route.errors = PlainErrors{}
		}
		return &operation{platform: p, route: route}
	})
	return p
}

// ServeHTTP answers one call.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// Close ends every delay under way.
func (p *Platform) Close() { p.closing.Do(func() { close(p.closed) }) }

// Reset puts the platform back as at its start.
func (p *Platform) Reset() {
	p.Faults.Clear()
	p.options.Clock.reset()
	for _, service := range p.services {
		service.Reset()
	}
	p.Journal.Clear()
}

// Operations are the names of all operations, in alphabetical order.
func (p *Platform) Operations() []string { return slices.Sorted(maps.Keys(p.operations)) }

// Errors is the form of an operation's errors, the first service's that has one of
// that name; false if there is none.
func (p *Platform) Errors(operation string) (Errors, bool) {
	errors, ok := p.operations[operation]
	return errors, ok
}

// The values of Entry.Credential.
const (
	CredentialOK    = "ok"
	CredentialWrong = "wrong"
	CredentialNone  = "none"
)

// apiKey judges the key that r shows. Where none is set, any will do, and none too.
func (p *Platform) apiKey(r *http.Request) (string, error) {
	if p.options.APIKey == "" {
		if r.Header.Get("Authorization") == "" {
			return CredentialNone, nil
		}
		return CredentialOK, nil
	}
	return Authorization(r, "Basic "+p.options.APIKey, "The API key is missing or wrong")
}

// Authorization judges the header of that name, which has to be want: anything
// else is a 401 with that message.
func Authorization(r *http.Request, want, message string) (string, error) {
	shown, refusal := r.Header.Get("Authorization"), Refuse(http.StatusUnauthorized, message)
	switch {
	case shown == "":
		return CredentialNone, refusal
	case subtle.ConstantTimeCompare([]byte(shown), []byte(want)) == 1:
		return CredentialOK, nil
	default:
		return CredentialWrong, refusal
	}
}

// operation is a route in its surroundings.
type operation struct {
	platform *Platform
	route    Route
}

// ServeHTTP writes the call into the journal, whatever becomes of it.
func (o *operation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := o.platform
	path, _, _ := strings.Cut(r.RequestURI, "?")
	credential, refusal := o.judge(r)
	entry := p.Journal.begin(Entry{
		At: p.options.Clock.Now().UTC(), Operation: o.route.Operation,
		Method: r.Method, Path: path, Query: r.URL.RawQuery,
		User: p.options.Canonical(r.PathValue("user")), Credential: credential,
	})
	recorder := &statusRecorder{ResponseWriter: w}
	defer func() { p.Journal.change(entry, func(e *Entry) { e.Status = recorder.status }) }()
	body, err := readBody(recorder, r, o.route.BodyLimit)
	p.Journal.change(entry, func(e *Entry) { e.Bytes = len(body) })
	if err == nil {
		err = refusal
	}
	if err != nil {
		o.refuse(recorder, r, o.route.Release, err)
	} else {
		o.answer(recorder, buffered(r, body))
	}
}

// judge is what r shows for itself, and an error where that does not do. Beside a
// signer's session an SDK sends a scheme without a key.
func (o *operation) judge(r *http.Request) (credential string, err error) {
	if o.route.Credential != nil {
		return o.route.Credential(r)
	}
	credential, err = o.platform.apiKey(r)
	noKey := credential == CredentialNone || r.Header.Get("Authorization") == "Basic"
	if noKey && o.route.Admits != nil && o.route.Admits(r) {
		err = nil
	}
	return credential, err
}

// answer has the next fault of the operation happen, if one waits, and else what
// the operation does.
func (o *operation) answer(w http.ResponseWriter, r *http.Request) {
	fault := o.platform.Faults.next(o.route.Operation)
	release := cmp.Or(fault.Release, o.route.Release)
	w = &headerSetter{ResponseWriter: w, headers: fault.Headers}
	if fault.Cut != nil {
		cut := &cutWriter{ResponseWriter: w, left: *fault.Cut}
		defer cut.end()
		w = cut
	}
	var err error
	switch {
	case !wait(r.Context(), o.platform.closed, fault.Delay):
		if r.Context().Err() != nil {
			return // Nobody reads an answer.
		}
		err = Refuse(http.StatusServiceUnavailable, "The platform is closing")
	case fault.Reply == nil:
		err = respond(w, r, o.route.Call)
	case fault.Reply.Error != nil:
		err = fault.Reply.Error
	default:
		fault.Reply.write(w)
	}
	if err != nil {
		o.refuse(w, r, release, err)
	}
}

func (o *operation) refuse(w http.ResponseWriter, r *http.Request, release string, err error) {
	options := o.platform.options
	c := ErrorContext{Release: release, At: options.Clock.Now()}
	refusal{errors: o.route.errors, context: c}.write(w, r, err, options.Log)
}
