package config

import (
	"fmt"
	"path/filepath"
)

// The values of AUDIT_LOG that are no file's name.
const (
	AuditOff    = "off"
	AuditStdout = "stdout"
)

func auditLog(text string) (string, error) {
	if text == AuditOff || text == AuditStdout || filepath.IsAbs(text) {
		return text, nil
	}
	return "", fmt.Errorf("%q is neither %s nor %s nor the absolute name of a file", text, AuditOff, AuditStdout)
}
