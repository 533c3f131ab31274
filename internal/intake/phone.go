package intake

import "github.com/nyaruka/phonenumbers"

// IsPhone reports whether text is a number as E.164 writes it, of a length that
// its country has.
func IsPhone(text string) bool {
	number, err := phonenumbers.Parse(text, "")
	return err == nil && phonenumbers.IsPossibleNumber(number) && phonenumbers.Format(number, phonenumbers.E164) == text
}
