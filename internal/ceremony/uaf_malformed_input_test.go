package ceremony_test

import (
	"strings"
	"testing"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/uaf"
)

// What internal/uaf refuses is malformed, with the status that it gives, or that of a bad
// request. Its tests judge each form.
func TestUAFResponse_MalformedStatus(t *testing.T) {
	t.Parallel()
	for _, kind := range bothUAF {
		honest := honestUAF(t, kind)
		older, cut := honest, honest
		older.version, cut.assertion = `{"major":1,"minor":0}`, honest.assertion[:len(honest.assertion)-5]+`"`
		for name, c := range map[string]struct {
			text string
			want uaf.Status
		}{
			"no JSON":         {"", uaf.StatusBadRequest},
			"too long":        {"[" + strings.Repeat(" ", ceremony.MaxMessage) + "]", uaf.StatusBadRequest},
			"another version": {older.String(), uaf.StatusUnacceptableContent},
			"a cut assertion": {cut.String(), uaf.StatusUnacceptableContent},
		} {
			wantRefusal(t, string(kind)+", "+name, judgeUAF(kind, c.text), fault.CeremonyMalformed, c.want)
		}
		wantKey(t, string(kind), judgeUAF(kind, honest.String()), "")
	}
}
