package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// runs runs the program with these arguments and settings, and returns its exit status
// and output.
func runs(t *testing.T, ctx context.Context, arguments string, settings ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err logtest.Log
	status = command{environ: settings, stdout: &out, stderr: &err}.run(ctx, strings.Fields(arguments))
	return status, out.String(), err.String()
}

func TestHelp_UnknownCommands(t *testing.T) {
	for _, arguments := range []string{"help", "-h", "--help"} {
		if status, out, _ := runs(t, t.Context(), arguments); status != 0 || !strings.Contains(out, "countersign sandbox") {
			t.Errorf("%s: %d %q", arguments, status, out)
		}
	}
	for _, arguments := range []string{"serv", "config extra"} {
		if status, _, err := runs(t, t.Context(), arguments); status != 2 || !strings.Contains(err, "countersign help") {
			t.Errorf("%s: %d %q", arguments, status, err)
		}
	}
}

func TestConfig_ShowsNoSecret(t *testing.T) {
	secret := strings.Repeat("ab3c", 16)
	status, out, _ := runs(t, t.Context(), "config", "COUNTERSIGN_SESSION_KEYS="+secret, "COUNTERSIGN_REDIS_URL=redis://me:hunter2@localhost:6379", "COUNTERSIGN_SESSION_IDLE=5m")
	if status != 0 || strings.Contains(out, secret) || strings.Contains(out, "hunter2") || !strings.Contains(out, "COUNTERSIGN_SESSION_IDLE") || !strings.Contains(out, "5m") {
		t.Errorf("%d\n%s", status, out)
	}
}

func TestConfig_EndsWithResult(t *testing.T) {
	const production = "COUNTERSIGN_PLATFORM_URL=https://tenant.example"
	for _, tc := range []struct {
		settings []string
		status   int
		last     string
	}{
		{nil, 0, "The settings are complete, for development: the platform is embedded."},
		{[]string{
			production, "COUNTERSIGN_PUBLIC_ORIGIN=https://sign.example", "COUNTERSIGN_REDIS_URL=redis://redis.example:6379",
			"COUNTERSIGN_SESSION_KEYS=" + strings.Repeat("ab3c", 16), "COUNTERSIGN_DECOY_KEY=" + strings.Repeat("cd5e", 16),
			"COUNTERSIGN_IDENTITY_AUTHORIZATION=none",
		}, 0, "The settings are complete, for production."},
		{[]string{production, "COUNTERSIGN_IDENTITY_AUTHORIZATION=none"}, 2, "The settings cannot be used. Problems: 4"},
	} {
		status, out, err := runs(t, t.Context(), "config", tc.settings...)
		lines := strings.Split(strings.TrimSpace(out), "\n")
		if last := lines[len(lines)-1]; status != tc.status || last != tc.last {
			t.Errorf("%q: %d %q", tc.settings, status, last)
		}
		if status == 2 && strings.Count(err, "\n") != 4 {
			t.Errorf("it does not say four problems:\n%s", err)
		}
	}
}

func TestConfig_MissingKeyNamesCommand(t *testing.T) {
	_, _, err := runs(t, t.Context(), "config", "COUNTERSIGN_PLATFORM_URL=https://tenant.example")
	for line := range strings.Lines(err) {
		name, _, _ := strings.Cut(line, ":")
		isKey := name == "COUNTERSIGN_SESSION_KEYS" || name == "COUNTERSIGN_DECOY_KEY"
		if got := strings.HasSuffix(strings.TrimSpace(line), "openssl rand -hex 32"); got != isKey {
			t.Errorf("%q", line)
		}
	}
	if strings.Count(err, "openssl") != 2 {
		t.Errorf("two keys are missing:\n%s", err)
	}
}

func TestVersion(t *testing.T) {
	for _, arguments := range []string{"version", "--version"} {
		status, out, _ := runs(t, t.Context(), arguments)
		if words := strings.Fields(out); status != 0 || len(words) != 4 || words[0] != "countersign" || words[1] != version() || !strings.HasPrefix(words[2], "go1.") {
			t.Errorf("%s: %d %q", arguments, status, out)
		}
	}
}

