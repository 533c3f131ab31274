package config

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/url"
	"strings"
)

// keys checks API keys that are sent in a header, by setting.
func (l *loader) keys(all map[string]string) {
	for name, key := range all {
		if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
			l.problems.add(name, "holds a space, a line break or another character that no key has")
		}
	}
}

// authorities returns the TLS settings with the authorities of ca, or the system's if ca
// is empty. name is ca's setting.
func (l *loader) authorities(name string, ca Document) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if len(ca) > 0 {
		c.RootCAs = x509.NewCertPool()
		some := c.RootCAs.AppendCertsFromPEM(ca)
		switch wrong := brokenPEM(ca); {
		case wrong != "":
			l.problems.add(name, "%s", wrong)
		case !some:
			l.problems.add(name, "holds no certificate in PEM")
		}
	}
	return c
}

// brokenPEM says what cannot be read of a text in PEM, which libraries leave out in silence; ""
// for nothing.
func brokenPEM(text Document) string {
	if bytes.HasPrefix(text, []byte(byteOrderMark)) {
		return wrapped(byteOrderMark)
	}
	read, rest := 0, []byte(text)
	for block, after := pem.Decode(rest); block != nil; block, after = pem.Decode(rest) {
		read, rest = read+1, after
	}
	if begun := bytes.Count(text, []byte("-----BEGIN ")); begun > read || bytes.Contains(rest, []byte("-----")) {
		return fmt.Sprintf("holds PEM that is cut off or damaged: %d of its parts can be read", read)
	}
	return ""
}

// embeddedAPI checks the address and the credential of an API while the platform is
// embedded.
func (l *loader) embeddedAPI(name, address, credential string, given bool) {
	u, err := url.Parse(address)
	switch {
	case address != "" && err == nil && !loopback(u.Hostname()) && !l.config.SandboxOn:
		l.problems.add(name, "is not this machine, and the rest of the platform is embedded: "+setPlatform, Prefix)
	case address != "" || !given:
	case l.config.SandboxOn:
		l.warnings.add(credential, "has no effect without %s%s", Prefix, name)
	default:
		l.problems.add(credential, "is a credential, and the platform is embedded: "+setPlatform, Prefix)
	}
}

// unused warns of settings with this prefix that have no effect because the credential is
// not set.
func (l *loader) unused(credential, prefix string) {
	for _, s := range settings() {
		if strings.HasPrefix(s.name, prefix) && !l.config.unset(s.name) {
			l.warnings.add(s.name, "has no effect without %s%s", Prefix, credential)
		}
	}
}
