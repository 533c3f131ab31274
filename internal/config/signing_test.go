package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"countersign/internal/config"
)

func TestSigning_InUseWithCredential(t *testing.T) {
	c := mustLoad(t)
	if !c.SigningInUse() || c.Signing.URL != "" || len(c.AccessKeys) != 1 || c.MaxUpload != 40<<20 || !c.TrustPlatformEmail {
		t.Errorf("embedded: %+v", c.Signing)
	}
	if c = mustLoad(t, production()...); c.SigningInUse() || len(c.AccessKeys) != 0 || len(c.Warnings) != 0 {
		t.Errorf("production without a credential uses signing; warnings %q", c.Warnings)
	}
	c = mustLoad(t, production("SIGNING_API_KEY=a2V5OnNlY3JldA==", "ACCESS_KEYS="+urlKey)...)
	if s := c.Signing.Service(); !c.SigningInUse() || s.Authorization != "Basic a2V5OnNlY3JldA==" || s.URL != "https://tenant.example.com/v1" || s.None {
		t.Errorf("production: %+v", s)
	}
	c = mustLoad(t, production("SIGNING_API_KEY=none", "ACCESS_KEYS="+urlKey)...)
	if s := c.Signing.Service(); !c.SigningInUse() || s.Authorization != "" || !s.None {
		t.Errorf("production without asking for a credential: %+v", s)
	}
	wantProblem(t, "ACCESS_KEYS", production("SIGNING_API_KEY=k")...)
	for _, key := range []string{"a b", "a\nb", "é"} {
		wantProblem(t, "SIGNING_API_KEY", production("SIGNING_API_KEY="+key, "ACCESS_KEYS="+urlKey)...)
	}
	alone := without(production("IDENTITY_URL=https://identity.example.com", "SIGNING_API_KEY=k", "ACCESS_KEYS="+urlKey), "PLATFORM_URL")
	wantProblem(t, "SIGNING_URL", alone...)
	mustLoad(t, append(alone, "SIGNING_URL=https://signing.example.com")...)
	if c = mustLoad(t, production("SIGNING_SWEEP=1m")...); len(c.Warnings) != 1 {
		t.Errorf("a setting without effect: %q", c.Warnings)
	}
}

func TestSigning_BesideEmbeddedPlatform(t *testing.T) {
	for _, address := range []string{"http://localhost:8099", "http://127.0.0.1:8099", "http://[::1]:8099/sub"} {
		c := mustLoad(t, "SIGNING_URL="+address, "SIGNING_API_KEY=k")
		if c.Production() || c.Signing.URL != address || len(c.Warnings) != 0 {
			t.Errorf("%s: production %t, %q, %q", address, c.Production(), c.Signing.URL, c.Warnings)
		}
	}
	if c := mustLoad(t, "SANDBOX=on", "SIGNING_URL=https://tenant.example.com"); c.Production() {
		t.Error("SIGNING_URL makes it production")
	}
	if c := mustLoad(t, "SANDBOX=on", "SIGNING_API_KEY=k"); len(c.Warnings) != 1 {
		t.Errorf("a credential that nobody is shown: %q", c.Warnings)
	}
}

