package payload

import (
	"net/mail"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"countersign/internal/safetext"
)

// maxEmail limits an e-mail address, in bytes (RFC 5321, 4.5.3.1.3).
const maxEmail = 254

// FoldAddress returns an e-mail address in the form in which addresses compare: A to Z in
// lower case, and every other byte as it is. Unicode's folding would make one mailbox of
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

// ideographicStop is used as a full stop by those who type it, and NFKC leaves it alone.
const ideographicStop = "\u3002"

// NormalAddress returns an e-mail address typed or pasted by a person, with look-alikes replaced
// by plain characters, such as the full-width @ of a Japanese keyboard, and without what stands
// around it: white space, characters that cannot be seen, quotes, and what separates addresses. Programs'
// addresses are refused instead of corrected.
func NormalAddress(typed string) string {
	plain := unquoted(strings.ReplaceAll(norm.NFKC.String(typed), ideographicStop, "."))
	return unquoted(withoutScheme(plain, "mailto:"))
}

// quotes are what stands around an address or a number that is copied with it.
var quotes = [][2]string{{"<", ">"}, {`"`, `"`}, {"'", "'"}, {"\u201c", "\u201d"}, {"\u201e", "\u201c"}, {"\u2018", "\u2019"}, {"\u201a", "\u2018"}, {"\u00ab", "\u00bb"}, {"\u300c", "\u300d"}}

// unquoted returns a text without white space, invisible characters, separators and pairs of
// quotes around it.
func unquoted(text string) string {
	for {
		text = strings.TrimFunc(text, func(r rune) bool { return isAround(r) || r == ';' || r == ',' })
		i := slices.IndexFunc(quotes, func(q [2]string) bool {
			return len(text) > len(q[0])+len(q[1]) && strings.HasPrefix(text, q[0]) && strings.HasSuffix(text, q[1])
		})
		if i < 0 {
			return text
		}
		text = text[len(quotes[i][0]) : len(text)-len(quotes[i][1])]
	}
}

// withoutScheme returns what was copied off a link without the link's scheme, in any case.
func withoutScheme(text, scheme string) string {
	if bare := strings.TrimSpace(text); len(bare) >= len(scheme) && strings.EqualFold(bare[:len(scheme)], scheme) {
		return bare[len(scheme):]
	}
	return text
}

// NormalNumber returns a number typed by a person as a program writes it, without
// surrounding white space and invisible characters: the full-width digits of a Japanese
// keyboard are digits.
func NormalNumber(typed string) string { return safetext.Visible(norm.NFKC.String(typed)) }

// isAround reports whether a character is white space or cannot be seen.
func isAround(r rune) bool { return unicode.IsSpace(r) || isUnseen(r) }

// isUnseen reports whether nothing is shown for a character, though it is no white space.
func isUnseen(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// HasUnseen reports whether a text has a character for which nothing is shown, white space but
// for the plain blank included.
func HasUnseen(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r != ' ' && isAround(r) })
}

// IsAddress reports whether text is an e-mail address and nothing else, without white
// space, control characters, invisible characters, and characters that NFKC would change.
func IsAddress(text string) bool {
	if len(text) > maxEmail || !norm.NFKC.IsNormalString(text) || strings.Contains(text, ideographicStop) || strings.ContainsFunc(text, isHidden) {
		return false
	}
	address, err := mail.ParseAddress(text)
	return err == nil && address.Name == "" && address.Address == text
}

func isHidden(r rune) bool { return isUnseen(r) || unicode.In(r, unicode.Z) }

// AddressDetail returns the message id for a text that is no e-mail address.
func AddressDetail(text string) string {
	if HasUnseen(text) {
		return "field.email-unseen"
	}
	return "field.email"
}

// reservedDomains are the domains, with everything below them, where no mail arrives (RFC
// 2606, sections 2 and 3; RFC 6761, section 6).
var reservedDomains = []string{"example.com", "example.net", "example.org", "example", "test", "invalid", "localhost"}

// IsReserved reports whether an address is in a reserved domain.
func IsReserved(address string) bool {
	domain := strings.TrimSuffix(FoldAddress(address[strings.LastIndexByte(address, '@')+1:]), ".")
	return slices.ContainsFunc(reservedDomains, func(name string) bool {
		return domain == name || strings.HasSuffix(domain, "."+name)
	})
}
