package signing

import (
	"net/http"
	"slices"
	"time"

	"countersign/internal/sandbox/wire"
)

// reminders are sent to those who have not signed.
type reminders struct {
	PackageID        string     `json:"packageId"`
	StartInDaysDelay int        `json:"startInDaysDelay"`
	IntervalInDays   int        `json:"intervalInDays"`
	RepetitionsCount int        `json:"repetitionsCount"`
	Reminders        []reminder `json:"reminders"` // once the package is sent
}

// reminder is a single reminder; SentDate is null before it is sent.
type reminder struct {
	Date     date  `json:"date"`
	SentDate *date `json:"sentDate"`
}

// getReminders answers 204 if there are none.
func (s *Server) getReminders(r *http.Request) (any, error) {
	p, err := s.store.find(r.PathValue("package"))
	if err != nil || p.reminders == nil {
		return nil, err
	}
	return *p.reminders, nil
}

func (s *Server) setReminders(r *http.Request) (any, error) {
	body, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	in := reminders{}
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	in.PackageID, in.Reminders = r.PathValue("package"), []reminder{}
	var rules wire.Rules
	if in.StartInDaysDelay < 0 || in.IntervalInDays < 0 || in.RepetitionsCount < 0 {
		rules.Broken("", "must not be negative")
	}
	if err := rules.Err(); err != nil {
		return nil, err
	}
	return s.changeReminders(r, &in)
}

func (s *Server) deleteReminders(r *http.Request) (any, error) {
	_, err := s.changeReminders(r, nil)
	return nil, err
}

// changeReminders replaces the planned reminders, or deletes them, until the package has
// ended: the SDKs also do so after it is sent.
func (s *Server) changeReminders(r *http.Request, planned *reminders) (any, error) {
	p, err := s.changeRoles(r, func(p *pkg) error {
		p.reminders = planned
		if p.Status == sent {
			p.schedule(s.now())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.reminders, nil
}

const day = 24 * time.Hour

// schedule plans the reminders of a package that is being sent.
func (p *pkg) schedule(now time.Time) {
	if p.reminders == nil {
		return
	}
	planned := *p.reminders
	planned.Reminders = []reminder{}
	first := now.Add(time.Duration(planned.StartInDaysDelay) * day)
	for i := range min(planned.RepetitionsCount, maxReminders) {
		at := first.Add(time.Duration(i*planned.IntervalInDays) * day)
		planned.Reminders = append(planned.Reminders, reminder{Date: dateOf(at)})
	}
	p.reminders = &planned
}

// maxReminders limits the reminders of a package.
const maxReminders = 100

// nextDeadline returns the time of a sent package's next automatic change.
func (p *pkg) nextDeadline() (time.Time, bool) {
	if p.Status != sent {
		return time.Time{}, false
	}
	var at time.Time
	if p.Due != nil {
		at = p.Due.at
	}
	if i := p.nextReminder(); i >= 0 && (at.IsZero() || p.reminders.Reminders[i].Date.at.Before(at)) {
		at = p.reminders.Reminders[i].Date.at
	}
	return at, !at.IsZero()
}

// nextReminder returns the index of the first unsent reminder, or -1.
func (p *pkg) nextReminder() int {
	if p.reminders == nil {
		return -1
	}
	return slices.IndexFunc(p.reminders.Reminders, func(r reminder) bool { return r.SentDate == nil })
}

// passDeadline returns the package after its next deadline, and the events.
func (p *pkg) passDeadline(now time.Time) (*pkg, []event) {
	late, at := *p, dateOf(now)
	i := p.nextReminder()
	if p.Due != nil && (i < 0 || !p.reminders.Reminders[i].Date.at.Before(p.Due.at)) {
		late.Status, late.Updated = expired, at
		return &late, []event{{name: packageExpired, at: at}}
	}
	done := *p.reminders
	done.Reminders = slices.Clone(done.Reminders)
	done.Reminders[i].SentDate = &at
	late.reminders = &done
	var events []event
	for _, r := range p.Roles {
		if p.awaits(r) {
			events = append(events, event{name: roleReminded, at: at, roleID: r.ID})
		}
	}
	return &late, events
}
