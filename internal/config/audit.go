package config

import (
	"fmt"
	"path/filepath"
	"strings"
)

// The values of AUDIT_LOG that are no file's name.
const (
	AuditOff    = "off"
	AuditStdout = "stdout"

	auditRedis = "redis:"
)

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
