package signing

// Reminders are the e-mails that the platform sends to those who have not signed, in days
// after the package was sent (docs/platform.md S16). The zero value sends none.
type Reminders struct {
	Start    int `json:"startInDaysDelay"`
	Interval int `json:"intervalInDays"`
	Most     int `json:"repetitionsCount"`
}
