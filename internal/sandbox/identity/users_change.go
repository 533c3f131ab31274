package identity

import (
	"net/http"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// updateUserInput is the payload of PATCH /users/{user}, UpdateUserInput. What the sandbox has
// no use for is checked and dropped.
type updateUserInput struct {
	DisplayName       *string `json:"displayName"`
	EmailAddress      *string `json:"emailAddress"`
	Enabled           *bool   `json:"enabled"`
	MobilePhoneNumber *string `json:"mobilePhoneNumber"`
	StaticPassword    *string `json:"staticPassword"`
	MDCProfile        *string `json:"mdcProfile"`
	VDPDeliveryMethod *string `json:"vdpDeliveryMethod"`
}

func (in updateUserInput) validate() error {
	var r rules
	r.Length("displayName", in.DisplayName, 0, 255)
	r.Length("emailAddress", in.EmailAddress, 0, 64)
	r.Length("mobilePhoneNumber", in.MobilePhoneNumber, 0, 64)
	r.Length("staticPassword", in.StaticPassword, 8, 255)
	r.Length("mdcProfile", in.MDCProfile, 0, 255)
	r.OneOf("vdpDeliveryMethod", in.VDPDeliveryMethod, "Default", "SMS", "Email", "Voice")
	return r.Err()
}

// updateUser changes the members that are named.
func (s *Server) updateUser(r *http.Request, in updateUserInput) (any, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	changed, err := s.changeUser(r, nil, func(p *people.Person) {
		for kept, given := range map[*string]*string{
			&p.DisplayName: in.DisplayName, &p.Email: in.EmailAddress, &p.Phone: in.MobilePhoneNumber, &p.PassKey: in.StaticPassword,
		} {
			*kept = or(given, *kept)
		}
		p.Disabled = !or(in.Enabled, !p.Disabled)
	})
	if err != nil {
		return nil, err
	}
	return s.userOutput(changed).tagged(), nil
}

// unlockUser unlocks an account; one that is not locked is a 409.
func (s *Server) unlockUser(r *http.Request) (any, error) {
	_, err := s.changeUser(r, func(a account) error {
		if !a.Locked {
			return wire.Conflict("User account is not locked")
		}
		return nil
	}, func(p *people.Person) { p.Locked = false })
	return nil, err
}

// changeUser lets change alter the person, if permit allows it and If-Match names the state of
// the account, and returns what it is then.
func (s *Server) changeUser(r *http.Request, permit func(account) error, change func(*people.Person)) (changed account, err error) {
	err = s.accounts.change(r.PathValue("user"), func(a *account) error {
		if tag := r.Header.Get("If-Match"); tag != "" && tag != "*" && tag != s.userOutput(*a).tag() {
			return wire.Conflict("User account was changed meanwhile")
		}
		if permit != nil {
			if err := permit(*a); err != nil {
				return err
			}
		}
		change(&a.Person)
		s.accounts.people.Put(a.ID, func(p *people.Person) { *p = a.Person })
		a.modified = s.now().UTC()
		changed = a.clone()
		return nil
	})
	return changed, err
}
