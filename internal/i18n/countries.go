package i18n

import (
	"cmp"
	"slices"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Country is a country: its ISO 3166-1 code and its name in a language.
type Country struct{ Code, Name string }

// Countries returns the countries of codes, sorted in the language's order.
func (p *Printer) Countries(codes []string) []Country {
	names, order := display.Regions(p.tag), collate.New(p.tag)
	countries := make([]Country, 0, len(codes))
	for _, code := range codes {
		if region, err := language.ParseRegion(code); err == nil {
			countries = append(countries, Country{code, cmp.Or(names.Name(region), code)})
		}
	}
	slices.SortFunc(countries, func(a, b Country) int { return order.CompareString(a.Name, b.Name) })
	return countries
}
