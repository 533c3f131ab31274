package config_test

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"countersign/internal/config"
)

// production returns a complete set of settings for a real platform, followed by more.
func production(more ...string) []string {
	return append([]string{
		"PLATFORM_URL=https://tenant.example.com/v1/",
		"PUBLIC_ORIGIN=https://sign.example.com",
		"REDIS_URL=rediss://:secret@redis.example.com:6380/0",
		"SESSION_KEYS=" + hexKey,
		"DECOY_KEY=" + base64Key,
		"IDENTITY_AUTHORIZATION=Bearer abc",
	}, more...)
}

// without drops the settings called names.
func without(settings []string, names ...string) []string {
	return slices.DeleteFunc(settings, func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return slices.Contains(names, name)
	})
}

func TestProduction_EffectiveValues(t *testing.T) {
	c := mustLoad(t, production("SESSION_KEYS="+urlKey+","+hexKey, "TRUSTED_PROXIES=10.1.2.3/8, 192.0.2.7,::1,::ffff:192.0.2.8,::ffff:172.16.5.0/108,::ffff:c000:204/128", "LOG_LEVEL=WARN")...)
	if !c.Production() || c.EmbeddedRedis() {
		t.Error("PLATFORM_URL makes it production")
	}
	if c.Identity.URL != "https://tenant.example.com/v1" {
		t.Errorf("Identity.URL = %q", c.Identity.URL)
	}
	if c.Addr != ":8080" || c.Log.Format != "json" || c.Log.Level.String() != "warn" || len(c.Operators) != 0 {
		t.Errorf("addr %q, log %v, operators %q", c.Addr, c.Log, c.Operators)
	}
	if c.DrainDelay.String() != "5s" {
		t.Errorf("the delay of production is %v", c.DrainDelay)
	}
	for text, want := range map[string]string{"0": "0s", "0s": "0s", "90s": "1m30s"} {
		if c := mustLoad(t, production("DRAIN_DELAY="+text)...); c.DrainDelay.String() != want {
			t.Errorf("DRAIN_DELAY=%s is %v", text, c.DrainDelay)
		}
	}
	for _, text := range []string{"-1s", "5", "1us", "off"} {
		wantProblem(t, "DRAIN_DELAY", production("DRAIN_DELAY="+text)...)
	}
	want := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("192.0.2.8/32"), netip.MustParsePrefix("172.16.0.0/12"), netip.MustParsePrefix("192.0.2.4/32")}
	if !slices.Equal(c.TrustedProxies, want) {
		t.Errorf("TrustedProxies = %v, want %v", c.TrustedProxies, want)
	}
	if len(c.Warnings) != 0 {
		t.Errorf("warnings %q about a complete production", c.Warnings)
	}
}

func TestIdentityURL_OverridesPlatformURL(t *testing.T) {
	c := mustLoad(t, production("IDENTITY_URL=https://identity.example.com")...)
	if c.Identity.URL != "https://identity.example.com" {
		t.Errorf("Identity.URL = %q", c.Identity.URL)
	}
	alone := without(production("IDENTITY_URL=http://127.0.0.1:8081"), "PLATFORM_URL")
	if c = mustLoad(t, alone...); !c.Production() || c.Identity.URL != "http://127.0.0.1:8081" {
		t.Errorf("IDENTITY_URL alone: production %t, %q", c.Production(), c.Identity.URL)
	}
}

func TestProduction_RequiredSettings(t *testing.T) {
	for _, name := range []string{"PUBLIC_ORIGIN", "REDIS_URL", "SESSION_KEYS", "DECOY_KEY", "IDENTITY_AUTHORIZATION"} {
		wantProblem(t, name, without(production(), name)...)
	}
	got := problems(t, "PLATFORM_URL=https://tenant.example.com")
	if len(got) != 5 || !slices.IsSorted(got) {
		t.Errorf("every problem at once and sorted, not %q", got)
	}
}

func TestProduction_RefusesSandboxSettings(t *testing.T) {
	for _, s := range []string{"ADDR=:1", "API_KEY=k", "RP_ID=x.example", "RP_ORIGINS=https://x.example", "UAF_APP_ID=https://x.example", "UAF_FACETS=https://x.example", "UAF_METADATA=[]", "HOSTS=sandbox", "MANAGE_KEY=k"} {
		name, _, _ := strings.Cut(s, "=")
		_, err := load(production("SANDBOX_" + s)...)
		if err == nil || !strings.HasPrefix(err.Error(), config.Prefix+"SANDBOX_"+name+": ") {
			t.Errorf("SANDBOX_%s in production: %v", s, err)
		}
	}
}

func TestOrigin_PlainHTTPOnlyOnLoopback(t *testing.T) {
	for _, host := range []string{"localhost:8080", "127.0.0.1", "[::1]:8080"} {
		mustLoad(t, production("PUBLIC_ORIGIN=http://"+host)...)
	}
	wantProblem(t, "PUBLIC_ORIGIN", production("PUBLIC_ORIGIN=http://sign.example.com")...)
	wantProblem(t, "RP_ORIGINS", production("RP_ORIGINS=https://sign.example.com,http://app.example.com")...)
	if c := mustLoad(t, "PUBLIC_ORIGIN=http://dev.example.com", "SANDBOX=on"); len(c.Warnings) != 1 {
		t.Errorf("embedded it is a warning, not %q", c.Warnings)
	}
}
