package platform_test

import (
	"testing"
	"time"

	identityapi "countersign/internal/identity/platform"
)

func TestUsedAt(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	passkey := func(id string, after time.Duration) identityapi.Authenticator {
		return identityapi.Authenticator{ID: id, Protocol: identityapi.FIDO2, LastUsedAt: at.Add(after)}
	}
	for name, test := range map[string]struct {
		list []identityapi.Authenticator
		want string
	}{
		"none":             {nil, ""},
		"the one":          {[]identityapi.Authenticator{passkey("a", time.Second)}, "a"},
		"a slower clock":   {[]identityapi.Authenticator{passkey("a", -9*time.Second)}, "a"},
		"used since":       {[]identityapi.Authenticator{passkey("a", time.Hour)}, ""},
		"one of several":   {[]identityapi.Authenticator{passkey("a", -time.Hour), passkey("b", time.Second)}, "b"},
		"two at a time":    {[]identityapi.Authenticator{passkey("a", time.Second), passkey("b", 2*time.Second)}, ""},
		"never used":       {[]identityapi.Authenticator{{ID: "a", Protocol: identityapi.FIDO2}}, ""},
		"an app's beside":  {[]identityapi.Authenticator{{ID: "u", Protocol: identityapi.UAF11, LastUsedAt: at}, passkey("a", 0)}, "a"},
		"an app's alone":   {[]identityapi.Authenticator{{ID: "u", Protocol: identityapi.UAF11, LastUsedAt: at}}, ""},
		"others elsewhere": {[]identityapi.Authenticator{passkey("a", 30*time.Second), passkey("b", 0)}, "b"},
	} {
		if got, ok := identityapi.UsedAt(test.list, at); got.ID != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t, want %q", name, got.ID, ok, test.want)
		}
	}
}
