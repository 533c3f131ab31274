package i18n

import (
	"cmp"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Country is a country: its ISO 3166-1 code and its name in a language.
type Country struct{ Code, Name string }

// renamed holds the message ids of countries whose names have changed since the library's
// were written.
var renamed = map[string]string{
	"CV": "country.cabo-verde",
	"MK": "country.north-macedonia",
	"SZ": "country.eswatini",
	"TR": "country.tuerkiye",
}

// Countries returns the countries of codes, sorted in the language's order.
func (p *Printer) Countries(codes []string) []Country {
	names, order := display.Regions(p.tag), collate.New(p.tag)
	countries := make([]Country, 0, len(codes))
	for _, code := range codes {
		if id, ok := renamed[code]; ok {
			countries = append(countries, Country{code, p.T(id)})
		} else if region, err := language.ParseRegion(code); err == nil {
			countries = append(countries, Country{code, cmp.Or(names.Name(region), code)})
		}
	}
	slices.SortFunc(countries, func(a, b Country) int { return order.CompareString(spoken(a.Name), spoken(b.Name)) })
	return countries
}

// spoken returns a name without the mark of a long vowel, which collate would take for a
// letter before all others.
func spoken(name string) string { return strings.ReplaceAll(name, "ー", "") }
