package verify

import (
	"testing"

	"countersign/internal/verification/index"
)

// Each status of the platform has a message and a look; all in which a verification may still
// change share one. Only a completed one has a result.
func TestStatus_MessageAndLook(t *testing.T) {
	for _, c := range []struct{ status, result, message, verdict, kind string }{
		{"new", "", "page.verification.in-progress", "", "active"},
		{"started", "Passed", "page.verification.in-progress", "", "active"},
		{"unheard-of", "", "page.verification.in-progress", "", "active"},
		{"completed", "Passed", "page.verification.completed", "page.verification.passed", "passed"},
		{"completed", "Failed", "page.verification.completed", "page.verification.failed", "failed"},
		{"completed", "Undefined", "page.verification.completed", "", "over"},
		{"completed", "", "page.verification.completed", "", "over"},
		{"cancelled", "Failed", "page.verification.cancelled", "", "over"},
		{"expired", "Passed", "page.verification.expired", "", "over"},
		{"error", "Failed", "page.verification.error", "", "over"},
	} {
		v := itemOf(index.Item{Status: c.status, Result: c.result})
		if v.StateID != c.message || v.ResultID != c.verdict || v.Kind() != c.kind || v.Status != c.status {
			t.Errorf("%s, %s: %q, %q, %q, %q", c.status, c.result, v.Status, v.StateID, v.ResultID, v.Kind())
		}
	}
}
