package config

import (
	"fmt"
	"net/mail"
	"path/filepath"
	"strings"
)

// The values of AUDIT_LOG that are no file's name.
const (
	AuditOff    = "off"
	AuditStdout = "stdout"

	auditRedis = "redis:"
)

// SMTP is a mail server; it is none where Addr is empty.
type SMTP struct {
	// Addr is host:port. A connection to another machine is encrypted (STARTTLS).
	Addr string `env:"ADDR"`
	// From is the address that notices come from; where unset, no-reply at the host of
	// PublicOrigin.
	From string `env:"FROM"`
	// User and Password are empty where the server asks for none.
	User     string `env:"USER"`
	Password string `env:"PASSWORD" secret:"true"`
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
