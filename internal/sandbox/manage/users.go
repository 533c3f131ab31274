package manage

import (
	"net/http"

	"countersign/internal/sandbox/people"
	"countersign/internal/sandbox/wire"
)

// userInput makes or changes a person; a member that is absent or null stays unchanged.
type userInput struct {
	PassKey     *string `json:"passKey"`
	DisplayName *string `json:"displayName"`
	Email       *string `json:"email"`
	Phone       *string `json:"phone"`
	// Status stands for all flags; flags beside it then change their own.
	Status  *people.Status `json:"status"`
	Enabled *bool          `json:"enabled"`
	Locked  *bool          `json:"locked"`
	Expired *bool          `json:"expired"`
	// SecondFactor has the right password answered with a push.
	SecondFactor *bool `json:"secondFactor"`
}

func (in userInput) validate(user string) error {
	var rules wire.Rules
	if !people.ValidID(user) {
		rules.Broken("user", "must be userID@domain")
	}
	rules.OneOf("status", (*string)(in.Status), people.Statuses()...)
	if in.PassKey != nil {
		rules.Required("passKey", in.PassKey)
	}
	return rules.Err()
}

func (s *Server) putUser(r *http.Request, in userInput) (any, error) {
	user := r.PathValue("user")
	if err := in.validate(user); err != nil {
		return nil, err
	}
	s.People.Put(user, func(p *people.Person) {
		wire.Set(&p.PassKey, in.PassKey)
		wire.Set(&p.DisplayName, in.DisplayName)
		wire.Set(&p.Email, in.Email)
		wire.Set(&p.Phone, in.Phone)
		if in.Status != nil {
			p.Set(*in.Status)
		}
		if in.Enabled != nil {
			p.Disabled = !*in.Enabled
		}
		wire.Set(&p.Locked, in.Locked)
		wire.Set(&p.Expired, in.Expired)
		wire.Set(&p.SecondFactor, in.SecondFactor)
	})
	return nil, nil
}
