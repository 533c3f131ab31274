// Package deploy_test checks the files in deploy/ against the program: its metrics, its
// settings, the way it ends.
package deploy_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"countersign/internal/app"
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

// secrets returns the content of the files that the settings in deploy/ name, at any
// path.
func secrets(name string) ([]byte, error) {
	certificate, key := selfSigned()
	content, known := map[string]string{
		"redis-url":       "rediss://redis.example.com:26379?master_name=main",
		"session-keys":    strings.Repeat("ab3c", 16),
		"decoy-key":       strings.Repeat("cd5e", 16),
		"access-keys":     strings.Repeat("ef70", 16),
		"identity.crt":    certificate,
		"identity.key":    key,
		"signing-api-key": "key",
	}[filepath.Base(name)]
	if !known {
		return nil, os.ErrNotExist
	}
	return []byte(content), nil
}

// checkSettings checks that the program starts in production with these settings.
func checkSettings(t *testing.T, environ map[string]string) config.Config {
	t.Helper()
	var lines []string
	for name, value := range environ {
		lines = append(lines, name+"="+value)
	}
	settings, err := app.Settings(lines, secrets)
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
