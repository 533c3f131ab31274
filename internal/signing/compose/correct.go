package compose

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// Correction is a recipient of a package, to be corrected.
type Correction struct {
	Recipient Recipient

	id    string
	role  signing.DraftRole
	rules signing.Context
}

// correctedKey names the inputs of a recipient who is corrected.
const correctedKey = "r1"

// NewCorrection is one of nobody yet, for what is typed.
func NewCorrection() *Correction { return &Correction{Recipient: Recipient{Key: correctedKey}} }

// Recipient is the recipient of a package who has that role, of nobody with an error: request.not-found where
// nobody has, signing.state for one who has signed already, or who cannot sign any more.
func (s *Service) Recipient(ctx context.Context, id, role string) (*Correction, error) {
	value, err := s.Platform.Package(ctx, id)
	if err != nil {
		return NewCorrection(), err
	}
	at, err := readStored(value)
	if err != nil {
		return NewCorrection(), err
	}
	i := slices.IndexFunc(at.Roles, func(r signing.DraftRole) bool { return r.ID == role })
	if i < 0 {
		return NewCorrection(), fault.New(fault.RequestNotFound)
	}
	if at.Status != "DRAFT" && at.Status != "SENT" || hasSigned(value, role) {
		return NewCorrection(), fault.New(fault.SigningState)
	}
	c := NewCorrection()
	c.id, c.role, c.rules = id, at.Roles[i], signing.Context{Production: s.Production, Package: at.there, Role: role}
	c.Recipient.read(c.role)
	return c, nil
}

// hasSigned reports whether the role has signed something of the package.
func hasSigned(value jsontext.Value, role string) bool {
	var p struct {
		Documents []struct {
			Approvals []struct {
				Role   string         `json:"role"`
				Signed jsontext.Value `json:"signed"`
			} `json:"approvals"`
		} `json:"documents"`
	}
	_ = json.Unmarshal(value, &p, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) // it was read before
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			if a.Role == role && a.Signed.Kind() == '"' {
				return true
			}
		}
	}
	return false
}

// Correct changes the recipient at the platform to what was typed. What is wrong is
// request.invalid, with the names of the inputs as pointers.
func (s *Service) Correct(ctx context.Context, c *Correction) error {
	r := c.Recipient.Role(c.role.Index)
	r.Signers[0].ID = c.role.Signers[0].ID
	if err := led(r.CheckRecipient(c.rules), c.inputs()); err != nil {
		return err
	}
	if fields := c.Recipient.missing(); len(fields) > 0 {
		return fault.Invalid(fields...)
	}
	if err := s.Platform.ChangeRole(ctx, c.id, c.role.ID, r); err != nil {
		return err
	}
	return s.Index.Refresh(ctx, c.id)
}

// inputs are the names of the inputs by the pointers into a role.
func (c *Correction) inputs() map[string]string {
	inputs := map[string]string{}
	for member, input := range recipientInputs {
		inputs["/signers/0/"+member] = correctedKey + "." + input
	}
	return inputs
}

// missing are the inputs that a recipient cannot do without.
func (r Recipient) missing() (fields []fault.Field) {
	for _, in := range []formInput{{"first_name", r.FirstName}, {"last_name", r.LastName}, {"email", r.Email}} {
		if in.typed == "" {
			fields = append(fields, fault.Field{Pointer: r.Key + "." + in.name, Detail: "field.empty"})
		}
	}
	return fields
}
