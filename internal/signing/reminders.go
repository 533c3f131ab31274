package signing

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// Reminders are the e-mails that the platform sends to those who have not signed, in days
// after the package was sent (docs/platform.md S16). The zero value sends none.
type Reminders struct {
	Start    int `json:"startInDaysDelay"`
	Interval int `json:"intervalInDays"`
	Most     int `json:"repetitionsCount"`
}

// MaxReminders limits the reminders of a package.
const MaxReminders = 5

// CheckReminders accepts a schedule of reminders, and has it name the package that the path
// names, as the platform requires.
func CheckReminders(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		o, _ := v.Object()
		o.Whole("startInDaysDelay")
		o.Whole("intervalInDays")
		switch most, ok := o.Whole("repetitionsCount"); {
		case !o.Has("repetitionsCount"):
			o.Note("repetitionsCount", "field.required")
		case ok && (most < 1 || most > MaxReminders):
			o.Note("repetitionsCount", "field.remind-most")
		}
		named, _ := jsontext.AppendQuote(nil, r.ID)
		if given, ok := o.RawMember("packageId"); ok {
			p.replace(given.Place(), string(named))
		} else {
			p.insert(o, `"packageId":`+string(named))
		}
	})
}
