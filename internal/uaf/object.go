package uaf

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readObject decodes the next value into a struct of pointers, W, so that a
// member which is absent can be told from one that is zero.
func readObject[W any](dec *jsontext.Decoder) (W, error) {
	var wire W
	err := json.UnmarshalDecode(dec, &wire)
	return wire, err
}

// need puts the value of a member that must be there where it belongs.
func need[T any](to, member *T, name string) error {
	if member == nil {
		return fmt.Errorf("%s: %w", name, errMissing)
	}
	*to = *member
	return nil
}

// optional is the value of a member that may be missing.
func optional[T any](member *T) T {
	if member == nil {
		var zero T
		return zero
	}
	return *member
}

// first is the first error there is.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLength counts characters, as the protocol limits strings.
func checkLength(name, text string, least, most int) error {
	if size := utf8.RuneCountInString(text); size < least || size > most {
		return unacceptable("%s: %d characters where %d to %d belong", name, size, least, most)
	}
	return nil
}
