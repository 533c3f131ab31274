package payload

import "github.com/nyaruka/phonenumbers"

// IsPhone reports whether text is a phone number in E.164 form, with a length that exists
// in its country.
func IsPhone(text string) bool {
	number, err := phonenumbers.Parse(text, "")
	return err == nil && phonenumbers.IsPossibleNumber(number) && phonenumbers.Format(number, phonenumbers.E164) == text
}
