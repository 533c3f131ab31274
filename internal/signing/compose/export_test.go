package compose

import (
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/signing"
)

// Payload returns the payload that the form is sent as.
func (f *Form) Payload() signing.Draft { return f.compose("SENT").Draft }

// Measure is measure for tests.
func (f *Form) Measure(i int, points []Page) { f.measure(i, points) }

// FormOf returns the form for a package that has none stored.
func FormOf(value jsontext.Value) (Form, error) {
	p, err := signing.ReadPackage(value)
	return storedOf(p).form(0), err
}
