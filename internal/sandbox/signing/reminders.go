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

// reminder is a single reminder; SentDate is absent before it is sent.
type reminder struct {
	Date     date  `json:"date"`
	SentDate *date `json:"sentDate,omitempty"`
}

func (s *Server) reminderRoutes() []wire.Route {
	return []wire.Route{
		{Operation: "getReminders", Method: get, Path: packagePath + "/reminders", Call: s.ofPackage(s.getReminders)},
		{Operation: "setReminders", Method: put, Path: packagePath + "/reminders", Call: withBody(s.updateReminders)},
		{Operation: "setReminders", Method: post, Path: packagePath + "/reminders", Call: withBody(s.createReminders)},
		{Operation: "deleteReminders", Method: del, Path: packagePath + "/reminders", Call: s.deleteReminders},
	}
}

// getReminders answers 204 if there are none.
func (s *Server) getReminders(_ *http.Request, p *pkg) (any, error) {
	if p.reminders == nil {
		return nil, nil
	}
	return p.reminders, nil
}

// createReminders plans the reminders of a package that is not sent yet.
func (s *Server) createReminders(r *http.Request, in reminders) (any, error) {
	return s.setReminders(r, in, func(p *pkg) error {
		if p.Status != draft {
			return invalidState("A package that is " + p.Status + " gets no reminder schedule.")
		}
		return nil
	})
}

// updateReminders changes the planned reminders until the package has ended.
func (s *Server) updateReminders(r *http.Request, in reminders) (any, error) {
	return s.setReminders(r, in, func(p *pkg) error {
		if p.reminders == nil {
			return invalidState("The package has no reminder schedule.")
		}
		return nil
	})
}

// setReminders plans the reminders if the package allows it.
func (s *Server) setReminders(r *http.Request, in reminders, allowed func(*pkg) error) (any, error) {
	if err := in.check(r.PathValue("package")); err != nil {
		return nil, err
	}
	in.Reminders = []reminder{}
	p, err := s.changeRoles(r, func(p *pkg) error {
		if err := allowed(p); err != nil {
			return err
		}
		if p.reminders = &in; p.Status == sent {
			p.schedule(s.now())
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.reminders, nil
}

func (in reminders) check(packageID string) error {
	var rules wire.Rules
	if in.PackageID != packageID {
		rules.Broken("packageId", "must be the package's")
	}
	if in.StartInDaysDelay < 0 || in.IntervalInDays < 0 {
		rules.Broken("", "must not be negative")
	}
	wire.Between(&rules, "repetitionsCount", &in.RepetitionsCount, 1, maxReminders)
	return rules.Err()
}

func (s *Server) deleteReminders(r *http.Request) (any, error) {
	_, err := s.changeRoles(r, func(p *pkg) error {
		p.reminders = nil
		return nil
	})
	return nil, err
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
	for i := range planned.RepetitionsCount {
		at := first.Add(time.Duration(i*planned.IntervalInDays) * day)
		planned.Reminders = append(planned.Reminders, reminder{Date: dateOf(at)})
	}
	p.reminders = &planned
}

// maxReminders limits the reminders of a package.
const maxReminders = 5

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
