package signing_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// A schedule names its package, whatever the client says, and has one to five reminders.
func TestCheckReminders_Schedule(t *testing.T) {
	for _, tt := range []struct{ body, sent, wrong string }{
		{`{"repetitionsCount":1}`, `{"packageId":"p\"1","repetitionsCount":1}`, ""},
		{`{ "startInDaysDelay": 0, "intervalInDays": 400, "repetitionsCount": 5, "more": [1] }`, `{"packageId":"p\"1", "startInDaysDelay": 0, "intervalInDays": 400, "repetitionsCount": 5, "more": [1] }`, ""},
		{`{"packageId":"other","repetitionsCount":2}`, `{"packageId":"p\"1","repetitionsCount":2}`, ""},
		{`{"packageId":null,"repetitionsCount":2}`, `{"packageId":"p\"1","repetitionsCount":2}`, ""},
		{`{}`, "", "/repetitionsCount field.required"},
		{`{"repetitionsCount":null}`, "", "/repetitionsCount field.required"},
		{`{"repetitionsCount":0}`, "", "/repetitionsCount field.remind-most"},
		{`{"repetitionsCount":6}`, "", "/repetitionsCount field.remind-most"},
		{`{"repetitionsCount":1e99}`, "", "/repetitionsCount field.remind-most"},
		{`{"repetitionsCount":1.5}`, "", "/repetitionsCount field.count"},
		{`{"repetitionsCount":"5","startInDaysDelay":-1,"intervalInDays":0.5}`, "", "/startInDaysDelay field.count, /intervalInDays field.count, /repetitionsCount field.number"},
	} {
		p, err := signing.NewPayload([]byte(tt.body))
		if err == nil {
			err = signing.CheckReminders(p, signing.Context{ID: `p"1`})
		}
		var noted []string
		for _, f := range fault.From(err).Fields {
			noted = append(noted, f.Pointer+" "+f.Detail)
		}
		if got := strings.Join(noted, ", "); got != tt.wrong {
			t.Errorf("%s: %q, want %q", tt.body, got, tt.wrong)
		}
		if tt.wrong != "" {
			continue
		}
		if sent, err := io.ReadAll(p.Edited(bytes.NewReader([]byte(tt.body)))); err != nil || string(sent) != tt.sent {
			t.Errorf("%s: sent as %s, %v", tt.body, sent, err)
		}
	}
}
