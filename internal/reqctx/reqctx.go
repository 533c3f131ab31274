// Package reqctx keeps a request's ID, client, language and address in its context.
//
// The middleware of web writes it, and the layers below read it, so that the call to the
// platform, the log line and the error answer all name the same request. It decides
// nothing.
package reqctx

import (
	"context"
	"slices"
	"sync"
)

// Info holds the facts about one request. The middleware fills it in step by step; its
// members belong to the request's goroutine.
type Info struct {
	// ID names the request, in the X-Request-Id header of the answer, in the
	// instance member of a problem and in the log.
	ID string
	// Person is the signed-in user, userID@domain; empty when signed out.
	Person string
	// Language is the BCP 47 tag of the language that answers are written in.
	Language string
	// Address is the client's IP address, if need be as a trusted proxy reports it.
	Address string
	// ProxyRequest is a trusted proxy's id of the request, and TraceParent its W3C
	// traceparent; either may be empty.
	ProxyRequest, TraceParent string
	// Nonce is the nonce of the page's Content-Security-Policy; empty if the answer is
	// not a page.
	Nonce string

	mu           sync.Mutex
	correlations []string
	calls        []string
	first        [1]string // room for the one that most requests have
	firstCall    [1]string
}

// maxCorrelations limits the correlations and the calls kept of one request: an export makes
// thousands of calls.
const maxCorrelations = 16

// NoteCorrelation keeps id, the platform's log-correlation-id of one call made for the
// request. Any goroutine may call it, even after the request's end.
func (i *Info) NoteCorrelation(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.correlations == nil {
		i.correlations = i.first[:0]
	}
	if len(i.correlations) < maxCorrelations {
		i.correlations = append(i.correlations, id)
	}
}

// NoteCall keeps how one call of the platform that was made for the request ended:
// "operation:outcome", and ":" and the platform's id of it where it gave one. Any goroutine
// may call it, even after the request's end.
func (i *Info) NoteCall(call string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.calls == nil {
		i.calls = i.firstCall[:0]
	}
	if len(i.calls) < maxCorrelations {
		i.calls = append(i.calls, call)
	}
}

// Calls returns the first 16 noted calls, for our log alone.
func (i *Info) Calls() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.calls)
}

// Correlations returns the first 16 noted ids, for our log alone.
func (i *Info) Correlations() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.correlations)
}

// Key is the key under which a context carries its *Info.
type Key struct{}

// From returns the Info of ctx. Outside a request it returns a fresh, empty one, so that
// callers need no check.
func From(ctx context.Context) *Info {
	if info, ok := ctx.Value(Key{}).(*Info); ok {
		return info
	}
	return &Info{}
}
