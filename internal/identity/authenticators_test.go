package identity_test

import (
	"testing"
	"time"

	"countersign/internal/identity"
)

func TestUsedAt(t *testing.T) {
	t.Parallel()
	at := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	passkey := func(id string, after time.Duration) identity.Authenticator {
		return identity.Authenticator{ID: id, Protocol: identity.FIDO2, LastUsedAt: at.Add(after)}
	}
	for name, test := range map[string]struct {
		list []identity.Authenticator
		want string
	}{
		"none":             {nil, ""},
		"the one":          {[]identity.Authenticator{passkey("a", time.Second)}, "a"},
		"a slower clock":   {[]identity.Authenticator{passkey("a", -9*time.Second)}, "a"},
		"used since":       {[]identity.Authenticator{passkey("a", time.Hour)}, ""},
		"one of several":   {[]identity.Authenticator{passkey("a", -time.Hour), passkey("b", time.Second)}, "b"},
		"two at a time":    {[]identity.Authenticator{passkey("a", time.Second), passkey("b", 2*time.Second)}, ""},
		"never used":       {[]identity.Authenticator{{ID: "a", Protocol: identity.FIDO2}}, ""},
		"an app's beside":  {[]identity.Authenticator{{ID: "u", Protocol: identity.UAF11, LastUsedAt: at}, passkey("a", 0)}, "a"},
		"an app's alone":   {[]identity.Authenticator{{ID: "u", Protocol: identity.UAF11, LastUsedAt: at}}, ""},
		"others elsewhere": {[]identity.Authenticator{passkey("a", 30*time.Second), passkey("b", 0)}, "b"},
	} {
		if got, ok := identity.UsedAt(test.list, at); got.ID != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, %t, want %q", name, got.ID, ok, test.want)
		}
	}
}
