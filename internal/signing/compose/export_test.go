package compose

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// Payload returns the payload that the form is sent as, with all of its fields.
func (f *Form) Payload() signing.Draft {
	c := f.compose(signing.StatusSent)
	for i := range c.Documents {
		c.Documents[i].Approvals = nil
		for _, a := range c.arrangements[i].approvals {
			one := signing.Approval{Role: a.role}
			for _, field := range a.fields {
				one.Fields = append(one.Fields, field.typed)
			}
			c.Documents[i].Approvals = append(c.Documents[i].Approvals, one)
		}
	}
	return c.Draft
}

// Measure is measure for tests.
func (f *Form) Measure(i int, points []Page) { f.measure(i, points) }

// FormOf returns the form for a package that has none stored.
func FormOf(value jsontext.Value) (Form, error) {
	p, err := signing.ReadPackage(value)
	return storedOf(p).form(0), err
}

// New returns an empty form with one recipient.
func New() Form {
	f := Form{}
	f.AddRecipient()
	return f
}
