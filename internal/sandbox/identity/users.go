package identity

import (
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/sandbox/wire"
)

func (s *Server) user(r *http.Request) (any, error) {
	a, err := s.accounts.find(r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	name, domain, _ := strings.Cut(a.ID, "@")
	devices := a.activation.serials()
	return userOutput{
		UserID: name, Domain: domain, DisplayName: a.DisplayName, EmailAddress: a.Email, MobilePhoneNumber: a.Phone,
		Enabled: !a.Disabled, Locked: a.Locked, Expired: a.Expired, IsPasswordSet: a.PassKey != "",
		Created: s.started, LastModified: s.started, LastPasswordUpdate: s.started,
		Authenticators: devices, HasAuthenticatorAssigned: len(devices) > 0,
		MDCProfile: "SANDBOX", VDPDeliveryMethod: "SMS",
	}, nil
}

// userOutput is the platform's UserOutput (docs/platform.md I10), without the members that
// depend on what the sandbox does not have. A member that is not known is absent.
type userOutput struct {
	UserID             string    `json:"userID"`
	Domain             string    `json:"domain"`
	DisplayName        string    `json:"displayName,omitzero"`
	EmailAddress       string    `json:"emailAddress,omitzero"`
	MobilePhoneNumber  string    `json:"mobilePhoneNumber,omitzero"`
	Enabled            bool      `json:"enabled"`
	Locked             bool      `json:"locked"`
	Expired            bool      `json:"expired"`
	IsPasswordSet      bool      `json:"isPasswordSet"`
	Created            time.Time `json:"created"`
	LastModified       time.Time `json:"lastModified"`
	LastPasswordUpdate time.Time `json:"lastPasswordUpdate"`
	// Authenticators are the serial numbers of activated devices.
	Authenticators           []string `json:"authenticators"`
	HasAuthenticatorAssigned bool     `json:"hasAuthenticatorAssigned"`
	MDCProfile               string   `json:"mdcProfile"`
	VDPDeliveryMethod        string   `json:"vdpDeliveryMethod"`
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
	a, err := s.accounts.find(r.PathValue("user"))
	if err != nil {
		return nil, err
	}
	list := make([]registrationOutput, 0, len(a.registrations))
	for _, one := range a.registrations {
		list = append(list, registrationOutput{
			RegistrationID: one.id, Name: one.name, Type: one.protocol,
			RegistrationTime: one.registered.UTC(), LastUsedTime: known(one.lastUsed.UTC()),
			AAGUID: known(one.aaguid), AAID: known(one.aaid), KeyID: known(one.keyID),
		})
	}
	return struct {
		Registrations []registrationOutput `json:"registrations"`
	}{list}, nil
}

type renameInput struct {
	Name *string `json:"name"`
}

func (s *Server) rename(r *http.Request, in renameInput) (any, error) {
	name := strings.TrimSpace(or(in.Name, ""))
	if n := utf8.RuneCountInString(name); n < 1 || n > 64 || strings.ContainsFunc(name, unicode.IsControl) {
		return nil, wire.Invalid(wire.Violation{Field: "name", Message: "must be 1 to 64 characters"})
	}
	return nil, s.accounts.rename(r.PathValue("user"), r.PathValue("registrationID"), name)
}

func (s *Server) deregister(r *http.Request) (any, error) {
	removed, err := s.accounts.remove(r.PathValue("user"), r.PathValue("registrationID"))
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

// known returns value as JSON writes it: null if the platform does not know it.
func known[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}
