package config_test

import (
	"strings"
	"testing"

	"countersign/internal/config"
)

// One forgotten variable must not turn production into the demo.
func TestEmbeddedPlatform_RefusedWhenProductionMeant(t *testing.T) {
	certificate, key := pair(t)
	for setting, name := range map[string]string{
		"PUBLIC_ORIGIN=https://sign.example.com":  "PUBLIC_ORIGIN",
		"PUBLIC_ORIGIN=https://192.0.2.7":         "PUBLIC_ORIGIN",
		"PUBLIC_ORIGIN=https://localhost.example": "PUBLIC_ORIGIN",
		"PUBLIC_ORIGIN=https://127.0.0.1.example": "PUBLIC_ORIGIN",
		"PUBLIC_ORIGIN=HTTPS://SIGN.EXAMPLE.COM":  "PUBLIC_ORIGIN",
		"IDENTITY_AUTHORIZATION=Bearer x":         "IDENTITY_AUTHORIZATION",
		"IDENTITY_AUTHORIZATION=None":             "IDENTITY_AUTHORIZATION",
	} {
		wantProblem(t, name, setting)
		if c := mustLoad(t, setting, "SANDBOX=on"); c.Production() {
			t.Errorf("%s with SANDBOX=on is production", setting)
		}
	}
	pairOf := []string{"IDENTITY_CLIENT_CERT=" + certificate, "IDENTITY_CLIENT_KEY=" + key}
	if got := problems(t, append(pairOf, "PUBLIC_ORIGIN=https://sign.example.com")...); len(got) != 3 {
		t.Errorf("every problem at once, not %q", got)
	}
	if c := mustLoad(t, append(pairOf, "SANDBOX=on")...); len(c.Warnings) != 2 {
		t.Errorf("credentials that nobody is shown: %q", c.Warnings)
	}
}

func TestEmbeddedPlatform_AllowedOnLoopback(t *testing.T) {
	for _, setting := range []string{
		"PUBLIC_ORIGIN=http://localhost:8080", "PUBLIC_ORIGIN=https://localhost", "PUBLIC_ORIGIN=http://127.0.0.1", "PUBLIC_ORIGIN=http://[::1]:8080",
		"PUBLIC_ORIGIN=http://LOCALHOST", "IDENTITY_AUTHORIZATION=none", "IDENTITY_CLIENT_CERT=none", "SANDBOX=on", "SANDBOX=off",
	} {
		if c := mustLoad(t, setting); c.Production() {
			t.Errorf("%s is production", setting)
		}
	}
}

func TestSandbox_RefusedInProduction(t *testing.T) {
	wantProblem(t, "SANDBOX", production("SANDBOX=on")...)
	mustLoad(t, production("SANDBOX=off")...)
}

func TestUsers_SpellingFolded(t *testing.T) {
	c := mustLoad(t, "OPERATORS=Carol@Sandbox,carol@sandbox,BOB@Example", "DEFAULT_DOMAIN=Example")
	if got := strings.Join(c.Operators, ","); got != "carol@sandbox,bob@example" || c.DefaultDomain != "example" || !c.FoldUsers() {
		t.Errorf("folded: %s, %s", got, c.DefaultDomain)
	}
	c = mustLoad(t, "USER_CASE=keep", "OPERATORS=Carol@Sandbox,carol@sandbox", "DEFAULT_DOMAIN=Example")
	if got := strings.Join(c.Operators, ","); got != "Carol@Sandbox,carol@sandbox" || c.DefaultDomain != "Example" || c.FoldUsers() {
		t.Errorf("kept: %s, %s", got, c.DefaultDomain)
	}
	if embedded, real := mustLoad(t).DefaultDomain, mustLoad(t, production()...).DefaultDomain; embedded != "sandbox" || real != "" {
		t.Errorf("unset: %q embedded, %q in production", embedded, real)
	}
}

func TestRates_Off(t *testing.T) {
	c := mustLoad(t, "RATE_SIGN_IN=off", "RATE_SIGN_IN_ADDRESS=off", "RATE_CEREMONY=off", "RATE_CEREMONY_ADDRESS=off", "RATE_PUSH=off", "RATE_LOOKUP=off", "RATE_VERIFICATION=off")
	if want := (config.Rates{SignIn: "off", SignInAddress: "off", Ceremony: "off", CeremonyAddress: "off", Push: "off", Lookup: "off", Verification: "off"}); c.Rates != want {
		t.Errorf("%+v", c.Rates)
	}
}

func TestRedis_NoWarning(t *testing.T) {
	for _, url := range []string{
		"redis://localhost", "redis://127.0.0.1:6379?addr=localhost:6380", "redis://[::1]:6379", "unix:///run/redis.sock", "rediss://r.example?skip_verify=false", "rediss://r.example?skip_verify=", "redis:///1",
	} {
		if c := mustLoad(t, "REDIS_URL="+url); len(c.Warnings) != 0 {
			t.Errorf("%s: %q", url, c.Warnings)
		}
	}
}
