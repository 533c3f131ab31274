package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

func TestProxyRequest_InvalidID(t *testing.T) {
	for id, want := range map[string]string{
		"a1b2-c3": "a1b2-c3", "": "", "two words": "", "line\nbreak": "", "é": "", strings.Repeat("x", 128): strings.Repeat("x", 128), strings.Repeat("x", 129): "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["X-Request-Id"] = []string{id}
		if got := proxyRequest(r); got != want {
			t.Errorf("%q: %q", id, got)
		}
	}
	upper := strings.ToUpper(parent)
	zero := "00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"
	noSpan := "00-4bf92f3577b34da6a3ce929d0e0e4736-" + strings.Repeat("0", 16) + "-01"
	for _, values := range [][]string{nil, {""}, {"x"}, {upper}, {zero}, {noSpan}, {parent + "-x"}, {"ff" + parent[2:]}, {parent, parent}, {parent + "\n"}} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Traceparent"] = values
		if got := traceParent(r); got != "" {
			t.Errorf("%q: %q", values, got)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Header.Set("Traceparent", parent)
	if got := traceParent(r); got != parent || traceID(got) != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("%q of trace %q", got, traceID(got))
	}
}
