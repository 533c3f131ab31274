// Package reqctx holds what is known of the request under way: its id, who
// asks, in which language and from where, in one struct in its context.
//
// It is written by the middleware of web and read by everyone below, so that
// the call to the platform, the log line and the error answer all speak of the
// same request. It decides nothing.
package reqctx

import (
	"context"
	"slices"
	"sync"
)

// Info is what is known of one request. The middleware fills it in as the
// request goes down the house; its members belong to that request's goroutine.
type Info struct {
	// ID names the request, in the X-Request-Id header of the answer, in the
	// instance member of a problem and in the log.
	ID string
	// Person is the signed-in user, userID@domain; empty when signed out.
	Person string
	// Language is the BCP 47 tag of the language that answers are written in.
	Language string
	// Address is the client's IP address, a trusted proxy's word included.
	Address string
	// ProxyRequest is the name that a trusted proxy has for the request, and TraceParent
	// its W3C traceparent; empty where it said none.
	ProxyRequest, TraceParent string
	// Nonce is the one that the page's Content-Security-Policy allows; empty
	// where the answer is no page.
	Nonce string

	mu           sync.Mutex
	correlations []string
}

// maxCorrelations is how many correlations are kept of one request: an export makes
// thousands of calls.
const maxCorrelations = 16

// NoteCorrelation keeps id, the platform's log-correlation-id of one call that was
// made for the request. Any goroutine may note one, also after the request is over.
func (i *Info) NoteCorrelation(id string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.correlations) < maxCorrelations {
		i.correlations = append(i.correlations, id)
	}
}

// Correlations returns the first 16 that were noted, for our log alone.
func (i *Info) Correlations() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.correlations)
}

type key struct{}

// With returns a context that carries info.
func With(ctx context.Context, info *Info) context.Context {
	return context.WithValue(ctx, key{}, info)
}

// From returns the Info of ctx. Outside a request it is a fresh, empty one, so
// that nobody has to ask whether it is there.
func From(ctx context.Context) *Info {
	if info, ok := ctx.Value(key{}).(*Info); ok {
		return info
	}
	return &Info{}
}
