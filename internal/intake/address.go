package intake

import (
	"net/mail"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxEmail is the longest e-mail address, in bytes (RFC 5321, 4.5.3.1.3).
const maxEmail = 254

// FoldAddress returns an e-mail address in the form in which addresses compare: A to Z
// are lowered, and every other byte stays. Unicode's folding would make one mailbox of
// two: its KELVIN SIGN folds to a k.
func FoldAddress(address string) string {
	folded := []byte(address)
	for i, b := range folded {
		if 'A' <= b && b <= 'Z' {
			folded[i] = b + 'a' - 'A'
		}
	}
	return string(folded)
}

// ideographicStop is a full stop to those who type it, and NFKC leaves it alone.
const ideographicStop = "\u3002"

// NormalAddress is what a person typed as an e-mail address without white space around
// it, and with plain characters in place of those that only look like them, such as the
// full-width @ of a Japanese keyboard. Programs are not corrected but refused.
func NormalAddress(typed string) string {
	return strings.TrimSpace(strings.ReplaceAll(norm.NFKC.String(typed), ideographicStop, "."))
}

// IsAddress reports whether text is an e-mail address and nothing else, as it is seen:
// without white space, control characters and invisible ones, and without characters
// that NFKC would make others of.
func IsAddress(text string) bool {
	if len(text) > maxEmail || !norm.NFKC.IsNormalString(text) || strings.Contains(text, ideographicStop) || strings.ContainsFunc(text, isHidden) {
		return false
	}
	address, err := mail.ParseAddress(text)
	return err == nil && address.Name == "" && address.Address == text
}

func isHidden(r rune) bool { return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Z) }

// reservedDomains are those where nobody receives anything, with all below them (RFC
// 2606, sections 2 and 3; RFC 6761, section 6).
var reservedDomains = []string{"example.com", "example.net", "example.org", "example", "test", "invalid", "localhost"}

// IsReserved reports whether an address is of a reserved domain.
func IsReserved(address string) bool {
	domain := strings.TrimSuffix(FoldAddress(address[strings.LastIndexByte(address, '@')+1:]), ".")
	return slices.ContainsFunc(reservedDomains, func(name string) bool {
		return domain == name || strings.HasSuffix(domain, "."+name)
	})
}
