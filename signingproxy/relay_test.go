package signingproxy

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Headers of a client reach the platform only within their bounds, and a range never without
// its condition.
func TestWanted_Bounded(t *testing.T) {
	fill := func(n int) string { return strings.Repeat("x", n) }
	for name, c := range map[string]struct {
		sent, passed http.Header
		file         bool
	}{
		"all of it": {
			http.Header{"Accept": {"text/csv"}, "Accept-Language": {"de"}, "If-None-Match": {`"a"`}, "If-Modified-Since": {"x"}, "If-Range": {`"a"`}, "Range": {"bytes=0-1"}},
			http.Header{"Accept": {"text/csv"}, "Accept-Language": {"de"}, "If-None-Match": {`"a"`}, "If-Modified-Since": {"x"}, "If-Range": {`"a"`}, "Range": {"bytes=0-1"}}, true,
		},
		"as long as may be": {
			http.Header{"Accept": {fill(256)}, "Accept-Language": {fill(256)}, "If-None-Match": {fill(1 << 10)}},
			http.Header{"Accept": {fill(256)}, "Accept-Language": {fill(256)}, "If-None-Match": {fill(1 << 10)}}, true,
		},
		"too long": {
			http.Header{"Accept": {fill(257)}, "Accept-Language": {fill(257)}, "If-None-Match": {fill(1025)}, "If-Modified-Since": {fill(1025)}, "Range": {"bytes=" + strings.Repeat("1", 1025) + "-"}},
			http.Header{"Accept": {"application/json"}}, true,
		},
		"a condition that is too long": {
			http.Header{"If-Range": {fill(1025)}, "Range": {"bytes=0-1"}}, http.Header{"Accept": {"application/json"}}, true,
		},
		"no file": {
			http.Header{"If-None-Match": {`"a"`}, "Range": {"bytes=0-1"}, "If-Match": {"x"}}, http.Header{"Accept": {"application/json"}}, false,
		},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header = c.sent
		if diff := cmp.Diff(c.passed, Wanted(r, c.file)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
