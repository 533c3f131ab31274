package signing

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"countersign/internal/sandbox/wire"
)

// The values of a role's type.
const (
	roleSigner = "SIGNER"
	roleSender = "SENDER"
)

// role is a role in the platform's answer (specification, part 2.7).
type role struct {
	ID                     string         `json:"id"`
	Name                   string         `json:"name"`
	Type                   string         `json:"type"`
	Index                  int            `json:"index"`
	Reassign               bool           `json:"reassign"`
	Locked                 bool           `json:"locked"`
	Signers                []signer       `json:"signers"`
	Data                   jsontext.Value `json:"data"`
	EmailMessage           jsontext.Value `json:"emailMessage"`
	AttachmentRequirements []requirement  `json:"attachmentRequirements"`
	SpecialTypes           []string       `json:"specialTypes"`
}

// signer is a signer in the platform's answer (specification, part 2.8; docs/platform.md
// S7), or the sender of a package.
type signer struct {
	ID                         string           `json:"id"`
	Email                      string           `json:"email"`
	FirstName                  string           `json:"firstName"`
	LastName                   string           `json:"lastName"`
	Name                       string           `json:"name"`
	Company                    string           `json:"company"`
	Title                      string           `json:"title"`
	Phone                      *string          `json:"phone"`
	Language                   string           `json:"language"`
	TimezoneID                 string           `json:"timezoneId"`
	SignerType                 string           `json:"signerType"`
	NotificationMethods        *notification    `json:"notificationMethods"`
	Auth                       *authentication  `json:"auth"`
	Delivery                   *delivery        `json:"delivery"`
	KnowledgeBasedAuthenticate jsontext.Value   `json:"knowledgeBasedAuthentication"`
	Group                      jsontext.Value   `json:"group"`
	Signature                  jsontext.Value   `json:"signature"`
	Data                       jsontext.Value   `json:"data"`
	External                   jsontext.Value   `json:"external"`
	Address                    jsontext.Value   `json:"address"`
	ProfessionalIdentityFields []jsontext.Value `json:"professionalIdentityFields"`
	UserCustomFields           []jsontext.Value `json:"userCustomFields"`
	SpecialTypes               []string         `json:"specialTypes"`
	Created                    date             `json:"created"`
	Updated                    date             `json:"updated"`
}

type notification struct {
	Primary []method `json:"primary"`
}

// method is byEmail or bySMS.
type method string

// numbered are the methods that an SDK writes as numbers.
var numbered = map[string]method{"0": byEmail, "1": bySMS}

// UnmarshalJSON takes a method by its name or its number.
func (m *method) UnmarshalJSON(text []byte) error {
	if named, ok := numbered[string(text)]; ok {
		*m = named
		return nil
	}
	return json.Unmarshal(text, (*string)(m))
}

type authentication struct {
	Scheme     string           `json:"scheme"`
	Challenges []jsontext.Value `json:"challenges"`
}

type delivery struct {
	Provider bool `json:"provider"`
	Email    bool `json:"email"`
	Download bool `json:"download"`
}

// SenderEmail is the address of the account's user, who owns all packages.
const SenderEmail = "sandbox@sandbox.example"

// sender is the account's user who sends a package, a signer with what concerns the account.
type sender struct {
	signer
	Type         string           `json:"type"`   // REGULAR or MANAGER
	Status       string           `json:"status"` // INVITED, ACTIVE or LOCKED
	Memberships  []jsontext.Value `json:"memberships"`
	HasDelegates bool             `json:"hasDelegates"`
}

// accountSender returns the sender of every package as a signer.
func accountSender(now time.Time) signer {
	s := signer{ID: "sandbox-sender", Email: SenderEmail, FirstName: "Sandbox", LastName: "Sender"}
	s.complete(now)
	return s
}

// ownerRole is the name of the role that the platform adds.
const ownerRole = "Owner"

// addOwner adds the owner's role to a package, if it has no role of that type and the
// owner is not a signer of another one. It removes an added role once they become one.
func (p *pkg) addOwner(now time.Time) {
	added := func(r role) bool { return r.Type == roleSender && r.Name == ownerRole && !p.hasApprovals(r.ID) }
	if slices.ContainsFunc(p.Roles, func(r role) bool { return !added(r) && r.hasOwner() }) {
		p.Roles = slices.DeleteFunc(p.Roles, added)
		return
	}
	if !slices.ContainsFunc(p.Roles, func(r role) bool { return r.Type == roleSender }) {
		p.Roles = append(p.Roles, role{Name: ownerRole, Type: roleSender, Signers: []signer{accountSender(now)}})
	}
}

