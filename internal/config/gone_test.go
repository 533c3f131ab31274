package config_test

import (
	"slices"
	"strings"
	"testing"
)

// A setting of an earlier version stops the start and says what it is now; so does its
// file, and several are reported at once.
func TestOldNamesSayTheNewOnes(t *testing.T) {
	for old, says := range map[string]string{
		"VERIFICATION_CREATORS": "COUNTERSIGN_IDV_CREATORS",
		"VERIFICATION_ERASURE":  "COUNTERSIGN_IDV_ERASURE",
	} {
		for _, name := range []string{old, old + "_FILE"} {
			wantProblem(t, name, name+"=x")
			if got := problems(t, name+"=x")[0]; !strings.Contains(got, says) {
				t.Errorf("%q does not name %s", got, says)
			}
			if c := mustLoad(t, name+"="); len(c.Warnings) != 0 {
				t.Errorf("%s is empty, and yet: %q", name, c.Warnings)
			}
		}
	}
	got := problems(t, "VERIFICATION_ERASURE=starter", "VERIFICATION_CREATORS=operators", "ADDR=nowhere")
	if len(got) != 3 || !slices.IsSorted(got) {
		t.Errorf("every problem at once, not %q", got)
	}
}

func TestNewNamesOfVerification(t *testing.T) {
	c := mustLoad(t, "IDV_CREATORS=operators", "IDV_ERASURE=starter")
	if !c.IDV.OperatorsCreate() || !c.IDV.StarterErases() {
		t.Errorf("%+v", c.IDV)
	}
	wantProblem(t, "IDV_CREATORS", "IDV_CREATORS=starter")
	wantProblem(t, "IDV_ERASURE", "IDV_ERASURE=everybody")
}
