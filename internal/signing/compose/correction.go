package compose

import (
	"context"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// Correction is a recipient of a package whose data is to be corrected.
type Correction struct {
	Recipient Recipient
	// Package is the name of the package.
	Package string

	id    string
	role  originRole
	rules signing.Context
}

// correctedKey begins the names of the inputs of a recipient who is corrected.
const correctedKey = "r1"

// NewCorrection returns a correction without a recipient, to hold what was typed.
func NewCorrection() *Correction { return &Correction{Recipient: Recipient{Key: correctedKey}} }

// Recipient returns a correction of the recipient who has that role. On an error it holds
// no recipient: request.not-found if nobody has the role, signing.state if the recipient
// has signed already or can no longer sign.
func (s *Service) Recipient(ctx context.Context, id, role string) (*Correction, error) {
	at, err := s.readStored(ctx, id)
	if err != nil {
		return NewCorrection(), err
	}
	known, ok := at.role(role)
	if !ok || len(known.Signers) == 0 {
		return NewCorrection(), fault.New(fault.RequestNotFound)
	}
	if at.Status != signing.StatusDraft && at.Status != signing.StatusSent || at.HasSigned(role) {
		return NewCorrection(), fault.New(fault.SigningState)
	}
	c := NewCorrection()
	c.id, c.Package, c.role, c.rules = id, at.Name, known, signing.Context{Limits: s.Limits, Production: s.Production, Package: &at.Package, Role: role}
	c.Recipient.read(c.role.RoleChange)
	return c, nil
}

// Correct updates the recipient at the platform with what was typed. A violation is
// request.invalid, with the names of the inputs as pointers.
func (s *Service) Correct(ctx context.Context, c *Correction) error {
	r := c.Recipient.role(c.role.Index)
	r.Signers[0].ID, r.Files = c.role.Signers[0].ID, c.role.Files
	if err := toInputs(r.CheckRecipient(c.rules), c.inputs()); err != nil {
		return err
	}
	if fields := c.Recipient.missing(); len(fields) > 0 {
		return fault.Invalid(fields...)
	}
	return s.changeRole(ctx, c.id, c.role, r)
}

// inputs maps pointers into a role to the names of the inputs.
func (c *Correction) inputs() map[string]string {
	inputs := map[string]string{}
	for member, input := range recipientInputs {
		inputs["/signers/0/"+member] = correctedKey + "." + input
	}
	return inputs
}

// missing returns violations for the required inputs that are empty.
func (r Recipient) missing() (fields []fault.Field) {
	for _, in := range []formInput{{"first_name", r.FirstName}, {"last_name", r.LastName}, {"email", r.Email}} {
		if in.typed == "" {
			fields = append(fields, fault.Field{Pointer: r.Key + "." + in.name, Detail: "field.empty"})
		}
	}
	return fields
}
