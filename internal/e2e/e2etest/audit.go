package e2etest

import (
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/audit"
)

// AuditTrail returns the events of a file that AUDIT_LOG names, in their order.
func AuditTrail(t testing.TB, file string) (all []audit.Event) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var e audit.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}
