package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/config"
)

// The document of paths is YAML or JSON: inline, by its file's name or through _FILE.
func TestPaths_YAMLOrJSON(t *testing.T) {
	const flow = `{"login": "/v1/users/{user}/login", "getTransactionDocument": "/t/{transaction}/{document}", "getPackage": "/p/{package}"}`
	texts := map[string]string{
		"JSON":            flow,
		"indented JSON":   "{\n\t\"login\": \"/v1/users/{user}/login\",\n\t\"getTransactionDocument\": \"/t/{transaction}/{document}\",\n\t\"getPackage\": \"/p/{package}\"\n}\n",
		"YAML":            "login: /v1/users/{user}/login\n# a remark\ngetTransactionDocument:   '/t/{transaction}/{document}'\ngetPackage: \"/p/{package}\"\n",
		"YAML, a heading": "---\nlogin: /v1/users/{user}/login\ngetTransactionDocument: /t/{transaction}/{document}\ngetPackage: /p/{package}\n",
		"YAML, folded":    "login:\n  /v1/users/{user}/login\ngetTransactionDocument: /t/{transaction}/{document}\ngetPackage: /p/{package}",
	}
	want := config.Paths{"login": "/v1/users/{user}/login", "getTransactionDocument": "/t/{transaction}/{document}", "getPackage": "/p/{package}"}
	for how, text := range texts {
		file := filepath.Join(t.TempDir(), "paths")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, setting := range []string{"PLATFORM_PATHS=" + text, "PLATFORM_PATHS=" + file, "PLATFORM_PATHS_FILE=" + file} {
			c, err := load(setting)
			if err != nil || !maps.Equal(c.Paths, want) || len(c.Warnings) > 0 {
				t.Errorf("%s: %q: %v, %v, %q", how, setting, c.Paths, err, c.Warnings)
			}
		}
	}
	shown := redacted(t, "PLATFORM_PATHS="+texts["YAML"])["COUNTERSIGN_PLATFORM_PATHS"]
	if shown.Value != `{"getPackage":"/p/{package}","getTransactionDocument":"/t/{transaction}/{document}","login":"/v1/users/{user}/login"}` || shown.Source != config.Environment {
		t.Errorf("shown as %+v", shown)
	}
	if shown = redacted(t)["COUNTERSIGN_PLATFORM_PATHS"]; shown.Value != "" || shown.Source != config.Default {
		t.Errorf("unset it is shown as %+v", shown)
	}
	if c := mustLoad(t, "PLATFORM_PATHS={}"); len(c.Paths) != 0 {
		t.Errorf("nothing is replaced: %v", c.Paths)
	}
}

// Every operation's path may be replaced by itself.
func TestPaths_EachReplaceable(t *testing.T) {
	for _, p := range operations() {
		c, err := load("PLATFORM_PATHS=" + p.Operation + ": " + p.Default)
		if err != nil || c.Paths[p.Operation] != p.Default {
			t.Errorf("%s: %v, %v", p.Operation, c.Paths, err)
		}
		if strings.Contains(p.Default, "{") {
			wantProblem(t, "PLATFORM_PATHS", "PLATFORM_PATHS="+p.Operation+": /elsewhere")
		}
		wantProblem(t, "PLATFORM_PATHS", "PLATFORM_PATHS="+p.Operation+": "+p.Default+"/{other}")
	}
}

func TestOperations_UniqueNames(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range operations() {
		if seen[p.Operation] {
			t.Errorf("two operations are called %s", p.Operation)
		}
		seen[p.Operation] = true
	}
}

func TestPaths_Refused(t *testing.T) {
	for document, says := range map[string]string{
		"login: users/{user}":                 "login: ",
		"login: /login":                       "lacks the placeholder {user}",
		"login: /{user}/{other}":              "{other} is not a placeholder",
		"login: '/{user'":                     "login: ",
		"login: /{user}?x=1":                  "login: ",
		"login: '/{user}#x'":                  "login: ",
		"login: /{user}/../x":                 "login: ",
		"login: /{user}/%2e%2e/x":             "login: ",
		"login: '/{}/{user}'":                 "login: ",
		"login: /a b/{user}":                  "login: ",
		"login: //other.example/{user}":       "login: ",
		"login: https://other.example/{user}": "login: ",
		"login: ''":                           "login: ",
		"sessionStatus: /sessions/{user}":     "sessionStatus: ",
		"deleteFidoRegistration: /users/{user}/fido-registrations": "lacks the placeholder {registrationID}",
		"getDocument: /t/{transaction}/{document}":                 "getDocument: ",
		"registerUser: /users/{user}":                              "registerUser: ",
		"Login: /{user}":                                           `"Login" is not an operation: docs/configuration.md`,
		"downloadAuditTrail: /x":                                   `"downloadAuditTrail" is not an operation`,
		"exportPackages: /x":                                       `"exportPackages" is not an operation`,
		"PLATFORM_PATHS_LOGIN: /{user}":                            `is not an operation`,
		"login: [/x]":                                              "login: its path is not a text",
		"login: {path: /x}":                                        "login: its path is not a text",
		"login: 5":                                                 "login: its path is not a text",
		"login: null":                                              "login: its path is not a text",
		"[1]: /x":                                                  "is not a text",
		"login: /a/{user}\nlogin: /b/{user}":                       "login stands there twice",
		`{"login":"/a/{user}","login":"/b/{user}"}`:                "login stands there twice",
		"login: /a/{user}\n---\ngetUser: /b/{user}":                "is not a document of YAML or JSON",
		"[]":     "is not a document of YAML or JSON",
		"{login": "is not a document of YAML or JSON",
		"{" + strings.Repeat("a: {", 100) + strings.Repeat("}", 101): "is not a text",
	} {
		wantProblem(t, "PLATFORM_PATHS", "PLATFORM_PATHS="+document)
		if got := problems(t, "PLATFORM_PATHS="+document)[0]; !strings.Contains(got, says) {
			t.Errorf("%q: %q does not say %q", document, got, says)
		}
	}
	wantProblem(t, "PLATFORM_PATHS", "PLATFORM_PATHS=none")
	wantProblem(t, "PLATFORM_PATHS", "PLATFORM_PATHS=absent.yaml")
	wantProblem(t, "PLATFORM_PATHS_FILE", "PLATFORM_PATHS_FILE=absent.yaml")
	got := problems(t, "PLATFORM_PATHS=login: /x\ngetUser: /y\nnobody: /z\n", "ADDR=nowhere")
	if len(got) != 4 {
		t.Errorf("every problem at once, not %q", got)
	}
}
