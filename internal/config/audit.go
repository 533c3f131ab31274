package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/url"
	"path/filepath"
	"strings"
)

// The values of AUDIT_LOG that are no file's name.
const (
	AuditOff    = "off"
	AuditStdout = "stdout"

	auditRedis = "redis:"
)

// SMTP is a mail server; it is none where URL is empty.
type SMTP struct {
	// URL is smtp://user:password@host:port, the user and password where the server asks
	// for them. A connection to another machine is encrypted (STARTTLS).
	URL string `env:"URL" secret:"url"`
	// From is the address that notices come from; where unset, no-reply at the host of
	// PublicOrigin.
	From string `env:"FROM"`
}

// submission is the port of a mail server that a URL names without one (RFC 6409).
const submission = "587"

// Server is the server's host:port, and the user and password that it asks for, if any.
func (s SMTP) Server() (address, user, password string) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return "", "", "" // refused by its rule, which Load reports
	}
	password, _ = u.User.Password()
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), submission)), u.User.Username(), password
}

// smtpURL does not repeat the text, which may carry a password.
func smtpURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "smtp" || u.Hostname() == "" || strings.Trim(u.Path, "/") != "" || strings.ContainsAny(text, "?#") {
		return "", errors.New("is not a mail server such as smtp://user:password@mail.example.com:587")
	}
	if _, err := canonicalPort(u); err != nil {
		return "", errors.New("is not a mail server: its port is not a number from 1 to 65535")
	}
	return text, nil
}

func mailAddress(text string) (string, error) {
	parsed, err := mail.ParseAddress(text)
	if err != nil || parsed.Name != "" {
		return "", fmt.Errorf("%q is not an e-mail address such as no-reply@example.com", text)
	}
	return parsed.Address, nil
}

func auditLog(text string) (string, error) {
	stream, isStream := strings.CutPrefix(text, auditRedis)
	if text == AuditOff || text == AuditStdout || filepath.IsAbs(text) || isStream && stream != "" {
		return text, nil
	}
	return "", fmt.Errorf("%q is none of %s, %s, %sstream and the absolute name of a file", text, AuditOff, AuditStdout, auditRedis)
}

// AuditStream is the name of the stream of Redis that the audit trail goes to; empty where
// it goes elsewhere.
func (c Config) AuditStream() string {
	stream, isStream := strings.CutPrefix(c.AuditLog, auditRedis)
	if !isStream {
		return ""
	}
	return stream
}
