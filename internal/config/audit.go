package config

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"path/filepath"
	"strings"
)

// LogJSON is the Format of a log for machines.
const LogJSON = "json"

// Log holds the level and the format of the log.
type Log struct {
	// Level is the lowest logged level: `debug`, `info`, `warn` or `error`.
	// Example: warn
	Level Level `env:"LEVEL" envDefault:"info"`
	// Format is the format of the log: `text` or `json`.
	// Default: `text`; `json` in production
	// Example: json
	Format string `env:"FORMAT" oneOf:"text,json"`
}

// The values of AUDIT_LOG that are not file names.
const (
	AuditOff    = "off"
	AuditStdout = "stdout"

	auditRedis = "redis:"
)

// SMTP is a mail server; an empty URL disables notices.
type SMTP struct {
	// URL is the mail server for [e-mail notices](operate/email-notices.md): `smtp://` with STARTTLS
	// (port 587), or `smtps://` (port 465).
	// Default: none; embedded, the sandbox's outbox
	// Example: smtp://user:password@mail.example.com:587
	//
	// User and password are percent-encoded. A server on the same machine may lack TLS, unless
	// `COUNTERSIGN_SMTP_CA` is set.
	URL string `env:"URL" secret:"url" rule:"smtpURL"`
	// From is the sender of notices, an address with or without a name.
	// Default: `no-reply@localhost`, the public origin's host
	// Example: Acme Sign <no-reply@acme.example>
	//
	// Its domain is used to greet the mail server and to number messages.
	From string `env:"FROM" rule:"mailAddress"`
	// CA are the only trusted authorities (PEM) for the mail server; needs `COUNTERSIGN_SMTP_URL`.
	// Default: the system's
	// Example: /run/secrets/mail-ca.crt
	CA Document `env:"CA"`

	tls *tls.Config
}

// TLS returns a new TLS configuration with the authority, if it is set.
func (s SMTP) TLS() *tls.Config { return s.tls.Clone() }

// The default ports of a mail server's URL (RFC 6409, RFC 8314).
const submission, submissions = "587", "465"

// smtps is the scheme of a server that speaks TLS from the first byte on.
const smtps = "smtps"

// Implicit reports whether the server speaks TLS from the first byte on.
func (s SMTP) Implicit() bool {
	u, err := url.Parse(s.URL)
	return err == nil && u.Scheme == smtps
}

// Server returns the server's host:port, and the user and password, if any.
func (s SMTP) Server() (address, user, password string) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return "", "", "" // refused by its rule, which Load reports
	}
	password, _ = u.User.Password()
	port := submission
	if s.Implicit() {
		port = submissions
	}
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)), u.User.Username(), password
}

// smtp checks that the settings of the mail server go together.
func (l *loader) smtp() {
	c := &l.config
	c.SMTP.tls = l.clientTLS("SMTP_", identification{ca: c.SMTP.CA})
	if c.SMTP.URL == "" && !c.unset("SMTP_CA") {
		l.problems.add("SMTP_CA", "has no effect: %sSMTP_URL is not set", Prefix)
	}
}

// smtpURL checks a mail server's URL. Its errors do not repeat the text, which may
// contain a password.
func smtpURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "smtp" && u.Scheme != smtps || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || strings.ContainsAny(text, "?#") {
		return "", errors.New("is not a mail server such as smtp://user:password@mail.example.com:587 or smtps://user:password@mail.example.com:465")
	}
	if _, err := canonicalPort(u); err != nil {
		return "", errors.New("is not a mail server: its port is not a number from 1 to 65535")
	}
	return text, nil
}

func mailAddress(text string) (string, error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil {
		return "", fmt.Errorf("%q is not an e-mail address such as no-reply@example.com or Sign <no-reply@example.com>", text)
	}
	if parsed.Name == "" {
		return parsed.Address, nil
	}
	return parsed.String(), nil
}

func auditLog(text string) (string, error) {
	stream, isStream := strings.CutPrefix(text, auditRedis)
	if text == AuditOff || text == AuditStdout || filepath.IsAbs(text) || isStream && stream != "" {
		return text, nil
	}
	return "", fmt.Errorf("%q must be one of %s, %s, %sstream, or the absolute path of a file", text, AuditOff, AuditStdout, auditRedis)
}

// AuditStream returns the name of the Redis stream of the audit trail, or "" if the trail
// goes elsewhere.
func (c Config) AuditStream() string {
	stream, isStream := strings.CutPrefix(c.AuditLog, auditRedis)
	if !isStream {
		return ""
	}
	return stream
}
