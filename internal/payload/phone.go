package payload

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/unicode/norm"
)

// IsPhone reports whether text is a phone number in E.164 form, with a length that exists
// in its country.
func IsPhone(text string) bool {
	number, err := phonenumbers.Parse(text, "")
	return err == nil && phonenumbers.IsPossibleNumber(number) && phonenumbers.Format(number, phonenumbers.E164) == text
}

// trunk is how people write the digit that is dialled within the country alone.
var trunk = regexp.MustCompile(`\(\s*0\s*\)|\[\s*0\s*\]`)

// NormalPhone returns a phone number typed or pasted by a person as a program writes it: without
// characters that cannot be seen and what people put between digits, in plain digits. A text
// that is more than that stays as it was typed. Programs' numbers are refused instead of
// corrected.
func NormalPhone(typed string) string {
	plain := strings.Map(func(r rune) rune {
		if isUnseen(r) {
			return -1
		}
		return plainDigit(r)
	}, norm.NFKC.String(typed))
	plain = withoutScheme(unquoted(plain), "tel:")
	bare := plain
	if strings.HasPrefix(strings.TrimLeft(plain, " (["), "+") {
		bare = trunk.ReplaceAllString(plain, "")
	}
	bare = strings.Map(func(r rune) rune {
		if separatesDigits(r) {
			return -1
		}
		return r
	}, bare)
	if bare == "" || strings.Trim(bare, "+0123456789") != "" {
		return strings.TrimFunc(plain, isAround)
	}
	return bare
}

// plainDigit returns the decimal digit of whichever script as that of ASCII, and any other
// character as it is.
func plainDigit(r rune) rune {
	if !unicode.Is(unicode.Nd, r) {
		return r
	}
	zero := r
	for unicode.Is(unicode.Nd, zero-1) && r-zero < 9 { // each script has its ten in a row
		zero--
	}
	return '0' + r - zero
}

// separatesDigits reports whether people put a character between the digits of a phone number.
func separatesDigits(r rune) bool {
	return unicode.IsSpace(r) || unicode.Is(unicode.Pd, r) || strings.ContainsRune("./()[]\u2212\u00b7\u2022\u30fb\u2044\u2215", r)
}
