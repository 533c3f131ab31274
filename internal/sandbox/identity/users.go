package identity

import (
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/sandbox/wire"
)

// Change is what makes or changes a person; nil leaves a member as it is.
type Change struct {
	PassKey     *string `json:"passKey"`
	DisplayName *string `json:"displayName"`
	Email       *string `json:"email"`
	Phone       *string `json:"phone"`
	Status      *Status `json:"status"`
}

var userID = regexp.MustCompile(`^[A-Za-z0-9._+-]{1,64}@[A-Za-z0-9.-]{1,64}$`)

// Put makes the person userID@domain, or changes them. A new one is active and
// has DemoPassword. An id of another form, an unknown status and an empty
// password are a 400.
func (s *Server) Put(id string, c Change) error {
	var r rules
	if !userID.MatchString(id) {
		r.broken("user", "must be userID@domain")
	}
	r.oneOf("status", (*string)(c.Status), string(Active), string(Disabled), string(Locked), string(PasswordExpired))
	if c.PassKey != nil {
		r.required("passKey", c.PassKey)
	}
	if err := r.verdict(); err != nil {
		return err
	}
	s.people.put(id, func(p *person) {
		set(&p.passKey, c.PassKey)
		set(&p.displayName, c.DisplayName)
		set(&p.email, c.Email)
		set(&p.phone, c.Phone)
		set(&p.status, c.Status)
	})
	return nil
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

func (s *Server) user(r *http.Request) (any, error) {
	p, err := s.people.find(r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	name, domain, _ := strings.Cut(p.id, "@")
	return struct {
		UserID         string   `json:"userID"`
		Domain         string   `json:"domain"`
		DisplayName    *string  `json:"displayName"`
		EmailAddress   *string  `json:"emailAddress"`
		MobilePhone    *string  `json:"mobilePhone"`
		Status         Status   `json:"status"`
		Authenticators []string `json:"authenticators"` // serial numbers of activated devices
	}{name, domain, known(p.displayName), known(p.email), known(p.phone), p.status, p.activation.serials()}, nil
}

type registrationOutput struct {
	RegistrationID   string     `json:"registrationID"`
	Name             string     `json:"name"`
	Type             string     `json:"type"`
	RegistrationTime time.Time  `json:"registrationTime"`
	LastUsedTime     *time.Time `json:"lastUsedTime"`
	AAGUID           *string    `json:"aaguid"`
	AAID             *string    `json:"aaid"`
	KeyID            *string    `json:"keyID"`
}

func (s *Server) registrations(r *http.Request) (any, error) {
	p, err := s.people.find(r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	list := make([]registrationOutput, 0, len(p.registrations))
	for _, one := range p.registrations {
		list = append(list, registrationOutput{
			RegistrationID: one.id, Name: one.name, Type: one.protocol,
			RegistrationTime: one.registered.UTC(), LastUsedTime: knownTime(one.lastUsed),
			AAGUID: known(one.aaguid), AAID: known(one.aaid), KeyID: known(one.keyID),
		})
	}
	return struct {
		Registrations []registrationOutput `json:"registrations"`
	}{list}, nil
}

func (s *Server) rename(r *http.Request) (any, error) {
	var in struct {
		Name *string `json:"name"`
	}
	if err := wire.Decode(r, &in); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(or(in.Name, ""))
	if n := utf8.RuneCountInString(name); n < 1 || n > 64 || strings.ContainsFunc(name, unicode.IsControl) {
		return nil, wire.Invalid(wire.Violation{Field: "name", Message: "must be 1 to 64 characters"})
	}
	return nil, s.people.changeRegistration(r.PathValue("user"), r.PathValue("registrationID"), func(one *registration) error {
		one.name = name
		return nil
	})
}

func (s *Server) deregister(r *http.Request) (any, error) {
	removed, err := s.people.remove(r.PathValue("user"), r.PathValue("registrationID"))
	if err != nil {
		return nil, err
	}
	engine, err := s.engine(removed.protocol)
	if err != nil {
		return nil, err
	}
	message, err := engine.deregistration(removed)
	if err != nil || message == "" {
		return nil, err
	}
	return struct {
		DeregistrationRequest string `json:"deregistrationRequest"`
	}{message}, nil
}

// known is null in JSON for what the platform does not know.
func known(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

func knownTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	utc := t.UTC()
	return &utc
}
