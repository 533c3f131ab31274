package config

import (
	"crypto/tls"
	"strings"
)

// Service is one API of the platform with its address and credentials.
type Service struct {
	// URL is the base URL of the identity API, if it differs from `COUNTERSIGN_PLATFORM_URL`.
	// Default: `COUNTERSIGN_PLATFORM_URL`
	// Example: https://identity.example.com/v1
	URL string `env:"URL" rule:"baseURL"`
	// ClientCert is the client certificate (PEM) for the identity API, with its chain.
	// Required: in production, unless `COUNTERSIGN_IDENTITY_AUTHORIZATION` is set
	// Example: /run/secrets/identity.crt
	ClientCert Document `env:"CLIENT_CERT"`
	// ClientKey is the private key (PEM) of `COUNTERSIGN_IDENTITY_CLIENT_CERT`.
	// Required: with `COUNTERSIGN_IDENTITY_CLIENT_CERT`
	// Example: /run/secrets/identity.key
	ClientKey Document `env:"CLIENT_KEY" secret:"true"`
	// CA are the only trusted authorities (PEM) for the identity API.
	// Default: the system's
	// Example: /run/secrets/identity-ca.crt
	CA Document `env:"CA"`
	// Authorization is the whole `Authorization` header for the identity API; `none` if it needs no
	// credential.
	// Example: /run/secrets/identity-authorization
	Authorization string `env:"AUTHORIZATION" secret:"true"`
	// None says that the settings deliberately name no credential.
	None bool

	tls *tls.Config
}

// TLS returns a new TLS configuration for its calls, with the client certificate and the
// authority, if they are set.
func (s Service) TLS() *tls.Config { return s.tls.Clone() }

// service checks the service whose settings begin with prefix. Production needs its
// credential; with the embedded platform, a credential suggests that production was
// meant.
func (l *loader) service(prefix string, s *Service) {
	if s.Authorization == none {
		s.Authorization, s.None = "", true
	}
	if string(s.ClientCert) == none {
		s.ClientCert, s.None = nil, true
	}
	if strings.ContainsFunc(s.Authorization, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		l.problems.add(prefix+"AUTHORIZATION", "holds a line break or another character that a header cannot carry")
	}
	s.tls = l.clientTLS(prefix, s.identification())
	if l.config.Production() {
		if l.config.unset(prefix+"CLIENT_CERT") && l.config.unset(prefix+"AUTHORIZATION") {
			l.problems.add(prefix+"AUTHORIZATION", "is required with %[1]sPLATFORM_URL, or %[1]s%[2]sCLIENT_CERT and _KEY instead; none says that the platform asks for no credential", Prefix, prefix)
		}
		return
	}
	for name, credential := range map[string]bool{
		"CLIENT_CERT": len(s.ClientCert) > 0, "CLIENT_KEY": len(s.ClientKey) > 0, "AUTHORIZATION": s.Authorization != "", "CA": false,
	} {
		switch {
		case l.config.unset(prefix + name):
		case credential && !l.config.SandboxOn:
			l.problems.add(prefix+name, "is a credential, and the platform is embedded: "+setPlatform, Prefix)
		default:
			l.warnings.add(prefix+name, "has no effect without %sPLATFORM_URL", Prefix)
		}
	}
}

// identification holds a client certificate, its key and the trusted authorities, in PEM.
type identification struct{ cert, key, ca Document }

func (s Service) identification() identification {
	return identification{s.ClientCert, s.ClientKey, s.CA}
}

// clientTLS returns the TLS configuration of the settings that begin with prefix.
func (l *loader) clientTLS(prefix string, id identification) *tls.Config {
	out := l.authorities(prefix+"CA", id.ca)
	switch cert, key := len(id.cert) > 0, len(id.key) > 0; {
	case cert && key:
		pair, err := tls.X509KeyPair(id.cert, id.key)
		switch wrong := brokenPEM(id.cert); {
		case wrong != "":
			l.problems.add(prefix+"CLIENT_CERT", "%s", wrong)
		case err != nil:
			l.problems.add(prefix+"CLIENT_CERT", "and its key: %v", err)
		}
		out.Certificates = []tls.Certificate{pair}
	case cert && l.config.unset(prefix+"CLIENT_KEY"):
		l.problems.add(prefix+"CLIENT_KEY", "is required with %s%sCLIENT_CERT", Prefix, prefix)
	case key && l.config.unset(prefix+"CLIENT_CERT"):
		l.problems.add(prefix+"CLIENT_CERT", "is required with %s%sCLIENT_KEY", Prefix, prefix)
	}
	return out
}
