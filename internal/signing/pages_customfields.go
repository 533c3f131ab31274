package signing

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// CustomField is a value of the whole account (specification, part 2.9).
type CustomField struct {
	ID           string                   `json:"id,omitzero"`
	Value        string                   `json:"value"`
	Required     bool                     `json:"required"`
	Translations []CustomFieldTranslation `json:"translations"`
	Data         jsontext.Value           `json:"data,omitzero"`
}

// CustomFieldTranslation is the field's name in one language.
type CustomFieldTranslation struct {
	Language    string         `json:"language"`
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	Data        jsontext.Value `json:"data,omitzero"`
}

// CustomFields returns the account's custom fields, by id.
func (c *Client) CustomFields(ctx context.Context) ([]CustomField, error) {
	const noLimit = "?dir=asc&from=0&to=-2" // docs/platform.md S11
	var fields []CustomField
	err := c.call(ctx, listCustomFields, exchange{query: noLimit, out: &fields})
	return fields, err
}

// CustomField returns the custom field with that id; ok is false if the account has none.
func (c *Client) CustomField(ctx context.Context, id string) (f CustomField, ok bool, err error) {
	if !ValidID(id) {
		return f, false, nil
	}
	err = c.call(ctx, getCustomField, exchange{values: map[string]string{"customField": id}, out: &f})
	return f, f.ID != "", err
}

// Check applies the rules to the field, which is new or replaces the one with its id. The
// error is request.invalid with the pointers of the violations.
func (f CustomField) Check(replaces bool) error {
	_, err := f.body(replaces)
	return err
}

func (f CustomField) body(replaces bool) (jsontext.Value, error) {
	check := CheckCustomField
	if replaces {
		check = CheckCustomFieldUpdate
	}
	return checked(f, func(p *Payload) error { return check(p, Context{}) })
}

// SaveCustomField creates the field, or replaces the one with its id.
func (c *Client) SaveCustomField(ctx context.Context, f CustomField, replaces bool) error {
	body, err := f.body(replaces)
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
