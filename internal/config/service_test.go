package config_test

import (
	"crypto/tls"
	"crypto/x509"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/certtest"
)

// pair returns a self-signed certificate and its key, in PEM.
func pair(t *testing.T) (certificate, key string) {
	t.Helper()
	return certtest.Pair(t, x509.Certificate{NotAfter: time.Unix(1<<33, 0)})
}

func TestClientCertificate_TextOrFile(t *testing.T) {
	certificate, key := pair(t)
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for path, text := range map[string]string{certFile: certificate, keyFile: key} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	base := without(production(), "IDENTITY_AUTHORIZATION")
	for how, settings := range map[string][]string{
		"as it is":  {"IDENTITY_CLIENT_CERT=" + certificate, "IDENTITY_CLIENT_KEY=" + key, "IDENTITY_CA=" + certificate},
		"by name":   {"IDENTITY_CLIENT_CERT=" + certFile, "IDENTITY_CLIENT_KEY=" + keyFile, "IDENTITY_CA=" + certFile},
		"by _FILE":  {"IDENTITY_CLIENT_CERT_FILE=" + certFile, "IDENTITY_CLIENT_KEY_FILE=" + keyFile, "IDENTITY_CA_FILE=" + certFile},
		"mixed, ok": {"IDENTITY_CLIENT_CERT=" + certFile, "IDENTITY_CLIENT_KEY_FILE=" + keyFile, "IDENTITY_CA=" + certificate},
	} {
		got := mustLoad(t, append(base, settings...)...).Identity.TLS()
		if len(got.Certificates) != 1 || got.RootCAs == nil || got.MinVersion != tls.VersionTLS12 || got.InsecureSkipVerify {
			t.Errorf("%s: %d certificates, authorities %v", how, len(got.Certificates), got.RootCAs)
		}
	}
}

func TestClientCertificate_Problems(t *testing.T) {
	certificate, key := pair(t)
	_, other := pair(t)
	base := without(production(), "IDENTITY_AUTHORIZATION")
	for _, test := range []struct {
		name     string
		settings []string
	}{
		{"IDENTITY_CLIENT_KEY", []string{"IDENTITY_CLIENT_CERT=" + certificate}},
		{"IDENTITY_CLIENT_CERT", []string{"IDENTITY_AUTHORIZATION=x", "IDENTITY_CLIENT_KEY=" + key}},
		{"IDENTITY_CLIENT_CERT", []string{"IDENTITY_CLIENT_CERT=" + certificate, "IDENTITY_CLIENT_KEY=" + other}},
		{"IDENTITY_CLIENT_CERT", []string{"IDENTITY_CLIENT_CERT=" + key, "IDENTITY_CLIENT_KEY=" + key}},
		{"IDENTITY_CLIENT_CERT", []string{"IDENTITY_CLIENT_CERT=absent.pem", "IDENTITY_CLIENT_KEY=" + key}},
		{"IDENTITY_CLIENT_CERT", []string{"IDENTITY_CLIENT_CERT=" + certificate, "IDENTITY_CLIENT_KEY=-----BEGIN hunter2"}},
		{"IDENTITY_CA", []string{"IDENTITY_AUTHORIZATION=x", "IDENTITY_CA=" + key}},
	} {
		wantProblem(t, test.name, append(base, test.settings...)...)
	}
}

func TestIdentity_CredentialNone(t *testing.T) {
	base := without(production(), "IDENTITY_AUTHORIZATION")
	for _, name := range []string{"IDENTITY_AUTHORIZATION", "IDENTITY_CLIENT_CERT"} {
		c := mustLoad(t, append(base, name+"=none")...)
		if !c.Identity.None || c.Identity.Authorization != "" || len(c.Identity.TLS().Certificates) != 0 {
			t.Errorf("%s=none: %+v", name, c.Identity)
		}
	}
	if mustLoad(t, production()...).Identity.None {
		t.Error("a credential is set, and yet none is needed")
	}
}

func TestIdentityTLS_CopyForEachCaller(t *testing.T) {
	c := mustLoad(t)
	c.Identity.TLS().ServerName = "changed"
	if strings.Contains(c.Identity.TLS().ServerName, "changed") {
		t.Error("a caller's change reached the next one")
	}
}
