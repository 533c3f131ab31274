package platform

import (
	"context"
	"errors"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// Clone creates a draft from the package with that id, and returns the draft's id.
func (c *Client) Clone(ctx context.Context, id string, as signing.Copy) (string, error) {
	body, err := as.Body()
	if err != nil {
		return "", err
	}
	var made struct {
		ID string `json:"id"`
	}
	err = c.call(ctx, clonePackage, exchange{values: ofPackage(id), body: body, out: &made})
	if err == nil && made.ID == "" {
		err = fault.Wrap(fault.PlatformFailed, errors.New("clonePackage: the response names no package"))
	}
	return made.ID, err
}

// Decline ends a package that is with its signers, with a reason given by from, the id of
// a signer or of the sender.
func (c *Client) Decline(ctx context.Context, id, from, reason string) error {
	body, err := signing.Declining(from, reason)
	if err != nil {
		return err
	}
	return c.call(ctx, updatePackage, exchange{values: ofPackage(id), body: body})
}

// Remind sends a role its invitation again, by SMS or by e-mail.
func (c *Client) Remind(ctx context.Context, id, role string, bySMS bool) error {
	operation := notifyRole
	if bySMS {
		operation = smsRole
	}
	return c.call(ctx, operation, exchange{values: map[string]string{"package": id, "role": role}})
}

// Audit returns the package's audit trail, the earliest event first.
func (c *Client) Audit(ctx context.Context, id string) ([]signing.AuditEvent, error) {
	var trail struct {
		Events []signing.AuditEvent `json:"audit-events"`
	}
	err := c.call(ctx, getAudit, exchange{values: ofPackage(id), out: &trail})
	return trail.Events, err
}