// The log says what started, at which address, and when it stops; it contains no secret.
func TestLog_TellsStartAndStop(t *testing.T) {
	over, end := context.WithCancel(t.Context())
	end()
	secret := strings.Repeat("ab3c", 16)
	_, _, log := runs(t, over, "serve", "COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_LOG_FORMAT=json",
		"COUNTERSIGN_PLATFORM_URL=http://127.0.0.1:1/v1", "COUNTERSIGN_PUBLIC_ORIGIN=https://sign.example", "COUNTERSIGN_REDIS_URL=redis://me:hunter2@127.0.0.1:1",
		"COUNTERSIGN_SESSION_KEYS="+secret, "COUNTERSIGN_DECOY_KEY="+secret, "COUNTERSIGN_IDENTITY_AUTHORIZATION=Basic aHVudGVyMw==")
	var said []string
	for line := range strings.Lines(log) {
		var record map[string]any
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		switch record["msg"] {
		case "started":
			for member, want := range map[string]any{
				"version": version(), "mode": "production", "origin": "https://sign.example", "platform": "127.0.0.1:1", "redis": "single",
			} {
				if record[member] != want {
					t.Errorf("%s is %v, want %v", member, record[member], want)
				}
			}
			for _, member := range []string{"address", "admin"} {
				if address, _ := record[member].(string); !strings.HasPrefix(address, "127.0.0.1:") {
					t.Errorf("%s is %v", member, record[member])
				}
			}
			fallthrough
		case "stopping", "stopped":
			said = append(said, record["msg"].(string))
		}
	}
	if !slices.Equal(said, []string{"started", "stopping", "stopped"}) {
		t.Errorf("the log tells of %q:\n%s", said, log)
	}
	for _, hidden := range []string{secret, "hunter2", "aHVudGVyMw"} {
		if strings.Contains(log, hidden) {
			t.Errorf("%s is in the log", hidden)
		}
	}
}

