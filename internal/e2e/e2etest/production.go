package e2etest

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// productionOrigin is the public origin of an App with the settings of production.
const productionOrigin = "https://cs.example"

// InFrontOf starts Countersign with the settings of production, in front of the
// platform at this address.
func InFrontOf(t testing.TB, platform string, settings ...string) *App {
	t.Helper()
	return start(t, unopened(t, options{log: io.Discard, now: time.Now, redisTimeout: patience}, slices.Concat([]string{
		"PUBLIC_ORIGIN=" + productionOrigin, "PLATFORM_URL=" + platform, "IDENTITY_AUTHORIZATION=none",
		"REDIS_URL=redis://" + miniredis.RunT(t).Addr(),
		"SESSION_KEYS=" + strings.Repeat("a73c", 16), "DECOY_KEY=" + strings.Repeat("5ed1", 16),
	}, settings)))
}

// InProduction starts Countersign with these settings alone, which are of production, and its
// log.
func InProduction(t testing.TB, log io.Writer, settings ...string) *App {
	t.Helper()
	return start(t, unopened(t, options{log: log, now: time.Now, redisTimeout: patience}, settings))
}

// proxy sends requests for an https origin to the App's listener: like the proxy in front
// of a real one, it ends TLS and keeps the Host.
type proxy struct {
	http.RoundTripper
	app *App
}

func (p proxy) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.URL.Host == p.app.Host() {
		r.Host = cmp.Or(r.Host, r.URL.Host)
		r.URL.Scheme, r.URL.Host, _ = strings.Cut(p.app.ListenURL(), "://")
	}
	return p.RoundTripper.RoundTrip(r)
}
