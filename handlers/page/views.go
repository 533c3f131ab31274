package page

import (
	"net/http"
	"time"

	"countersign/internal/fault"
	"countersign/templates"
)

// ErrorView is the page of a failed navigation.
type ErrorView struct {
	templates.Common
	Key fault.Key
	// RetryAfter is the wait before another try; zero if unknown.
	RetryAfter time.Duration
	// Help says that no request failed: the error is only being explained.
	Help bool
}

// Row returns the error's row of the catalogue.
func (v ErrorView) Row() fault.Row { return fault.Lookup(v.Key) }

// Missing reports whether nothing failed: there is no such page.
func (v ErrorView) Missing() bool { return v.Row().Status == http.StatusNotFound }

// Seconds returns RetryAfter in whole seconds, rounded uv.
func (v ErrorView) Seconds() int { return templates.Seconds(v.RetryAfter) }

// interstitialView is the page that leads to its own address. Only Language, Nonce and Path
// count.
type interstitialView struct{ templates.Common }

// otherHostView is the page under another host name. Of Common, only Language and Nonce, for
// its style, count.
type otherHostView struct {
	templates.Common
	// Origin is the service's origin, Address the same page's address there.
	Origin, Address string
}
