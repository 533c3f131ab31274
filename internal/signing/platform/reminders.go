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

// SetReminders replaces the package's reminders; the zero value deletes them.
func (c *Client) SetReminders(ctx context.Context, id string, r signing.Reminders) error {
	if r == (signing.Reminders{}) {
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
	return c.call(ctx, setReminders, exchange{values: ofPackage(id), body: body})
}

// Delete deletes the package for good.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, deletePackage, exchange{values: ofPackage(id)})
}
