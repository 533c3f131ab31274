package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/config"

	"github.com/google/go-cmp/cmp"
)

func redacted(t *testing.T, settings ...string) map[string]config.Setting {
	t.Helper()
	found := map[string]config.Setting{}
	for _, s := range mustLoad(t, settings...).Redacted() {
		if _, twice := found[s.Name]; twice {
			t.Errorf("%s is listed twice", s.Name)
		}
		found[s.Name] = s
	}
	return found
}

func TestRedacted_ShowsEffectiveValues(t *testing.T) {
	keys := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(keys, []byte(hexKey), 0o600); err != nil {
		t.Fatal(err)
	}
	got := redacted(t, "SESSION_KEYS_FILE="+keys, "REDIS_URL=redis://default:hunter2@localhost:6379/1", "STEP_UP_AGE=90m", "UPSTREAM_TIMEOUT=90s",
		"PUBLIC_ORIGIN=HTTPS://A.example:443", "SANDBOX=on", "TRUSTED_PROXIES=10.1.0.0/8,::1", "RP_ORIGINS=https://a.example,https://b.example", "LOG_LEVEL=Debug")
	for _, want := range []config.Setting{
		{Name: "SESSION_KEYS", Value: "(set)", Source: config.File},
		{Name: "DECOY_KEY", Value: "(made at start)", Source: config.Default},
		{Name: "SANDBOX_API_KEY", Value: "", Source: config.Default},
		{Name: "REDIS_URL", Value: "redis://default:xxxxx@localhost:6379/1", Source: config.Environment},
		{Name: "STEP_UP_AGE", Value: "1h30m", Source: config.Environment},
		{Name: "UPSTREAM_TIMEOUT", Value: "1m30s", Source: config.Environment},
		{Name: "SESSION_LIFETIME", Value: "12h", Source: config.Default},
		{Name: "PUBLIC_ORIGIN", Value: "https://a.example", Source: config.Environment},
		{Name: "TRUSTED_PROXIES", Value: "10.0.0.0/8,::1/128", Source: config.Environment},
		{Name: "RP_ORIGINS", Value: "https://a.example,https://b.example", Source: config.Environment},
		{Name: "SANDBOX_RP_ID", Value: "a.example", Source: config.Default},
		{Name: "LOG_LEVEL", Value: "debug", Source: config.Environment},
		{Name: "ADDR", Value: "127.0.0.1:8080", Source: config.Default},
	} {
		want.Name = config.Prefix + want.Name
		if diff := cmp.Diff(want, got[want.Name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.Name, diff)
		}
	}
}

func TestRedacted_HidesEverySecret(t *testing.T) {
	const secret = "hunter2"
	certificate, key := pair(t)
	c := mustLoad(t, production(
		"SESSION_KEYS="+hexKey, "DECOY_KEY="+urlKey, "IDENTITY_AUTHORIZATION=Bearer "+secret,
		"IDENTITY_CLIENT_CERT="+certificate, "IDENTITY_CLIENT_KEY="+key,
		"REDIS_MODE=sentinel", "REDIS_URL=rediss://u:"+secret+"@localhost?master_name=main&password="+secret,
	)...)
	c.Sandbox.APIKey = secret
	for _, s := range c.Redacted() {
		for _, hidden := range []string{secret, hexKey, urlKey, "PRIVATE KEY"} {
			if strings.Contains(s.Value, hidden) {
				t.Errorf("%s shows %q", s.Name, s.Value)
			}
		}
	}
}

func TestRedacted_ShowsNoneCredential(t *testing.T) {
	got := redacted(t, production("IDENTITY_AUTHORIZATION=none")...)
	if s := got["COUNTERSIGN_IDENTITY_AUTHORIZATION"]; s.Value != "none" {
		t.Errorf("a credential written down as none shows as %q", s.Value)
	}
}

func TestRedacted_BrokenSettings(t *testing.T) {
	c, err := load("ADDR=nowhere", "SESSION_KEYS=hunter2", "PUBLIC_ORIGIN=x")
	if err == nil {
		t.Fatal("no problem found")
	}
	for _, s := range c.Redacted() {
		if strings.Contains(s.Value, "hunter2") {
			t.Errorf("%s shows %q", s.Name, s.Value)
		}
	}
}