// owner returns the role of the package's sender.
func (p *pkg) owner() role {
	i := slices.IndexFunc(p.Roles, func(r role) bool { return r.Type == roleSender })
	if i < 0 {
		i = slices.IndexFunc(p.Roles, func(r role) bool { return r.hasOwner() })
	}
	return p.Roles[i] // every package has one
}

func (r role) hasOwner() bool {
	return slices.ContainsFunc(r.Signers, func(s signer) bool { return strings.ToLower(s.Email) == SenderEmail })
}

// completeRoles fills in members that requests leave out, and checks the others.
func (p *pkg) completeRoles(rules *wire.Rules, now time.Time) {
	ids, emails := map[string]bool{}, map[string]bool{}
	for i := range p.Roles {
		r, at := &p.Roles[i], "roles."+strconv.Itoa(i)
		r.complete(now)
		rules.OneOf(at+".type", &r.Type, roleSigner, roleSender)
		if ids[r.ID] {
			rules.Broken(at+".id", "is another role's")
		}
		ids[r.ID] = true
		for j := range r.Signers {
			r.Signers[j].check(rules, at+".signers."+strconv.Itoa(j), emails)
		}
	}
	slices.SortStableFunc(p.Roles, func(a, b role) int { return cmp.Compare(a.Index, b.Index) })
}

func (r *role) complete(now time.Time) {
	r.ID, r.Type = cmp.Or(r.ID, uuid.NewString()), cmp.Or(r.Type, roleSigner)
	r.Signers, r.SpecialTypes = list(r.Signers), list(r.SpecialTypes)
	r.AttachmentRequirements = list(r.AttachmentRequirements)
	for i := range r.AttachmentRequirements {
		r.AttachmentRequirements[i].complete()
	}
	for i := range r.Signers {
		s := &r.Signers[i]
		if s.ID == "" && i == 0 {
			s.ID = r.ID // the SDKs use one id for a role and its signer
		}
		s.complete(now)
	}
}

// complete gives a signer every default: an e-mail address normalised by mailbox, no
// authentication, notification by e-mail.
func (s *signer) complete(now time.Time) {
	s.ID, s.Email = cmp.Or(s.ID, uuid.NewString()), mailbox(s.Email)
	s.Name = strings.TrimSpace(s.FirstName + " " + s.LastName)
	s.Language, s.TimezoneID = cmp.Or(s.Language, "en"), cmp.Or(s.TimezoneID, "GMT")
	if s.Email == SenderEmail {
		s.SignerType = "ACCOUNT_SENDER"
	}
	s.SignerType = cmp.Or(s.SignerType, "EXTERNAL_SIGNER")
	s.NotificationMethods = cmp.Or(s.NotificationMethods, &notification{})
	if len(s.NotificationMethods.Primary) == 0 {
		s.NotificationMethods.Primary = []method{byEmail}
	}
	s.Auth, s.Delivery = cmp.Or(s.Auth, &authentication{}), cmp.Or(s.Delivery, &delivery{Download: true})
	s.Auth.Scheme, s.Auth.Challenges = cmp.Or(s.Auth.Scheme, "NONE"), list(s.Auth.Challenges)
	s.ProfessionalIdentityFields, s.UserCustomFields = list(s.ProfessionalIdentityFields), list(s.UserCustomFields)
	s.SpecialTypes = list(s.SpecialTypes)
	if s.Created.at.IsZero() {
		s.Created, s.Updated = dateOf(now), dateOf(now)
	}
}

func (s *signer) check(rules *wire.Rules, at string, emails map[string]bool) {
	rules.Required(at+".email", &s.Email)
	rules.Required(at+".firstName", &s.FirstName)
	rules.Required(at+".lastName", &s.LastName)
	if emails[s.Email] {
		rules.Broken(at+".email", "is another signer's")
	}
	emails[s.Email] = true
	for _, one := range s.NotificationMethods.Primary {
		rules.OneOf(at+".notificationMethods.primary", (*string)(&one), byEmail, bySMS)
		if one == bySMS {
			rules.Required(at+".phone", s.Phone)
		}
	}
}

// list returns a slice that is empty rather than null in JSON.
func list[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}

// mailbox normalises an e-mail address for comparison: A to Z are lowered, and every
// other byte stays.
func mailbox(address string) string {
	lower := []byte(address)
	for i, b := range lower {
		if 'A' <= b && b <= 'Z' {
			lower[i] |= 0x20
		}
	}
	return string(lower)
}
