package config_test

import (
	"slices"
	"strings"
	"testing"

	"countersign/internal/config"
)

const (
	sha256Print = "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
	sha1Print   = "DA:39:A3:EE:5E:6B:4B:0D:32:55:BF:EF:95:60:18:90:AF:D8:07:09"
	keyHash     = "android:apk-key-hash:-sYXRdwJA3hvue3mKpYrOZ9zSPC7b4mbgzJmdZEDO5w"
)

func TestApps_OriginsAndFacets(t *testing.T) {
	c := mustLoad(t,
		"APPS_ANDROID=com.example.app="+strings.ToLower(sha256Print)+",com.example.app="+sha1Print,
		"APPS_IOS=ABCDE12345.com.example.app", "PUBLIC_ORIGIN=https://cs.example", "SANDBOX=on",
		"RP_ORIGINS=https://cs.example,https://cs.example.org")
	if want := []string{"https://cs.example", "https://cs.example.org", keyHash}; !slices.Equal(c.RPOrigins, want) {
		t.Errorf("origins %q, want %q", c.RPOrigins, want)
	}
	want := []string{
		"https://cs.example", "https://cs.example.org", keyHash,
		"android:apk-key-hash-sha256:+sYXRdwJA3hvue3mKpYrOZ9zSPC7b4mbgzJmdZEDO5w",
		"android:apk-key-hash:2jmj7l5rSw0yVb/vlWAYkK/YBwk", "ios:bundle-id:com.example.app",
	}
	if !slices.Equal(c.Facets(), want) || !slices.Equal(c.Sandbox.UAFFacets, want) {
		t.Errorf("facets %q, the sandbox's %q, want %q", c.Facets(), c.Sandbox.UAFFacets, want)
	}
	if want := []string{"https://cs.example.org"}; !slices.Equal(c.RelatedOrigins(), want) {
		t.Errorf("related origins %q, want %q", c.RelatedOrigins(), want)
	}
	apps := c.Apps.AndroidApps()
	if len(apps) != 2 || apps[0].Package != "com.example.app" || len(apps[0].Fingerprint) != 32 || len(apps[1].Fingerprint) != 20 {
		t.Errorf("apps %+v", apps)
	}
}

func TestApps_PortGivenLater(t *testing.T) {
	c := mustLoad(t, "ADDR=127.0.0.1:0", "APPS_ANDROID=com.example.app="+sha256Print).WithPort(4711)
	if want := []string{"http://localhost:4711", keyHash}; !slices.Equal(c.RPOrigins, want) {
		t.Errorf("origins %q, want %q", c.RPOrigins, want)
	}
}

func TestApps_InvalidValues(t *testing.T) {
	for setting, values := range map[string][]string{
		"APPS_ANDROID": {"com.example.app", "app=" + sha256Print, "com.example.app=" + sha256Print[3:], "com.example.app=zz",
			"com.example.app=" + strings.ReplaceAll(sha256Print, ":", "")},
		"APPS_IOS":            {"com.example.app", "abcde12345.com.example.app", "ABCDE12345.", "ABCDE12345..", "ABCDE12345.com..app", "ABCDE12345.com.example."},
		"CHANGE_PASSWORD_URL": {"http://accounts.example", "/password", "https://me:it@accounts.example"},
		"HELP_URL":            {"http://accounts.example", "/help", "mailto:help@accounts.example", "javascript:alert(1)"},
	} {
		for _, value := range values {
			_, err := config.Load([]string{"COUNTERSIGN_" + setting + "=" + value}, nil)
			if err == nil || !strings.HasPrefix(err.Error(), "COUNTERSIGN_"+setting+": ") {
				t.Errorf("%s=%s: %v", setting, value, err)
			}
		}
	}
}
