package signing

import (
	"net/http"
	"slices"

	"countersign/internal/sandbox/wire"
)

// visibility says which roles see which documents. A document that it does not
// name is visible to all.
type visibility struct {
	Configurations []visibleDocument `json:"configurations"`
}

type visibleDocument struct {
	DocumentUID string   `json:"documentUid"`
	RoleUIDs    []string `json:"roleUids"`
}

func (s *Server) getVisibility(r *http.Request) (any, error) {
	p, err := s.store.find(r.PathValue("package"))
	if err != nil {
		return nil, err
	}
	return visibility{Configurations: list(p.visibility.Configurations)}, nil
}

func (s *Server) setVisibility(r *http.Request) (any, error) {
	body, err := readJSON(r)
	if err != nil {
		return nil, err
	}
	var in visibility
	if err := decode(body, &in); err != nil {
		return nil, err
	}
	_, err = s.changeDocuments(r, func(p *pkg) error {
		for i := range in.Configurations {
			one := &in.Configurations[i]
			one.RoleUIDs = list(one.RoleUIDs)
			if _, err := p.documentIndex(one.DocumentUID); err != nil {
				return err
			}
			for _, id := range one.RoleUIDs {
				if !slices.ContainsFunc(p.Roles, func(r role) bool { return r.ID == id }) {
					return unknown("role")
				}
			}
		}
		p.visibility = in
		return nil
	})
	return wire.Empty, err
}

// reminders are sent to those who have not signed.
type reminders struct {
	PackageID        string     `json:"packageId"`
	StartInDaysDelay int        `json:"startInDaysDelay"`
	IntervalInDays   int        `json:"intervalInDays"`
	RepetitionsCount int        `json:"repetitionsCount"`
	Reminders        []struct{} `json:"reminders"` // those that were sent
}

// getReminders is a 204 where there are none.
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
	in.PackageID, in.Reminders = r.PathValue("package"), []struct{}{}
	var rules wire.Rules
	if in.StartInDaysDelay < 0 || in.IntervalInDays < 0 || in.RepetitionsCount < 0 {
		rules.Broken("", "must not be negative")
	}
	if err := rules.Err(); err != nil {
		return nil, err
	}
	_, err = s.changeDocuments(r, func(p *pkg) error {
		p.reminders = &in
		return nil
	})
	return in, err
}

func (s *Server) deleteReminders(r *http.Request) (any, error) {
	_, err := s.changeDocuments(r, func(p *pkg) error {
		p.reminders = nil
		return nil
	})
	return nil, err
}
