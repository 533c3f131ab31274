package identity

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"countersign/internal/sandbox/wire"
	"countersign/internal/uaf"
)

// registrationOutput is a row of the list of registrations (docs/platform.md I3). The names
// of its members are not public.
type registrationOutput struct {
	RegistrationID   string     `json:"registrationID"`
	UserID           string     `json:"userID"`
	Domain           string     `json:"domain"`
	Name             string     `json:"name"`
	Type             string     `json:"type"`
	RegistrationTime time.Time  `json:"registrationTime"`
	LastUsedTime     *time.Time `json:"lastUsedTime"`
	AAGUID           *string    `json:"aaguid"`
	AAID             *string    `json:"aaid"`
	KeyID            *string    `json:"keyID"`
}

// registrationsQuery selects rows: of one person, or of all; of one protocol, or of both.
type registrationsQuery struct {
	userID, domain, protocol string
	page
}

func readRegistrationsQuery(values url.Values) (registrationsQuery, error) {
	q := registrationsQuery{userID: values.Get("userID"), domain: values.Get("domain"), protocol: values.Get("type"), page: page{Limit: 20}}
	var rules wire.Rules
	for name := range values {
		switch name {
		case "userID", "domain":
		case "type":
			rules.OneOf(name, &q.protocol, fido2, uaf11)
		default:
			if !q.read(&rules, name, values.Get(name)) {
				rules.Broken(name, "is not a parameter of this operation")
			}
		}
	}
	if (q.userID == "") != (q.domain == "") {
		rules.Broken("userID", "goes with domain")
	}
	return q, rules.Err()
}

func (s *Server) registrations(r *http.Request) (any, error) {
	q, err := readRegistrationsQuery(r.URL.Query())
	if err != nil {
		return nil, err
	}
	accounts := s.accounts.list()
	if q.userID != "" {
		one, err := s.accounts.find(q.userID + "@" + q.domain)
		if err != nil {
			return nil, err
		}
		accounts = []account{one}
	}
	rows := []registrationOutput{}
	for _, a := range accounts {
		for _, one := range a.registrations {
			if q.protocol == "" || one.protocol == q.protocol {
				rows = append(rows, a.row(one))
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b registrationOutput) int { return a.RegistrationTime.Compare(b.RegistrationTime) })
	rows = part(rows, &q.page)
	return struct {
		Registrations []registrationOutput `json:"registrations"`
		page
	}{rows, q.page}, nil
}

func (a account) row(one registration) registrationOutput {
	name, domain, _ := strings.Cut(a.ID, "@")
	return registrationOutput{
		RegistrationID: one.id, UserID: name, Domain: domain, Name: one.name, Type: one.protocol,
		RegistrationTime: one.registered.UTC(), LastUsedTime: known(one.lastUsed.UTC()),
		AAGUID: known(one.aaguid), AAID: known(one.aaid), KeyID: known(one.keyID),
	}
}

type renameInput struct {
	Name *string `json:"name"`
}

func (s *Server) rename(r *http.Request, in renameInput) (any, error) {
	name := strings.TrimSpace(or(in.Name, ""))
	if n := utf8.RuneCountInString(name); n < 1 || n > 64 || strings.ContainsFunc(name, unicode.IsControl) {
		return nil, wire.Invalid(wire.Violation{Field: "name", Message: "must be 1 to 64 characters"})
	}
	return nil, s.accounts.rename(r.PathValue("registrationID"), name)
}

func (s *Server) remove(r *http.Request) (any, error) {
	return nil, s.accounts.remove(r.PathValue("registrationID"))
}

// uafKeyInput names a key of a person.
type uafKeyInput struct {
	AAID  *string `json:"aaid"`
	KeyID *string `json:"keyID"`
}

// deregister answers with the message by which the person's client deletes keys. Their
// registrations stay.
func (s *Server) deregister(r *http.Request, in []uafKeyInput) (any, error) {
	a, err := s.actor(r)
	if err == nil {
		_, err = s.engine(uaf11)
	}
	if err != nil {
		return nil, inProtocol(uaf11, err)
	}
	var form rules
	for i, one := range in {
		form.Required(fmt.Sprintf("%d.aaid", i), one.AAID)
		form.Length(fmt.Sprintf("%d.aaid", i), one.AAID, 0, 9)
		form.Required(fmt.Sprintf("%d.keyID", i), one.KeyID)
	}
	if err := form.Err(); err != nil {
		return nil, inProtocol(uaf11, err)
	}
	request := uaf.DeregistrationRequest{Header: uaf.NewHeader(uaf.OperationDeregistration, s.uaf.appID, "")}
	for _, one := range in {
		at := slices.IndexFunc(a.registrations, func(r registration) bool {
			return r.protocol == uaf11 && strings.EqualFold(r.aaid, or(one.AAID, "")) && r.keyID == or(one.KeyID, "")
		})
		if at < 0 {
			return nil, inProtocol(uaf11, wire.Conflict("The key is not registered"))
		}
		found := a.registrations[at]
		request.Authenticators = append(request.Authenticators, uaf.DeregisterAuthenticator{AAID: uaf.AAID(found.aaid), KeyID: found.keyID})
	}
	if len(request.Authenticators) == 0 {
		return nil, inProtocol(uaf11, wire.Conflict("No key is named"))
	}
	message, err := request.Encode()
	if err != nil {
		return nil, err
	}
	return struct {
		DeregistrationRequest string `json:"deregistrationRequest"`
		UAFStatusCode         *int   `json:"uafStatusCode"`
	}{message, succeeded(uaf11)}, nil
}
