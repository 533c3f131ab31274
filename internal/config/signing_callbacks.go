package config

import (
	"net/url"
	"slices"
	"strings"
)

// signingCallbacks checks how the platform's callbacks are admitted.
func (l *loader) signingCallbacks() {
	s := l.config.Signing
	if s.CallbackHeader != "" {
		switch {
		case strings.ContainsFunc(s.CallbackHeader, func(r rune) bool { return !isToken(r) }):
			l.problems.add("SIGNING_CALLBACK_HEADER", "%q is not a valid header name", s.CallbackHeader)
		case slices.Contains([]string{"host", "content-length", "transfer-encoding", "connection", "trailer", "upgrade"}, strings.ToLower(s.CallbackHeader)):
			l.problems.add("SIGNING_CALLBACK_HEADER", "%q belongs to the connection and never arrives", s.CallbackHeader)
		case s.CallbackKey == "":
			l.problems.add("SIGNING_CALLBACK_HEADER", "is a header for %sSIGNING_CALLBACK_KEY, which is not set", Prefix)
		}
	}
	names := []string{"SIGNING_CALLBACK_ISSUER", "SIGNING_CALLBACK_AUDIENCE", "SIGNING_CALLBACK_JWKS_URL"}
	missing := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !l.config.unset(name) })
	if len(missing) == len(names) {
		return
	}
	for _, name := range missing {
		l.problems.add(name, "is required: the issuer, the audience and the keys of tokens are set together")
	}
	u, err := url.Parse(s.CallbackJWKSURL)
	isURL := err == nil && u.Host != "" && u.User == nil && u.Fragment == "" && (u.Scheme == "https" || u.Scheme == "http" && loopback(u.Hostname()))
	if s.CallbackJWKSURL != "" && !isURL {
		l.problems.add("SIGNING_CALLBACK_JWKS_URL", "must be an https URL, otherwise an attacker could replace the keys")
	}
}

// isToken reports whether r may stand in the name of a header (RFC 9110, section 5.6.2).
func isToken(r rune) bool {
	switch {
	case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
		return true
	}
	return strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}
