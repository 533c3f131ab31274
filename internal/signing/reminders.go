package signing

import (
	"context"

	"countersign/internal/fault"
)

// Reminders are the e-mails that the platform sends to those who have not signed, in days
// after the package was sent (docs/platform.md S16). The zero value sends none.
type Reminders struct {
	Start    int `json:"startInDaysDelay"`
	Interval int `json:"intervalInDays"`
	Most     int `json:"repetitionsCount"`
}

// Reminders returns the package's reminders; the zero value if it has none.
func (c *Client) Reminders(ctx context.Context, id string) (r Reminders, err error) {
	err = c.call(ctx, getReminders, exchange{values: ofPackage(id), out: &r})
	return r, err
}

// SetReminders replaces the package's reminders; the zero value deletes them.
func (c *Client) SetReminders(ctx context.Context, id string, r Reminders) error {
	if r == (Reminders{}) {
		err := c.call(ctx, deleteReminders, exchange{values: ofPackage(id)})
		if fault.Is(err, fault.RequestNotFound) {
			err = nil // there were none
		}
		return err
	}
	body := struct {
		PackageID string `json:"packageId"`
		Reminders
	}{id, r}
	return c.call(ctx, setReminders, exchange{values: ofPackage(id), body: body})
}

// Delete deletes the package for good.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, deletePackage, exchange{values: ofPackage(id)})
}
