package platform

import (
	"context"

	"countersign/internal/fault"
	"countersign/internal/signing"
)

// Reminders returns the package's reminders; the zero value if it has none.
func (c *Client) Reminders(ctx context.Context, id string) (r signing.Reminders, err error) {
	err = c.call(ctx, getReminders, exchange{values: ofPackage(id), out: &r})
	return r, err
}

// SetReminders replaces the reminders that a package has, as Reminders returned them; the
// zero value deletes them. The first ones of a package are set before it is sent, or are
// signing.state.
func (c *Client) SetReminders(ctx context.Context, id string, has, r signing.Reminders) error {
	none := signing.Reminders{}
	if r == none {
		err := c.call(ctx, deleteReminders, exchange{values: ofPackage(id)})
		if fault.Is(err, fault.RequestNotFound) {
			err = nil // there were none
		}
		return err
	}
	body := struct {
		PackageID string `json:"packageId"`
		signing.Reminders
	}{id, r}
	operation := setReminders
	if has == none {
		operation = createReminders
	}
	return c.call(ctx, operation, exchange{values: ofPackage(id), body: body})
}

// Delete deletes the package for good.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, deletePackage, exchange{values: ofPackage(id)})
}
