package main

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/config"
	"countersign/internal/conformance"
)

// The command tries the embedded sandbox: everything is as expected, each needed setting is
// named, and nothing is left out but passkeys that are made by themselves, which are off.
func TestConformance_EmbeddedSandbox(t *testing.T) {
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
	if status != 0 || report.Differ > 0 || report.LeftOut > 1 || report.OK+report.LeftOut != len(report.Results) || report.OK < 70 || report.Version != version() {
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

func TestConformance_NamesMissingSettings(t *testing.T) {
	tenant := []string{
		"COUNTERSIGN_PLATFORM_URL=http://127.0.0.1:1", "COUNTERSIGN_PUBLIC_ORIGIN=https://sign.example", "COUNTERSIGN_IDENTITY_AUTHORIZATION=none",
	}
	for _, tc := range []struct {
		arguments string
		settings  []string
		says      []string
	}{
		{"conformance", tenant, []string{"--user: ", "--other: ", "--password-file: ", "--unknown: "}},
		{"conformance --user alice --facet x", nil, []string{"--user: ", "--facet: "}},
		{"conformance --user alice", []string{"COUNTERSIGN_ADDR=nowhere"}, []string{"--user: ", "COUNTERSIGN_ADDR: "}},
		{"conformance --signer somebody", nil, []string{"--signer: "}},
		{"conformance --password-file absent", nil, []string{"--password-file: "}},
		{"conformance --password-file /dev/null", nil, []string{"--password-file: is empty"}},
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

// Against a tenant that does not answer, every case differs, and the password is printed
// nowhere.
func TestConformance_TenantDoesNotAnswer(t *testing.T) {
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

// The password comes from standard input too, and the setting of it is refused.
func TestConformance_PasswordFromStandardInput(t *testing.T) {
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte("Correct Horse 9\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{file: "Correct Horse 9", "-": "From-Afar 1", "": ""} {
		got, err := command{stdin: strings.NewReader("From-Afar 1\n")}.password(name)
		if got != want || err != nil {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"-", t.TempDir(), filepath.Join(t.TempDir(), "hunter2")} {
		if _, err := (command{stdin: strings.NewReader("\n")}).password(name); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// The paths that a tenant needs are one document, together with the paths that are set.
func TestConformance_PathsAreOneDocument(t *testing.T) {
	report := conformanceReport{quiet: true, paths: config.Paths{"getUser": "/u/{user}"}}
	for _, path := range []string{"login: /v1/users/{user}/login", "registerUser: /v1/users/register"} {
		report.add(conformance.Result{Settings: []conformance.Setting{{Name: conformance.PathsSetting, Value: path, Why: "there"}}})
	}
	report.add(conformance.Result{Settings: []conformance.Setting{{Name: "USER_CASE", Value: "keep"}}})
	got := report.neededSettings()
	if len(got) != 2 || got[0].Name != "USER_CASE" || got[1] != (conformance.Setting{
		Name: "PLATFORM_PATHS", Why: "there",
		Value: `{"getUser":"/u/{user}","login":"/v1/users/{user}/login","registerUser":"/v1/users/register"}`,
	}) {
		t.Errorf("%+v", got)
	}
	if len(report.paths) != 1 {
		t.Errorf("the settings have changed: %v", report.paths)
	}
}

func TestConformance_Help(t *testing.T) {
	status, out, _ := runs(t, t.Context(), "conformance --help")
	var options conformanceOptions
	options.flags().VisitAll(func(f *flag.Flag) {
		if status != 0 || !strings.Contains(out, "-"+f.Name) {
			t.Errorf("%d, nothing of %s in\n%s", status, f.Name, out)
		}
	})
}

// What is recorded is judged as it was met, and needs no platform.
func TestConformance_RecordingNeedsNoPlatform(t *testing.T) {
	document, recording := filepath.Join(t.TempDir(), "identity.yaml"), filepath.Join(t.TempDir(), "recording")
	err := os.WriteFile(document, []byte(`
openapi: 3.0.0
info: {title: identity, version: "1"}
paths:
  /users/{user}:
    get: {responses: {"404": {description: d}}}
`), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	const differs = "GET /users/{user}: response: status 200 is not documented"
	status, out, _ := runs(t, t.Context(), "conformance --openapi "+document+" --record "+recording)
	if status != 1 || !strings.Contains(out, differs) || !strings.Contains(out, "POST /users/{}/login: operation: is in no document") || !strings.Contains(out, "They differ: 0.") {
		t.Errorf("%d\n%s", status, out)
	}
	status, again, _ := runs(t, t.Context(), "conformance --openapi "+document+" --replay "+recording)
	if status != 1 || !strings.Contains(again, differs) || strings.Contains(again, "Cases") {
		t.Errorf("%d\n%s", status, again)
	}
	for _, arguments := range []string{"--record x", "--replay x", "--openapi absent", "--openapi " + document + " --replay absent"} {
		if status, _, err := runs(t, t.Context(), "conformance "+arguments); status == 0 || err == "" {
			t.Errorf("%s: %d %s", arguments, status, err)
		}
	}
}
