package signing

import (
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

// Check applies the rules to the field, which is new or replaces the one with its id. The
// error is request.invalid with the pointers of the violations.
func (f CustomField) Check(replaces bool) error {
	_, err := f.Body(replaces)
	return err
}

// Body returns the payload that saves the field.
func (f CustomField) Body(replaces bool) (jsontext.Value, error) {
	check := CheckCustomField
	if replaces {
		check = CheckCustomFieldUpdate
	}
	return checked(f, func(p *Payload) error { return check(p, Context{}) })
}
