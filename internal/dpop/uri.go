package dpop

import (
	"encoding/hex"
	"net/http"
	"strings"
)

// normalise returns a URI without its query and fragment in one spelling for all
// equivalent ones (RFC 3986, 6.2.2 and 6.2.3): scheme and host in lower case, no default
// port, escapes in upper case and none of unreserved characters, no dot segments, and /
// for an empty path. It returns false for anything but an absolute http or https URI
// without user information.
func normalise(uri string) (string, bool) {
	uri = withoutQuery(uri)
	scheme, rest, ok := strings.Cut(uri, "://")
	scheme = strings.ToLower(scheme)
	port, known := defaultPorts[scheme]
	if !ok || !known {
		return "", false
	}
	host, path := rest, ""
	if at := strings.IndexByte(rest, '/'); at >= 0 {
		host, path = rest[:at], rest[at:]
	}
	host = strings.ToLower(normalEscapes(host))
	if strings.Contains(host, "@") {
		return "", false
	}
	if name, given := cutPort(host); given == "" || given == port {
		host = name
	}
	if host == "" {
		return "", false
	}
	return scheme + "://" + host + normalPath(path), true
}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// cutPort splits a host from its port, which is "" for none.
func cutPort(host string) (name, port string) {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") { // an IPv6 address contains colons
		return host, ""
	}
	return host[:at], host[at+1:]
}

func withoutQuery(uri string) string {
	if at := strings.IndexAny(uri, "?#"); at >= 0 {
		return uri[:at]
	}
	return uri
}

// pathOf returns the path of a request as the client sent it, escapes included.
func pathOf(r *http.Request) string {
	target := r.RequestURI
	if target == "" { // a request that came through no server
		return r.URL.EscapedPath()
	}
	target = withoutQuery(target)
	if _, rest, absolute := strings.Cut(target, "://"); absolute && !strings.HasPrefix(target, "/") {
		_, path, _ := strings.Cut(rest, "/")
		return "/" + path
	}
	return target
}

// normalPath returns the normal form of a path; / for an empty one.
func normalPath(path string) string {
	path = withoutDots(normalEscapes(path))
	if path == "" {
		return "/"
	}
	return path
}

// normalEscapes writes escapes in upper case, and unreserved characters without one.
func normalEscapes(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		value, ok := escaped(text[i:])
		switch {
		case !ok:
			out.WriteByte(text[i])
			continue
		case unreserved(value):
			out.WriteByte(value)
		default:
			out.WriteString(strings.ToUpper(text[i : i+3]))
		}
		i += 2
	}
	return out.String()
}

// escaped returns the byte that text begins with in its escaped form, %41.
func escaped(text string) (byte, bool) {
	if len(text) < 3 || text[0] != '%' {
		return 0, false
	}
	value, err := hex.DecodeString(text[1:3])
	if err != nil {
		return 0, false
	}
	return value[0], true
}

// unreserved reports whether c is an unreserved character (RFC 3986, 2.3).
func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// withoutDots removes the segments . and .. (RFC 3986, 5.2.4).
func withoutDots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	var out []string
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".", "..":
			if segment == ".." && len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, segment)
		}
	}
	return "/" + strings.Join(out, "/")
}
