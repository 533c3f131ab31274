// Package operation_test checks what operators install and read: the files in deploy/, the metrics,
// the alerts with their runbooks, and the audit trail.
package operation_test

import (
	"crypto/x509"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"countersign/internal/app"
	"countersign/internal/certtest"
	"countersign/internal/config"
)

const deploy = "../../../deploy/"

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(deploy + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// parse parses one document of YAML.
func parse[T any](t *testing.T, text string) (out T) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// secretsAt returns a reader of the files that the settings in deploy/ name, at any path.
func secretsAt(t *testing.T) func(name string) ([]byte, error) {
	certificate, key := certtest.Pair(t, x509.Certificate{NotAfter: time.Now().Add(time.Hour)})
	contents := map[string]string{
		"redis-url":       "rediss://redis.example.com:26379?master_name=main",
		"session-keys":    strings.Repeat("ab3c", 16),
		"decoy-key":       strings.Repeat("cd5e", 16),
		"access-keys":     strings.Repeat("ef70", 16),
		"identity.crt":    certificate,
		"identity.key":    key,
		"signing-api-key": "key",
	}
	return func(name string) ([]byte, error) {
		if content, known := contents[filepath.Base(name)]; known {
			return []byte(content), nil
		}
		return nil, os.ErrNotExist
	}
}

// checkSettings checks that the program starts in production with these settings.
func checkSettings(t *testing.T, environ map[string]string) config.Config {
	t.Helper()
	var lines []string
	for name, value := range environ {
		lines = append(lines, name+"="+value)
	}
	settings, err := app.Settings(lines, secretsAt(t))
	if err != nil || !settings.Production() {
		t.Errorf("production is %t: %v", settings.Production(), err)
	}
	for _, warning := range settings.Warnings {
		// Redis is on a network of its own there, and callbacks are set up with the tenant.
		expected := []string{"COUNTERSIGN_ADMIN_ADDR", "COUNTERSIGN_REDIS_URL", "COUNTERSIGN_SIGNING_CALLBACK_KEY"}
		if !slices.ContainsFunc(expected, func(name string) bool { return strings.HasPrefix(warning, name) }) {
			t.Error(warning)
		}
	}
	return settings
}
