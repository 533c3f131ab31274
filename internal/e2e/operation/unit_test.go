package operation_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// systemd accepts the unit, if systemd-analyze is installed.
func TestUnit_AcceptedBySystemd(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is missing: it comes with systemd")
	}
	text := strings.ReplaceAll(read(t, "systemd/countersign.service"), "/usr/local/bin/countersign", "/bin/true")
	directory := t.TempDir()
	service, socket := filepath.Join(directory, "countersign.service"), filepath.Join(directory, "countersign.socket")
	for name, text := range map[string]string{service: text, socket: read(t, "systemd/countersign.socket")} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.CommandContext(t.Context(), analyze, "verify", "--man=no", service, socket).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}
