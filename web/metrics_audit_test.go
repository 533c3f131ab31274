package web

import (
	"fmt"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/fault"
)

// What the audit trail counts begins at 0: an alert sees the first event, and that there is none.
func TestAuditMetrics_BeginAtZero(t *testing.T) {
	t.Parallel()
	m := NewMetrics("v1.2.3")
	count := func() map[string]int {
		families, err := m.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		series := map[string]int{}
		for _, f := range families {
			for _, one := range f.Metric {
				if one.Counter != nil && one.Counter.GetValue() == 0 {
					series[f.GetName()]++
				}
			}
		}
		return series
	}
	before := count()
	for _, reason := range []fault.Key{"", fault.AuthenticationFailed, fault.RequestRate, fault.PlatformFailed} {
		for _, what := range append(methods, "invented") {
			m.Audit(audit.Event{Kind: audit.SignInRefused, Method: what, Reason: string(reason)})
		}
		for _, what := range append(protocols, "invented") {
			m.Audit(audit.Event{Kind: audit.AuthenticatorRefused, Protocol: what, Reason: string(reason)})
		}
	}
	for name, want := range map[string]int{"countersign_sign_ins_total": 24, "countersign_registrations_total": 12, "countersign_audit_events_total": len(audit.Kinds())} {
		if before[name] != want {
			t.Errorf("%s begins with %d series, want %d", name, before[name], want)
		}
	}
	if left := fmt.Sprint(count()["countersign_sign_ins_total"], count()["countersign_registrations_total"]); left != "0 0" {
		t.Errorf("of the series that begin, %s count nothing", left)
	}
}
