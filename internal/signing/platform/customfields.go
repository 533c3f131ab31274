package platform

import (
	"context"

	"countersign/internal/signing"
)

// CustomFields returns the account's custom fields, by id.
func (c *Client) CustomFields(ctx context.Context) ([]signing.CustomField, error) {
	const noLimit = "?dir=asc&from=0&to=-2" // docs/platform.md S11
	var fields []signing.CustomField
	err := c.call(ctx, listCustomFields, exchange{query: noLimit, out: &fields})
	return fields, err
}

// CustomField returns the custom field with that id; ok is false if the account has none.
func (c *Client) CustomField(ctx context.Context, id string) (f signing.CustomField, ok bool, err error) {
	if !signing.ValidID(id) {
		return f, false, nil
	}
	err = c.call(ctx, getCustomField, exchange{values: map[string]string{"customField": id}, out: &f})
	return f, f.ID != "", err
}

// SaveCustomField creates the field, or replaces the one with its id.
func (c *Client) SaveCustomField(ctx context.Context, f signing.CustomField, replaces bool) error {
	body, err := f.Body(replaces)
	if err != nil {
		return err
	}
	operation := createCustomField
	if replaces {
		operation.Method = put
	}
	return c.call(ctx, operation, exchange{body: body})
}

// DeleteCustomField deletes the field with that id.
func (c *Client) DeleteCustomField(ctx context.Context, id string) error {
	return c.call(ctx, deleteCustomField, exchange{values: map[string]string{"customField": id}})
}
