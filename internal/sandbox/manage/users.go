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
	Status      *string `json:"status"`
}

func (in userInput) validate(user string) error {
	var rules wire.Rules
	if !people.ValidID(user) {
		rules.Broken("user", "must be userID@domain")
	}
	rules.OneOf("status", in.Status, string(people.Active), string(people.Disabled), string(people.Locked), string(people.PasswordExpired))
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
		set(&p.PassKey, in.PassKey)
		set(&p.DisplayName, in.DisplayName)
		set(&p.Email, in.Email)
		set(&p.Phone, in.Phone)
		set(&p.Status, (*people.Status)(in.Status))
	})
	return nil, nil
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}
