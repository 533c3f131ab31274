package config_test

import (
	"slices"
	"testing"

	"countersign/internal/config"
)

func TestSigningIsInUseWhereItsCredentialIsSet(t *testing.T) {
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

func TestSigningBesideTheEmbeddedPlatform(t *testing.T) {
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

func TestSigningSettings(t *testing.T) {
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
