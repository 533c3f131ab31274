package compose

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// Payload is the payload that the form is sent as.
func (f *Form) Payload() signing.Draft { return f.compose("SENT").Draft }

// Measure is measure for tests.
func (f *Form) Measure(i int, points []Page) { f.measure(i, points) }

// FormOf is the form of a package that has none of ours.
func FormOf(value jsontext.Value) (Form, error) {
	at, err := readStored(value)
	return at.form(0), err
}
