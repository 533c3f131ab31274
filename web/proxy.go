package web

import (
	"net/http"
	"regexp"
	"strings"
)

// maxProxyRequest limits the length of a proxy's request id, in bytes.
const maxProxyRequest = 128

// proxyRequest returns the X-Request-Id of r if it can stand in a log.
func proxyRequest(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	strange := func(char rune) bool { return char <= ' ' || char > '~' }
	if len(id) > maxProxyRequest || strings.ContainsFunc(id, strange) {
		return ""
	}
	return id
}

var traceParents = regexp.MustCompile(`^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$`)

// traceParent returns the traceparent of r (W3C Trace Context, 3.2), which is passed on
// unchanged, or "" if it is invalid.
func traceParent(r *http.Request) string {
	values := r.Header.Values("Traceparent")
	if len(values) != 1 {
		return ""
	}
	parts := traceParents.FindStringSubmatch(values[0])
	if parts == nil || strings.Trim(parts[1], "0") == "" || strings.Trim(parts[2], "0") == "" {
		return ""
	}
	return values[0]
}

// traceID returns the trace id in a traceparent.
func traceID(parent string) string {
	parts := strings.Split(parent, "-")
	if len(parts) < 2 {
		return ""
	}
	return parts[1]
}
