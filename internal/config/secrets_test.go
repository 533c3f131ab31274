package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSecrets_FromFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	c := mustLoad(t, without(production(
		"SESSION_KEYS_FILE="+file("keys", hexKey+",\n"+urlKey+"\r\n"),
		"REDIS_URL_FILE="+file("redis", "redis://localhost\n"),
		"IDENTITY_AUTHORIZATION_FILE="+file("authorization", " Bearer x\n"),
	), "SESSION_KEYS", "REDIS_URL", "IDENTITY_AUTHORIZATION")...)
	if len(c.Session.Keys) != 2 || c.Redis.URL != "redis://localhost" || c.Identity.Authorization != " Bearer x" {
		t.Errorf("from files: %d keys, %q, %q", len(c.Session.Keys), c.Redis.URL, c.Identity.Authorization)
	}
	wantProblem(t, "DECOY_KEY", "DECOY_KEY="+hexKey, "DECOY_KEY_FILE="+file("decoy", hexKey))
	wantProblem(t, "DECOY_KEY_FILE", "DECOY_KEY_FILE="+filepath.Join(dir, "absent"))
	wantProblem(t, "DECOY_KEY_FILE", "DECOY_KEY_FILE="+dir)
	wantProblem(t, "DECOY_KEY_FILE", "DECOY_KEY_FILE="+file("empty", "\n"))
	wantProblem(t, "IDENTITY_AUTHORIZATION", "SANDBOX=on", "IDENTITY_AUTHORIZATION_FILE="+file("two", "Bearer x\n\n"))

	c = mustLoad(t, "SANDBOX_UAF_METADATA="+file("metadata.json", "[{}]\n"))
	if string(c.Sandbox.UAFMetadata) != "[{}]" {
		t.Errorf("a document by its file's name: %q", c.Sandbox.UAFMetadata)
	}
}

func TestLoad_ProblemsRepeatNoSecret(t *testing.T) {
	const secret = "hunter2"
	for _, s := range []string{
		"DECOY_KEY=" + secret, "SESSION_KEYS=" + secret + "," + secret, "REDIS_URL=http://:" + secret + "@localhost", "REDIS_URL=redis://:" + secret + "@%zz",
		"IDENTITY_CLIENT_KEY=" + secret, "IDENTITY_CLIENT_KEY_FILE=" + secret, "IDENTITY_AUTHORIZATION=" + secret + "\n" + secret,
		"PUBLIC_ORIGIN=https://" + secret + "@localhost", "IDENTITY_CLIENT_CERT=-----BEGIN " + secret, "SANDBOX_UAF_METADATA=[" + secret,
	} {
		_, err := load(production(s)...)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", s, err)
		}
	}
}
