package config_test

import (
	"strings"
	"testing"

	"countersign/internal/config"
)

func TestParseOrigin_Normalised(t *testing.T) {
	for text, want := range map[string]string{
		"https://sign.example.com":      "https://sign.example.com",
		"HTTPS://Sign.Example.COM":      "https://sign.example.com",
		"https://sign.example.com:443":  "https://sign.example.com",
		"https://sign.example.com:0443": "https://sign.example.com",
		"https://sign.example.com:8443": "https://sign.example.com:8443",
		"http://localhost:80":           "http://localhost",
		"http://localhost:443":          "http://localhost:443",
		"https://localhost:80":          "https://localhost:80",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080",
		"http://[::1]:8080":             "http://[::1]:8080",
		"http://[0:0:0:0:0:0:0:1]":      "http://[::1]",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
		"https://my_service":            "https://my_service",
	} {
		origin, err := config.ParseOrigin(text)
		if err != nil || origin.String() != want {
			t.Errorf("ParseOrigin(%q) = %q, %v, want %q", text, origin, err, want)
		}
		again, err := config.ParseOrigin(origin.String())
		if err != nil || again != origin {
			t.Errorf("%q is not canonical: %q, %v", origin, again, err)
		}
	}
}

func TestParseOrigin_Refused(t *testing.T) {
	for _, text := range []string{
		"", "localhost", "localhost:8080", "//localhost", "https:", "https://", "https:localhost", "null", "file:///x",
		"ws://a.example", "android:apk-key-hash:x",
		"https://a.example/", "https://a.example/x", "https://a.example?", "https://a.example?x=1", "https://a.example#", "https://a.example/#",
		"https://u@a.example", "https://u:p@a.example", "https://@a.example",
		"https://a.example:", "https://a.example:0", "https://a.example:65536", "https://a.example:x", "https://a.example:-1",
		"https://-a.example", "https://a..example", "https://a.example.", "https://.a", "https://*.example", "https://bücher.example", "https://a%2eb",
		"https://1.2.3", "https://1.2.3.256", "https://123", "https://[::1", "https://[fe80::1%25eth0]", "https://a b.example", " https://a.example",
		"https://" + strings.Repeat("a", 64) + ".example", "https://" + strings.Repeat("a.", 127) + "example",
	} {
		if origin, err := config.ParseOrigin(text); err == nil || origin != (config.Origin{}) {
			t.Errorf("ParseOrigin(%q) = %q, %v", text, origin, err)
		}
	}
}

func TestOrigin_Parts(t *testing.T) {
	for text, want := range map[string]struct {
		host, hostname  string
		https, loopback bool
	}{
		"https://sign.example.com:8443":       {"sign.example.com:8443", "sign.example.com", true, false},
		"https://sign.example.com:443":        {"sign.example.com", "sign.example.com", true, false},
		"http://localhost:8080":               {"localhost:8080", "localhost", false, true},
		"http://127.0.0.1":                    {"127.0.0.1", "127.0.0.1", false, true},
		"http://[::1]:1":                      {"[::1]:1", "::1", false, true},
		"http://localhost.example.com":        {"localhost.example.com", "localhost.example.com", false, false},
		"https://127.0.0.1.nip.example:65535": {"127.0.0.1.nip.example:65535", "127.0.0.1.nip.example", true, false},
	} {
		o, err := config.ParseOrigin(text)
		if err != nil {
			t.Fatal(err)
		}
		if o.Host() != want.host || o.Hostname() != want.hostname || o.HTTPS() != want.https || o.Loopback() != want.loopback {
			t.Errorf("%s: host %q, name %q, https %t, loopback %t; want %+v", text, o.Host(), o.Hostname(), o.HTTPS(), o.Loopback(), want)
		}
	}
	if s := (config.Origin{}).String(); s != "" {
		t.Errorf("the zero Origin is %q", s)
	}
}

func FuzzParseOrigin(f *testing.F) {
	for _, seed := range []string{"https://a.example:443", "http://[::1]:8080", "https://a.example/..", "https://u:p@1.2.3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		origin, err := config.ParseOrigin(text)
		if err != nil {
			return
		}
		again, err := config.ParseOrigin(origin.String())
		if err != nil || again != origin {
			t.Errorf("ParseOrigin(%q) = %q, which reads as %q, %v", text, origin, again, err)
		}
		if strings.ContainsAny(origin.Host(), "@/?#%\\ ") {
			t.Errorf("ParseOrigin(%q) has the host %q", text, origin.Host())
		}
	})
}
