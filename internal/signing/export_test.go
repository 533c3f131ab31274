package signing

import "github.com/go-json-experiment/json/jsontext"

// ReadStored reads a package for the rules.
func ReadStored(value jsontext.Value) (*Package, error) {
	p, err := ReadPackage(value)
	if err == nil {
		err = p.Strict()
	}
	return &p, err
}
