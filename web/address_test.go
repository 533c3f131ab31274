package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"countersign/internal/logtest"
)

// addressOf returns what the edge takes for the client's address, with these proxies
// trusted.
func addressOf(log *logtest.Log, peer string, forwarded ...string) string {
	e := &edge{Options: Options{
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8:f::/48"), netip.MustParsePrefix("fe80::/64")},
		Logger:         slog.New(slog.NewTextHandler(log, nil)),
	}}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.RemoteAddr, r.Header["X-Forwarded-For"] = peer, forwarded
	address, _ := e.clientAddress(r)
	return address
}

const proxy = "10.0.0.1:4711"

// An entry is an address, with or without a port, brackets and quotes.
func TestXForwardedFor_Entries(t *testing.T) {
	for entry, want := range map[string]string{
		"203.0.113.7":                    "203.0.113.7",
		"203.0.113.7:51234":              "203.0.113.7",
		` "203.0.113.7:51234"` + "\t":    "203.0.113.7",
		`"203.0.113.7"`:                  "203.0.113.7",
		"2001:db8::7":                    "2001:db8::7",
		"2001:DB8:0:0::7":                "2001:db8::7",
		"[2001:db8::7]":                  "2001:db8::7",
		"[2001:db8::7]:51234":            "2001:db8::7",
		`"[2001:db8::7]:51234"`:          "2001:db8::7",
		`"[2001:db8::7]"`:                "2001:db8::7",
		"::ffff:203.0.113.7":             "203.0.113.7",
		"::ffff:cb00:7107":               "203.0.113.7",
		"[::ffff:203.0.113.7]":           "203.0.113.7",
		"[::ffff:203.0.113.7]:51234":     "203.0.113.7",
		"fe80::1%eth0":                   "fe80::1",
		"[fe80:0:0:1::1%eth0]:51234":     "fe80:0:0:1::1",
		"64:ff9b::cb00:7107":             "64:ff9b::cb00:7107",
		"198.51.100.1, 203.0.113.7:1":    "203.0.113.7", // what stands left of the client is its own claim
		"198.51.100.1:2,203.0.113.7":     "203.0.113.7",
		"203.0.113.7:1, 10.0.0.2":        "203.0.113.7",
		"203.0.113.7, 10.0.0.2:80":       "203.0.113.7",
		`203.0.113.7, "10.0.0.2:80"`:     "203.0.113.7",
		"203.0.113.7:1, ::ffff:10.0.0.2": "203.0.113.7",
		"203.0.113.7:1, [2001:db8:f::1]:443, 10.0.0.3:80, [::ffff:10.0.0.2]:80": "203.0.113.7",
		"203.0.113.7, fe80::2%eth1": "203.0.113.7",
		"10.0.0.3:1, 10.0.0.2:2":    "10.0.0.3", // a client within
		",203.0.113.7":              "203.0.113.7",
		"203.0.113.7, , ":           "203.0.113.7", // empty elements of a list, RFC 9110 5.6.1
		"203.0.113.7,,10.0.0.2":     "203.0.113.7",
		"":                          "10.0.0.1",
		" , ":                       "10.0.0.1",
	} {
		var log logtest.Log
		if got := addressOf(&log, proxy, entry); got != want {
			t.Errorf("%q is read as %q, want %q", entry, got, want)
		}
		if said := log.String(); said != "" {
			t.Errorf("%q: the log says %s", entry, said)
		}
	}
}

// Nothing left of an entry that cannot be read is believed, and the log says once which
// proxy wrote it.
func TestXForwardedFor_UnreadableEntry(t *testing.T) {
	for _, entry := range []string{
		"unknown", "_hidden", "203.0.113", "203.0.113.007", "203.0.113.256", "203.0.113.7:", "203.0.113.7:x", "203.0.113.7:70000", "203.0.113.7:-1",
		"203.0.113.7:1:2", "203.0.113.7 198.51.100.1", "[203.0.113.7]", "[203.0.113.7]:80", "[2001:db8::7", "2001:db8::7]", "[2001:db8::7]80", "[[2001:db8::7]]:80",
		`"203.0.113.7`, `203.0.113.7"`, `""203.0.113.7""`, `'203.0.113.7'`, "for=203.0.113.7", "203.0.113.7;x", "unix:", ":80", "[]:80", `""`, `"`, "10.0.0.0/8", "%eth0", "[%eth0]:1",
	} {
		for _, tc := range []struct{ forwarded, address, writer string }{
			{entry, "10.0.0.1", "10.0.0.1"},
			{"198.51.100.1, " + entry, "10.0.0.1", "10.0.0.1"},
			{"198.51.100.1, " + entry + ", 10.0.0.2:80", "10.0.0.2", "10.0.0.2"},
			{"198.51.100.1:1, " + entry + ", ::ffff:10.0.0.3, 10.0.0.2", "10.0.0.3", "10.0.0.3"},
		} {
			var log logtest.Log
			if got := addressOf(&log, proxy, tc.forwarded); got != tc.address {
				t.Errorf("%q is read as %q, want %q", tc.forwarded, got, tc.address)
			}
			if said := log.String(); strings.Count(said, "level=WARN") != 1 || !strings.Contains(said, "proxy="+tc.writer+"\n") || strings.Contains(said, "198.51.100.1") {
				t.Errorf("%q: the log says %q", tc.forwarded, said)
			}
		}
		var log logtest.Log
		if got := addressOf(&log, proxy, entry+", 203.0.113.7"); got != "203.0.113.7" || log.String() != "" {
			t.Errorf("a client's own %q: %q, %s", entry, got, log.String())
		}
	}
}

// Several header lines are one list (RFC 9110, 5.3).
func TestXForwardedFor_SeveralLines(t *testing.T) {
	for want, lines := range map[string][]string{
		"203.0.113.1": {"198.51.100.1", "203.0.113.1:5"},
		"203.0.113.2": {"198.51.100.1, 203.0.113.2:5", "10.0.0.2:80"},
		"203.0.113.3": {"203.0.113.3", "", "10.0.0.3, 10.0.0.2"},
		"10.0.0.3":    {"203.0.113.4, nobody", "10.0.0.3", "10.0.0.2"},
	} {
		var log logtest.Log
		if got := addressOf(&log, proxy, lines...); got != want {
			t.Errorf("%q are read as %q, want %q", lines, got, want)
		}
	}
}

// The header counts if a trusted proxy sent it.
func TestXForwardedFor_TrustedPeers(t *testing.T) {
	for peer, want := range map[string]string{
		"10.0.0.1:1": "203.0.113.7", "[::ffff:10.0.0.1]:1": "203.0.113.7", "[2001:db8:f::1]:1": "203.0.113.7", "[fe80::1%eth0]:1": "203.0.113.7",
		"192.0.2.1:1": "192.0.2.1", "[::ffff:192.0.2.1]:1": "192.0.2.1", "[2001:db8::1]:1": "2001:db8::1", "[fe80:0:0:1::1%eth0]:1": "fe80:0:0:1::1",
		"": "", "@": "",
	} {
		var log logtest.Log
		if got := addressOf(&log, peer, "203.0.113.7:1"); got != want {
			t.Errorf("from %q: %q, want %q", peer, got, want)
		}
	}
}

// The warning comes once in the life of a process.
func TestProxyWarning_OncePerProcess(t *testing.T) {
	var log logtest.Log
	e := &edge{Options: Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	for range 3 {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = proxy
		r.Header.Set("X-Forwarded-For", "unknown")
		_, _ = e.clientAddress(r)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 {
		t.Errorf("%d lines:\n%s", n, log.String())
	}
}
