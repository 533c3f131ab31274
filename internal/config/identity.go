package config

import (
	"crypto/tls"
	"crypto/x509"
	"strings"
)

// credential tells the credential that somebody wrote down to be none from one
// that is to be sent.
func (l *loader) credential() {
	identity := &l.config.Identity
	if identity.Authorization == none {
		identity.Authorization, identity.None = "", true
	}
	if string(identity.ClientCert) == none {
		identity.ClientCert, identity.None = nil, true
	}
	if strings.ContainsFunc(identity.Authorization, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		l.problems.add("IDENTITY_AUTHORIZATION", "holds a line break or another character that a header cannot carry")
	}
}

func (l *loader) identityTLS() {
	c := &l.config
	c.identityTLS = &tls.Config{MinVersion: tls.VersionTLS12}
	switch cert, key := len(c.Identity.ClientCert) > 0, len(c.Identity.ClientKey) > 0; {
	case cert && key:
		pair, err := tls.X509KeyPair(c.Identity.ClientCert, c.Identity.ClientKey)
		if err != nil {
			l.problems.add("IDENTITY_CLIENT_CERT", "and its key: %v", err)
		}
		c.identityTLS.Certificates = []tls.Certificate{pair}
	case cert && c.unset("IDENTITY_CLIENT_KEY"):
		l.problems.add("IDENTITY_CLIENT_KEY", "is required with %sIDENTITY_CLIENT_CERT", Prefix)
	case key && c.unset("IDENTITY_CLIENT_CERT"):
		l.problems.add("IDENTITY_CLIENT_CERT", "is required with %sIDENTITY_CLIENT_KEY", Prefix)
	}
	if len(c.Identity.CA) > 0 {
		c.identityTLS.RootCAs = x509.NewCertPool()
		if !c.identityTLS.RootCAs.AppendCertsFromPEM(c.Identity.CA) {
			l.problems.add("IDENTITY_CA", "holds no certificate in PEM")
		}
	}
}
