package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/config"
)

func TestMailServer_SingleAddress(t *testing.T) {
	for text, want := range map[string][3]string{
		"smtp://mail.example.com":                        {"mail.example.com:587"},
		"smtp://mail.example.com:25":                     {"mail.example.com:25"},
		"smtps://me:hunter2@mail.example.com":            {"mail.example.com:465", "me", "hunter2"},
		"SMTPS://mail.example.com:587":                   {"mail.example.com:587"},
		"smtp://[::1]:25/":                               {"[::1]:25"},
		"smtp://me:hunter2@mail.example.com:587":         {"mail.example.com:587", "me", "hunter2"},
		"smtp://me%40example.com:a%2Fb%40c@mail.example": {"mail.example:587", "me@example.com", "a/b@c"},
	} {
		file := filepath.Join(t.TempDir(), "smtp")
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, setting := range []string{"SMTP_URL=" + text, "SMTP_URL_FILE=" + file} {
			c := mustLoad(t, setting)
			var got [3]string
			if got[0], got[1], got[2] = c.SMTP.Server(); got != want {
				t.Errorf("%s: %q, want %q", setting, got, want)
			}
			if want := strings.HasPrefix(strings.ToLower(text), "smtps:"); c.SMTP.Implicit() != want {
				t.Errorf("%s: TLS at once %v", setting, c.SMTP.Implicit())
			}
		}
	}
	const secret = "hunter2"
	if s := redacted(t, "SMTP_URL=smtp://me:"+secret+"@mail.example")["COUNTERSIGN_SMTP_URL"]; s.Value != "smtp://me:xxxxx@mail.example" {
		t.Errorf("shown as %q", s.Value)
	}
	_, err := load("SMTP_URL=smtp://me:" + secret + "@mail.example/inbox")
	if err == nil || strings.Contains(err.Error(), secret) || !strings.HasPrefix(err.Error(), config.Prefix+"SMTP_URL: ") {
		t.Errorf("%v", err)
	}
}
