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

// Options are the services' common environment.
type Options struct {
	Clock *Clock
	// APIKey, if not empty, is required of every call as "Authorization: Basic <APIKey>",
	// the key unencoded.
	APIKey string
	Log    *slog.Logger
	// Canonical returns the canonical spelling of userID@domain.
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

// NewPlatform returns a platform of those services. No two of them may have an operation
// of the same path; a fault for an operation name of several services applies to the next
// call of any of them.
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

// Reset restores the platform's initial state.
func (p *Platform) Reset() {
	p.Faults.Clear()
	p.Faults.SetChaos(nil)
	p.options.Clock.reset()
	for _, service := range p.services {
		service.Reset()
	}
	p.Journal.Clear()
}

// Operations returns the names of all operations, sorted.
func (p *Platform) Operations() []string { return slices.Sorted(maps.Keys(p.operations)) }

// Errors returns the form of an operation's errors, from the first service that has it;
// the boolean is false if none has.
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

// APIKey checks the key of r. If key is empty, any request passes.
func APIKey(r *http.Request, key string) (string, error) {
	if key == "" {
		if r.Header.Get("Authorization") == "" {
			return CredentialNone, nil
		}
		return CredentialOK, nil
	}
	return Authorization(r, "Basic "+key, "The API key is missing or wrong")
}

// Authorization checks the header of that name, which must equal want: anything else is a
// 401 with that message.
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

// AnsweredBy is the header with the name of the operation that answered, which an answer made
// by a fault does not have.
const AnsweredBy = "Sandbox-Operation"

// operation is a route of a platform.
type operation struct {
	platform *Platform
	route    Route
}

// ServeHTTP writes every call into the journal.
func (o *operation) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := o.platform
	path, _, _ := strings.Cut(r.RequestURI, "?")
	credential, refusal := o.judge(r)
	entry := p.Journal.begin(Entry{
		At: p.options.Clock.Now().UTC(), Operation: o.route.Operation,
		Method: r.Method, Path: path, Query: r.URL.RawQuery,
		User: p.options.Canonical(r.PathValue("user")), Credential: credential, RequestID: r.Header.Get("X-Request-Id"),
	})
	tokens := strings.HasSuffix(o.route.Operation, "Token")
	to := &recorder{ResponseWriter: w, answer: Content{tokens: tokens}}
	defer func() { p.Journal.change(entry, func(e *Entry) { e.Status, e.Answer = to.status, to.answer }) }()
	body, err := readBody(to, r, o.route.BodyLimit)
	sent := Content{media: r.Header.Get("Content-Type"), tokens: tokens}
	sent.add(body)
	p.Journal.change(entry, func(e *Entry) { e.Bytes, e.Request = len(body), sent })
	if err == nil {
		err = refusal
	}
	if err != nil {
		o.refuse(to, r, o.route.Release, err)
	} else {
		o.answer(to, buffered(r, body), entry)
	}
}

// judge returns the credential of r, and an error if it is not accepted. A request
// without a key is accepted if the route admits it otherwise: beside a signer's session,
// an SDK sends a scheme without a key.
func (o *operation) judge(r *http.Request) (credential string, err error) {
	if o.route.Credential != nil {
		credential, err = o.route.Credential(r)
	} else {
		credential, err = APIKey(r, o.platform.options.APIKey)
	}
	noKey := credential == CredentialNone || r.Header.Get("Authorization") == "Basic"
	if noKey && o.route.Admits != nil && o.route.Admits(r) {
		err = nil
	}
	return credential, err
}

// answer applies the next fault of the operation, if one waits, or else carries out the
// operation.
func (o *operation) answer(w http.ResponseWriter, r *http.Request, entry *Entry) {
	fault := o.platform.Faults.next(o.route.Operation)
	o.platform.Journal.change(entry, func(e *Entry) { e.Fault = fault.String() })
	release := cmp.Or(fault.Release, o.route.Release)
	if fault.Reply == nil && fault.Cut == nil {
		w.Header().Set(AnsweredBy, o.route.Operation)
	}
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
			return // nobody waits for the answer
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
	c := ErrorContext{Operation: o.route.Operation, Release: release, At: options.Clock.Now()}
	refusal{errors: o.route.errors, context: c}.write(w, r, err, options.Log)
}
