package i18n_test

import (
	"slices"
	"testing"
)

// Countries have the names that they have now, in the order of the language.
func TestCountries_NamesOfToday(t *testing.T) {
	b := bundle(t)
	for tag, want := range map[string][]string{
		"en": {"Cabo Verde", "Eswatini", "Malta", "North Macedonia", "Türkiye"},
		"de": {"Cabo Verde", "Eswatini", "Malta", "Nordmazedonien", "Türkei"},
		"fr": {"Cap-Vert", "Eswatini", "Macédoine du Nord", "Malte", "Turquie"},
		"es": {"Cabo Verde", "Esuatini", "Macedonia del Norte", "Malta", "Turquía"},
		"ja": {"エスワティニ", "カーボベルデ", "トルコ", "マルタ", "北マケドニア"},
	} {
		var got []string
		for _, c := range b.For(tag).Countries([]string{"MT", "TR", "SZ", "MK", "CV"}) {
			got = append(got, c.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q", tag, got)
		}
	}
}
