package uaf

import (
	"fmt"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readObject decodes the next value into a struct of pointers, W, so that an absent
// member can be told from a zero one.
func readObject[W any](dec *jsontext.Decoder) (W, error) {
	var wire W
	err := json.UnmarshalDecode(dec, &wire)
	return wire, err
}

// need copies a required member's value.
func need[T any](to, member *T, name string) error {
	if member == nil {
		return fmt.Errorf("%s: %w", name, errMissing)
	}
	*to = *member
	return nil
}

// optional returns the value of an optional member.
func optional[T any](member *T) T {
	if member == nil {
		var zero T
		return zero
	}
	return *member
}

// first returns the first error, or nil.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLength checks the number of characters, in which the protocol limits strings.
func checkLength(name, text string, least, most int) error {
	if size := utf8.RuneCountInString(text); size < least || size > most {
		return unacceptable("%s: %d characters where %d to %d belong", name, size, least, most)
	}
	return nil
}