func TestProduction_ReportsAllMissingSettings(t *testing.T) {
	for _, command := range []string{"serve", "config", "healthcheck"} {
		status, _, err := runs(t, t.Context(), command, "COUNTERSIGN_PLATFORM_URL=https://tenant.example", "COUNTERSIGN_SESSION_IDLE=soon", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:1")
		if status != 2 {
			t.Errorf("%s: status %d", command, status)
		}
		for _, name := range []string{"REDIS_URL", "SESSION_KEYS", "DECOY_KEY", "PUBLIC_ORIGIN", "IDENTITY_AUTHORIZATION", "SESSION_IDLE", "SANDBOX_ADDR"} {
			if !strings.Contains(err, "COUNTERSIGN_"+name) {
				t.Errorf("%s: nothing about %s in %q", command, name, err)
			}
		}
	}
	if status, _, err := runs(t, t.Context(), "sandbox", "COUNTERSIGN_PLATFORM_URL=https://tenant.example"); status == 0 || err == "" {
		t.Errorf("sandbox in production: %d %q", status, err)
	}
}

// The program itself refuses settings that are a mistake, and warns of unwise ones.
func TestSettings_RefusedOrWarned(t *testing.T) {
	over, end := context.WithCancel(t.Context())
	end()
	key := strings.Repeat("ab3c", 16)
	complete := []string{
		"PLATFORM_URL=http://127.0.0.1:1", "PUBLIC_ORIGIN=https://sign.example", "REDIS_URL=rediss://127.0.0.1:1",
		"SESSION_KEYS=" + key, "DECOY_KEY=" + key, "IDENTITY_AUTHORIZATION=Bearer x",
	}
	forgotten := complete[1:] // PLATFORM_URL
	for _, tc := range []struct {
		settings []string
		refused  []string // what the problems begin with
		warned   string
	}{
		{forgotten, []string{"IDENTITY_AUTHORIZATION", "PUBLIC_ORIGIN"}, ""},
		{append(complete, "SANDBOX=on"), []string{"SANDBOX"}, ""},
		{[]string{"ADMIN_ADDR=:0"}, nil, "ADMIN_ADDR"},
	} {
		environ := []string{"COUNTERSIGN_ADDR=127.0.0.1:0"}
		if !slices.ContainsFunc(tc.settings, func(s string) bool { return strings.HasPrefix(s, "ADMIN_ADDR") }) {
			environ = append(environ, "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0")
		}
		if !slices.Contains(tc.settings, complete[0]) {
			environ = append(environ, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
		}
		for _, s := range tc.settings {
			environ = append(environ, "COUNTERSIGN_"+s)
		}
		for _, command := range []string{"serve", "config"} {
			status, _, said := runs(t, over, command, environ...)
			if tc.refused == nil && (status != 0 || !strings.Contains(said, "COUNTERSIGN_"+tc.warned+": ")) {
				t.Errorf("%s with %q: %d, no warning of %s in\n%s", command, tc.settings, status, tc.warned, said)
			}
			if tc.refused == nil {
				continue
			}
			var problems []string
			for line := range strings.Lines(said) {
				var machine struct{ Problem string }
				if json.Unmarshal([]byte(line), &machine) == nil {
					line = machine.Problem
				}
				if name, _, named := strings.Cut(line, ": "); named && strings.HasPrefix(name, "COUNTERSIGN_") {
					problems = append(problems, strings.TrimPrefix(name, "COUNTERSIGN_"))
				}
			}
			if status != 2 || !slices.Equal(problems, tc.refused) {
				t.Errorf("%s with %q: %d, problems with %q\n%s", command, tc.settings, status, problems, said)
			}
		}
	}
}

func TestHealthcheck(t *testing.T) {
	app := e2etest.Boot(t)
	address := strings.TrimPrefix(app.AdminURL(), "http://")
	if status, _, err := runs(t, t.Context(), "healthcheck", "COUNTERSIGN_ADMIN_ADDR="+address); status != 0 {
		t.Errorf("a healthy program: %d %q", status, err)
	}
	if status, _, err := runs(t, t.Context(), "healthcheck", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:1"); status != 1 || err == "" {
		t.Errorf("nobody there: %d %q", status, err)
	}
	port := address[strings.LastIndex(address, ":"):]
	if status, _, err := runs(t, t.Context(), "healthcheck", "COUNTERSIGN_ADMIN_ADDR="+port); status != 0 {
		t.Errorf("on every address: %d %q", status, err)
	}
}

func TestServe_NamesTakenAddress(t *testing.T) {
	app := e2etest.Boot(t)
	taken := strings.TrimPrefix(app.ListenURL(), "http://")
	for _, setting := range []string{"ADDR", "ADMIN_ADDR", "SANDBOX_ADDR"} {
		settings := []string{"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0"}
		status, _, err := runs(t, t.Context(), "serve", append(settings, "COUNTERSIGN_"+setting+"="+taken)...)
		if status != 1 || !strings.Contains(err, "COUNTERSIGN_"+setting) {
			t.Errorf("%s: %d %q", setting, status, err)
		}
	}
}

func TestServe_PrintsAddressesAndEnds(t *testing.T) {
	free := []string{"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0"}
	over, end := context.WithCancel(t.Context())
	end()
	for command, says := range map[string][]string{
		"serve":   {"http://localhost:", "http://127.0.0.1:", "alice bob carol", "Sandbox-1!", "/healthz"},
		"sandbox": {"http://127.0.0.1:", "alice bob carol", "Sandbox-1!", "RP ID localhost"},
	} {
		status, out, err := runs(t, over, command, free...)
		if status != 0 {
			t.Errorf("%s: %d %q", command, status, err)
		}
		for _, part := range says {
			if !strings.Contains(out, part) {
				t.Errorf("%s does not say %q:\n%s", command, part, out)
			}
		}
	}
}

// An address that Redis would refuse is refused before anything starts, by serve and by
// config in the same words.
func TestRedisURL_CheckedBeforeStart(t *testing.T) {
	const secret = "hunter2secret"
	for _, tc := range []struct{ mode, url, says string }{
		{"single", "redis://:" + secret + "@localhost?color=red", "unexpected option: color"},
		{"single", "redis://:" + secret + "@localhost?pool_size=many", "pool_size is not a valid number"},
		{"single", "redis://:" + secret + "@localhost/one", "does not parse"},
		{"single", "redis://:" + secret + "@localhost/-1", "below 0"},
		{"single", "redis://:" + secret + "@localhost:99999", "port"},
		{"single", "redis://localhost?master_name=main", "unexpected option: master_name"},
		{"sentinel", "redis://localhost?master_name=main&addr=localhost", "does not parse"},
		{"sentinel", "redis://localhost?master_name=main&addr=localhost:0", "port"},
		{"cluster", "redis://:" + secret + "@localhost?db=2", "unexpected option: db"},
		{"cluster", "redis://:" + secret + "@localhost/2", "database"},
	} {
		settings := []string{"COUNTERSIGN_REDIS_MODE=" + tc.mode, "COUNTERSIGN_REDIS_URL=" + tc.url}
		status, _, said := runs(t, t.Context(), "config", settings...)
		if status != 2 || !strings.HasPrefix(said, "COUNTERSIGN_REDIS_URL: ") || !strings.Contains(said, tc.says) || strings.Count(said, "\n") != 1 {
			t.Errorf("config, %s %s: %d %q", tc.mode, tc.url, status, said)
		}
		served, _, told := runs(t, t.Context(), "serve", settings...)
		if served != 2 || !strings.HasSuffix(told, ":\n"+said) {
			t.Errorf("serve, %s %s: %d %q", tc.mode, tc.url, served, told)
		}
		if strings.Contains(said+told, secret) {
			t.Errorf("the password is repeated: %q", said+told)
		}
	}
	status, _, said := runs(t, t.Context(), "config", "COUNTERSIGN_REDIS_URL=redis://localhost?read_timeout=5s&dial_timeout=1s&pool_size=5")
	if status != 0 || said != "warning: COUNTERSIGN_REDIS_URL: these of its parameters have no effect: dial_timeout, read_timeout\n" {
		t.Errorf("%d %q", status, said)
	}
}
