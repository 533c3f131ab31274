package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/redistest"
)

// retained runs the command with these settings.
func retained(t *testing.T, settings []string, arguments ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err logtest.Log
	status = command{environ: settings, stdin: strings.NewReader(""), stdout: &out, stderr: &err}.run(t.Context(), append([]string{"retention"}, arguments...))
	return status, out.String(), err.String()
}

// The dry run tells what two nodes then announce, each once.
func TestRetention_DryRunTellsDeletions(t *testing.T) {
	redis, trail := redistest.Start(t).URL(), filepath.Join(t.TempDir(), "audit.jsonl")
	clock := new(e2etest.Clock)
	shared := []string{"SIGNING_SWEEP=1s", "AUDIT_LOG=" + trail}
	nodes := e2etest.BootNodesApart(t, redis, []*e2etest.Clock{clock}, shared...)
	for _, status := range []string{"COMPLETED", "SENT", "EXPIRED"} {
		e2etest.Manage(t, nodes[0], "POST", "/packages", map[string]any{
			"count": 3, "status": status, "owner": "alice@sandbox", "updatedFrom": time.Now().AddDate(0, 0, -40).UTC().Format(time.RFC3339),
		})
	}
	settings := []string{
		"COUNTERSIGN_PUBLIC_ORIGIN=https://cs.example", "COUNTERSIGN_PLATFORM_URL=" + nodes[0].SandboxURL(), "COUNTERSIGN_REDIS_URL=" + redis,
		"COUNTERSIGN_IDENTITY_AUTHORIZATION=none", "COUNTERSIGN_SIGNING_API_KEY=none", "COUNTERSIGN_SESSION_KEYS=" + strings.Repeat("a73c", 16),
		"COUNTERSIGN_DECOY_KEY=" + strings.Repeat("5ed1", 16), "COUNTERSIGN_ACCESS_KEYS=" + strings.Repeat("19b8", 16), "COUNTERSIGN_SIGNING_TRASH_AFTER=30",
	}
	var planned []string
	e2etest.Eventually(t, "the dry run has all", func() bool {
		status, out, _ := retained(t, settings, "--dry-run")
		planned = nil
		for row := range strings.Lines(out) {
			fields := strings.Fields(row)
			if len(fields) != 5 || fields[0] != "package" || fields[2] != "COMPLETED" && fields[2] != "EXPIRED" {
				t.Fatalf("the dry run says %q", row)
			}
			if goes, err := time.Parse(time.RFC3339, fields[4]); err != nil || time.Until(goes).Round(time.Hour) != 24*time.Hour {
				t.Errorf("it goes at %q", fields[4])
			}
			planned = append(planned, fields[1])
		}
		return status == 0 && len(planned) == 6
	})
	e2etest.BootNodesApart(t, redis, []*e2etest.Clock{clock, clock}, append(shared, "SIGNING_TRASH_AFTER=30", "PLATFORM_URL="+nodes[0].SandboxURL())...)
	var told []string
	e2etest.Eventually(t, "all are announced", func() bool {
		told = nil
		for _, e := range e2etest.AuditTrail(t, trail) {
			if e.Kind == audit.RetentionAnnounced {
				told = append(told, e.Subject)
			}
		}
		return len(told) >= 6
	})
	slices.Sort(planned)
	if slices.Sort(told); !slices.Equal(told, planned) {
		t.Errorf("announced is %q, planned was %q", told, planned)
	}
}

func TestRetention_Refused(t *testing.T) {
	for name, tc := range map[string]struct {
		settings, arguments []string
		status              int
		says                string
	}{
		"without --dry-run": {nil, nil, 2, "--dry-run is missing"}, "an argument": {nil, []string{"--dry-run", "x"}, 2, "unknown arguments"},
		"a flag": {nil, []string{"--force"}, 2, "-force"}, "help": {nil, []string{"--help"}, 0, "countersign retention --dry-run"},
		"no rule": {nil, []string{"--dry-run"}, 2, "COUNTERSIGN_IDV_ERASE_AFTER"}, "no Redis": {[]string{"COUNTERSIGN_IDV_ERASE_AFTER=30"}, []string{"--dry-run"}, 2, "name no Redis"},
		"wrong days":    {[]string{"COUNTERSIGN_IDV_ERASE_AFTER=0"}, []string{"--dry-run"}, 2, "COUNTERSIGN_IDV_ERASE_AFTER"},
		"Redis is away": {[]string{"COUNTERSIGN_SIGNING_TRASH_AFTER=30", "COUNTERSIGN_REDIS_URL=redis://127.0.0.1:1"}, []string{"--dry-run"}, 1, "countersign: "},
	} {
		status, out, err := retained(t, tc.settings, tc.arguments...)
		if status != tc.status || !strings.Contains(out+err, tc.says) {
			t.Errorf("%s: %d %q %q", name, status, out, err)
		}
	}
}