func TestSigning_OAuth(t *testing.T) {
	oauth := []string{"SIGNING_OAUTH_CLIENT_ID=client-1", "SIGNING_OAUTH_CLIENT_SECRET=s3cret", "ACCESS_KEYS=" + urlKey, "SIGNING_CALLBACK_KEY=k"}
	c := mustLoad(t, production(oauth...)...)
	if s := c.Signing.Service(); !c.SigningInUse() || s.Authorization != "" || s.None || len(c.Warnings) != 0 {
		t.Errorf("%+v, warnings %q", s, c.Warnings)
	}
	for base, want := range map[string]string{
		"":                                    "https://tenant.example.com/v1/oauth2/token",
		"SIGNING_URL=https://a.example":       "https://a.example/oauth2/token",
		"SIGNING_URL=https://a.example/":      "https://a.example/oauth2/token",
		"SIGNING_URL=https://a.example/api":   "https://a.example/oauth2/token",
		"SIGNING_URL=https://a.example/sign/": "https://a.example/sign/oauth2/token",
		"SIGNING_OAUTH_TOKEN_URL=https://login.example/token?a=b": "https://login.example/token?a=b",
	} {
		c := mustLoad(t, production(append(oauth, base)...)...)
		if o := c.Signing.OAuth; o.TokenURL != want || o.ClientID != "client-1" || o.ClientSecret != "s3cret" {
			t.Errorf("%s: %+v", base, o)
		}
		for _, s := range c.Redacted() {
			if strings.Contains(s.Value, "s3cret") || strings.Contains(s.Value, "client-1") {
				t.Errorf("%s shows %s", s.Name, s.Value)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte("from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c = mustLoad(t, production("SIGNING_OAUTH_CLIENT_ID_FILE="+file, "SIGNING_OAUTH_CLIENT_SECRET_FILE="+file, "ACCESS_KEYS="+urlKey)...)
	if o := c.Signing.OAuth; o.ClientID != "from-a-file" || o.ClientSecret != "from-a-file" {
		t.Errorf("%+v", o)
	}
	if c := mustLoad(t, production(append(oauth, "SIGNING_OAUTH_TOKEN_URL=http://login.example/token")...)...); len(c.Warnings) != 1 {
		t.Errorf("a secret in the clear: %q", c.Warnings)
	}
	c = mustLoad(t, append([]string{"SIGNING_URL=http://127.0.0.1:8099"}, oauth[:2]...)...)
	if c.Production() || c.Signing.OAuth.TokenURL != "http://127.0.0.1:8099/oauth2/token" || len(c.Warnings) != 0 {
		t.Errorf("beside the embedded platform: %+v, %q", c.Signing.OAuth, c.Warnings)
	}
}

func TestSigning_OneCompleteCredential(t *testing.T) {
	id, secret, url := "SIGNING_OAUTH_CLIENT_ID=x", "SIGNING_OAUTH_CLIENT_SECRET=hunter2", "SIGNING_OAUTH_TOKEN_URL=https://a.example/token"
	for _, tt := range []struct {
		settings []string
		problems []string // in which variables
	}{
		{[]string{id}, []string{"CLIENT_SECRET"}},
		{[]string{secret}, []string{"CLIENT_ID"}},
		{[]string{url}, []string{"CLIENT_ID", "CLIENT_SECRET"}},
		{[]string{id, url}, []string{"CLIENT_SECRET"}},
		{[]string{"SIGNING_API_KEY=hunter2", id, secret}, []string{"API_KEY"}},
		{[]string{"SIGNING_API_KEY=none", id, secret}, []string{"API_KEY"}},
		{[]string{"SIGNING_API_KEY=hunter2", id}, []string{"API_KEY", "CLIENT_SECRET"}},
		{[]string{"SIGNING_API_KEY=hunter2", url}, []string{"API_KEY", "CLIENT_ID", "CLIENT_SECRET"}},
		{[]string{id, "SIGNING_OAUTH_CLIENT_SECRET=hunter2 x"}, []string{"CLIENT_SECRET"}},
		{[]string{id, secret, "SIGNING_OAUTH_TOKEN_URL=https://u:hunter2@a.example/token"}, []string{"TOKEN_URL"}},
		{[]string{id, secret, "SIGNING_OAUTH_TOKEN_URL=/oauth2/token"}, []string{"TOKEN_URL"}},
		{[]string{id, secret, "SIGNING_OAUTH_TOKEN_URL=https://a.example/token#x"}, []string{"TOKEN_URL"}},
	} {
		_, err := load(production(append(tt.settings, "ACCESS_KEYS="+urlKey)...)...)
		problems, _ := errors.AsType[config.Problems](err)
		if len(problems) != len(tt.problems) || strings.Contains(problems.Error(), "hunter2") {
			t.Errorf("%s: %q", tt.settings, problems)
		}
		for _, name := range tt.problems {
			if !slices.ContainsFunc(problems, func(p string) bool {
				variable, _, _ := strings.Cut(p, ":")
				return strings.HasSuffix(variable, name)
			}) {
				t.Errorf("%s: no problem of %s in %q", tt.settings, name, problems)
			}
		}
	}
	wantProblem(t, "SIGNING_OAUTH_CLIENT_ID", id, secret)
	alone := without(production("IDENTITY_URL=https://identity.example.com", id, secret, "ACCESS_KEYS="+urlKey), "PLATFORM_URL")
	wantProblem(t, "SIGNING_URL", alone...)
	wantProblem(t, "ACCESS_KEYS", production(id, secret)...)
}

func TestSigning_Settings(t *testing.T) {
	c := mustLoad(t, "SIGNING_CREATORS=operators", "SIGNING_SITE_HOSTS=Sign.Example.com,sign.example.com:8443,[::1]:80", "MAX_UPLOAD=1 GiB")
	if !c.Signing.OperatorsCreate() || !slices.Equal(c.Signing.SiteHosts, []string{"sign.example.com", "sign.example.com:8443", "[::1]:80"}) || c.MaxUpload != 1<<30 {
		t.Errorf("%+v, %v", c.Signing, c.MaxUpload)
	}
	for text, want := range map[string]config.Size{"1": 1, "2048": 2 << 10, "1500": 1500, "5kB": 5000, "3mib": 3 << 20} {
		if c := mustLoad(t, "MAX_UPLOAD="+text); c.MaxUpload != want {
			t.Errorf("MAX_UPLOAD=%s is %d", text, c.MaxUpload)
		}
	}
}

// How callbacks are admitted is set as a whole, or the start says what is missing.
func TestSigningCallbacks_SetAsWhole(t *testing.T) {
	const issuer, audience, keys = "SIGNING_CALLBACK_ISSUER=https://a.example/", "SIGNING_CALLBACK_AUDIENCE=x", "SIGNING_CALLBACK_JWKS_URL=https://a.example/keys"
	c := mustLoad(t, issuer, audience, keys, "SIGNING_CALLBACK_KEY=k", "SIGNING_CALLBACK_HEADER=X-Key")
	if s := c.Signing; s.CallbackIssuer != "https://a.example/" || s.CallbackAudience != "x" || s.CallbackJWKSURL != "https://a.example/keys" || s.CallbackHeader != "X-Key" {
		t.Errorf("%+v", s)
	}
	mustLoad(t, issuer, audience, "SIGNING_CALLBACK_JWKS_URL=http://127.0.0.1:1/keys")
	wantProblem(t, "SIGNING_CALLBACK_HEADER", "SIGNING_CALLBACK_HEADER=X-Key")
	wantProblem(t, "SIGNING_CALLBACK_HEADER", "SIGNING_CALLBACK_HEADER=X Key", "SIGNING_CALLBACK_KEY=k")
	for _, never := range []string{"Host", "content-length", "Transfer-Encoding", "Connection", "Trailer", "Upgrade"} {
		wantProblem(t, "SIGNING_CALLBACK_HEADER", "SIGNING_CALLBACK_HEADER="+never, "SIGNING_CALLBACK_KEY=k")
	}
	wantProblem(t, "SIGNING_CALLBACK_ISSUER", audience, keys)
	wantProblem(t, "SIGNING_CALLBACK_AUDIENCE", issuer, keys)
	wantProblem(t, "SIGNING_CALLBACK_JWKS_URL", issuer, audience)
	for _, address := range []string{"http://a.example/keys", "keys", "https:///keys", "https://u:p@a.example/keys", "https://a.example/#x", "ftp://a.example/"} {
		wantProblem(t, "SIGNING_CALLBACK_JWKS_URL", issuer, audience, "SIGNING_CALLBACK_JWKS_URL="+address)
	}
}

// Documents are limited as an account may limit them.
func TestLoad_DocumentLimits(t *testing.T) {
	if c := mustLoad(t); c.MaxDocuments != 10 || c.MaxDocumentSize != 16<<20 || c.MaxDocumentSize.Text() != "16 MiB" {
		t.Errorf("%d documents of %s", c.MaxDocuments, c.MaxDocumentSize.Text())
	}
	if c := mustLoad(t, "MAX_DOCUMENTS=100", "MAX_DOCUMENT_SIZE=256MiB"); c.MaxDocuments != 100 || c.MaxDocumentSize != 256<<20 {
		t.Errorf("%d documents of %s", c.MaxDocuments, c.MaxDocumentSize)
	}
	for text, want := range map[string]string{"1000": "1000 B", "2KiB": "2 KiB", "1500KiB": "1500 KiB"} {
		if got := mustLoad(t, "MAX_DOCUMENT_SIZE="+text).MaxDocumentSize.Text(); got != want {
			t.Errorf("%s is %q", text, got)
		}
	}
	for _, wrong := range []string{"0", "101", "-1"} {
		wantProblem(t, "MAX_DOCUMENTS", "MAX_DOCUMENTS="+wrong)
	}
	wantProblem(t, "MAX_DOCUMENT_SIZE", "MAX_DOCUMENT_SIZE=257MiB")
}

// A tenant whose callbacks are not set up is warned of; the embedded platform calls by itself.
func TestCallbacks_NotSetUp(t *testing.T) {
	key := "SIGNING_API_KEY=k"
	for want, settings := range map[int][][]string{
		0: {{}, production(key, "ACCESS_KEYS="+urlKey, "SIGNING_CALLBACK_KEY=c"),
			production(key, "ACCESS_KEYS="+urlKey, "SIGNING_CALLBACK_ISSUER=https://i.example", "SIGNING_CALLBACK_AUDIENCE=a", "SIGNING_CALLBACK_JWKS_URL=https://i.example/keys")},
		1: {production(key, "ACCESS_KEYS="+urlKey)},
	} {
		for _, one := range settings {
			warned := slices.DeleteFunc(slices.Clone(mustLoad(t, one...).Warnings), func(w string) bool { return !strings.Contains(w, "_CALLBACK_KEY") })
			if len(warned) != want {
				t.Errorf("%q: %q", one, warned)
			}
		}
	}
}
