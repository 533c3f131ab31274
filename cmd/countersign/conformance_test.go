package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The command tries the embedded sandbox: all is as expected, and each setting that
// follows is named.
func TestConformance(t *testing.T) {
	status, out, err := runs(t, t.Context(), "conformance --json")
	var report struct {
		Version  string
		Results  []struct{ Case string }
		Settings []struct {
			Name, Value string
			Set         bool
		}
		OK, Differ, LeftOut int
	}
	if jsonErr := json.Unmarshal([]byte(out), &report); jsonErr != nil {
		t.Fatalf("%d %v\n%s\n%s", status, jsonErr, out, err)
	}
	if status != 0 || report.Differ > 0 || report.LeftOut > 0 || report.OK != len(report.Results) || report.OK < 70 || report.Version != version() {
		t.Errorf("%d\n%s\n%s", status, out, err)
	}
	settings := map[string]string{}
	for _, s := range report.Settings {
		settings[s.Name] = s.Value
		if s.Name == "COUNTERSIGN_USER_CASE" && !s.Set {
			t.Error("fold is what is set")
		}
	}
	for name, want := range map[string]string{
		"COUNTERSIGN_USER_CASE": "fold", "COUNTERSIGN_PLATFORM_RELEASE": "22.R4", "COUNTERSIGN_UAF_MODELS": "5B0C#0001", "COUNTERSIGN_DEFAULT_DOMAIN": "sandbox",
	} {
		if settings[name] != want {
			t.Errorf("%s=%q, want %q", name, settings[name], want)
		}
	}
}

func TestConformanceSaysWhatItNeeds(t *testing.T) {
	tenant := []string{
		"COUNTERSIGN_PLATFORM_URL=http://127.0.0.1:1", "COUNTERSIGN_PUBLIC_ORIGIN=https://sign.example", "COUNTERSIGN_IDENTITY_AUTHORIZATION=none",
	}
	for _, tc := range []struct {
		arguments string
		settings  []string
		says      []string
	}{
		{"conformance", tenant, []string{"CONFORMANCE_USER", "CONFORMANCE_OTHER", "CONFORMANCE_PASSWORD", "CONFORMANCE_UNKNOWN"}},
		{"conformance --user alice", nil, []string{"CONFORMANCE_USER"}},
		{"conformance --signer somebody --password-file absent", nil, []string{"CONFORMANCE_SIGNER", "CONFORMANCE_PASSWORD"}},
		{"conformance --password x", nil, []string{"-password"}},
		{"conformance now", nil, []string{"now"}},
		{"conformance", tenant[:1], []string{"PUBLIC_ORIGIN", "IDENTITY_AUTHORIZATION"}},
	} {
		status, _, err := runs(t, t.Context(), tc.arguments, tc.settings...)
		for _, part := range tc.says {
			if status != 2 || !strings.Contains(err, part) {
				t.Errorf("%s: %d, nothing of %s in\n%s", tc.arguments, status, part, err)
			}
		}
		if strings.Contains(err, "REDIS_URL") || strings.Contains(err, "SESSION_KEYS") {
			t.Errorf("it asks for what it does not use:\n%s", err)
		}
	}
}

// A tenant that nothing answers for differs in everything; the password is nowhere.
func TestConformanceOfNobody(t *testing.T) {
	const password = "Correct-Horse-9"
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, out, err := runs(t, t.Context(), "conformance --user alice@tenant --other bob@tenant --unknown nobody@tenant --password-file "+file,
		"COUNTERSIGN_PLATFORM_URL=http://127.0.0.1:1", "COUNTERSIGN_PUBLIC_ORIGIN=https://sign.example", "COUNTERSIGN_IDENTITY_AUTHORIZATION=none")
	if status != 1 || !strings.Contains(out, "differs   every call has its path") || !strings.Contains(out, "left out  a wrong password is not told") || !strings.Contains(out, "They differ: ") {
		t.Errorf("%d\n%s\n%s", status, out, err)
	}
	if strings.Contains(out+err, password) {
		t.Errorf("the password is in\n%s\n%s", out, err)
	}
}

func TestConformanceHelp(t *testing.T) {
	status, out, _ := runs(t, t.Context(), "conformance --help")
	for _, f := range conformanceFlags {
		if status != 0 || !strings.Contains(out, "-"+f.name+" ") {
			t.Errorf("%d, nothing of %s in\n%s", status, f.name, out)
		}
	}
}
