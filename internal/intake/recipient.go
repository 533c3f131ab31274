package intake

import (
	"net/mail"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// maxEmail is the longest e-mail address, in bytes (RFC 5321, 4.5.3.1.3).
const maxEmail = 254

// IsAddress reports whether text is an e-mail address and nothing else.
func IsAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && len(text) <= maxEmail && address.Name == "" && address.Address == text
}

// reservedDomains are those where nobody receives anything, with all below them (RFC
// 2606, sections 2 and 3; RFC 6761, section 6).
var reservedDomains = []string{"example.com", "example.net", "example.org", "example", "test", "invalid", "localhost"}

// IsReserved reports whether an address, in lower case, is of a reserved domain.
func IsReserved(address string) bool {
	domain := strings.TrimSuffix(address[strings.LastIndexByte(address, '@')+1:], ".")
	return slices.ContainsFunc(reservedDomains, func(name string) bool {
		return domain == name || strings.HasSuffix(domain, "."+name)
	})
}

// IsPhone reports whether text is a number as E.164 writes it, of a length that
// its country has.
func IsPhone(text string) bool {
	number, err := phonenumbers.Parse(text, "")
	return err == nil && phonenumbers.IsPossibleNumber(number) && phonenumbers.Format(number, phonenumbers.E164) == text
}
