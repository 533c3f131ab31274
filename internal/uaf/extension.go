package uaf

import (
	"github.com/go-json-experiment/json/jsontext"
)

// Extension is an extension of a message or an assertion, outside its TLV (UAF protocol,
// section on Extension). This package knows none: one with FailIfUnknown is refused, any
// other is ignored.
type Extension struct {
	ID            string `json:"id"` // 1 to 32 characters
	Data          string `json:"data"`
	FailIfUnknown bool   `json:"fail_if_unknown"`
}

type extensionWire struct {
	ID            *string `json:"id"`
	Data          *string `json:"data"`
	FailIfUnknown *bool   `json:"fail_if_unknown"`
}

// UnmarshalJSONFrom reads the dictionary; its three members are required.
func (e *Extension) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[extensionWire](dec)
	if err != nil {
		return err
	}
	err = first(
		need(&e.ID, wire.ID, "id"),
		need(&e.Data, wire.Data, "data"),
		need(&e.FailIfUnknown, wire.FailIfUnknown, "fail_if_unknown"),
	)
	if err != nil {
		return err
	}
	return checkLength("id", e.ID, 1, maxExtensionID)
}

// CheckExtensions refuses an extension that must be understood: this package knows none.
// where is for the error.
func CheckExtensions(where string, extensions []Extension) error {
	for _, extension := range extensions {
		if extension.FailIfUnknown {
			return unacceptable("%s: an extension that is not known here must be understood", where)
		}
	}
	return nil
}
