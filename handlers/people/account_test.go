package people

import (
	"slices"
	"testing"
)

// An activation password is shown in groups of similar length, and read aloud character
// by character.
func TestActivationPassword_ShownInGroups(t *testing.T) {
	for password, want := range map[string]struct {
		groups []string
		spoken string
	}{
		"":             {nil, ""},
		"7K":           {[]string{"7K"}, "7 K"},
		"12345":        {[]string{"12345"}, "1 2 3 4 5"},
		"123456":       {[]string{"123", "456"}, "1 2 3, 4 5 6"},
		"7K2M9QXA":     {[]string{"7K2M", "9QXA"}, "7 K 2 M, 9 Q X A"},
		"1234567890":   {[]string{"12345", "67890"}, "1 2 3 4 5, 6 7 8 9 0"},
		"123456789012": {[]string{"1234", "5678", "9012"}, "1 2 3 4, 5 6 7 8, 9 0 1 2"},
		"äöü":          {[]string{"äöü"}, "ä ö ü"},
	} {
		page := accountView{ActivationPassword: password}
		if got := page.PasswordGroups(); !slices.Equal(got, want.groups) {
			t.Errorf("%q shows as %q, want %q", password, got, want.groups)
		}
		if got := page.PasswordSpoken(); got != want.spoken {
			t.Errorf("%q is heard as %q, want %q", password, got, want.spoken)
		}
	}
}
