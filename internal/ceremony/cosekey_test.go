package ceremony_test

import (
	"slices"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/fault"
)

func withPublicKey(t testing.TB, encoded []byte) string {
	t.Helper()
	return registrationOver(t, authenticator.Tampering{AuthData: func(d *authenticator.AuthData) {
		if d.Attested != nil {
			d.Attested.PublicKey = encoded
		}
	}})
}

// A public key must be a COSE_Key; the platform judges its quality.
func TestPublicKey_MustBeCOSEKey(t *testing.T) {
	t.Parallel()
	x, y := make([]byte, 32), make([]byte, 32)
	type k = map[any]any
	for name, c := range map[string]struct {
		key  any
		want fault.Key
	}{
		"P-256":                    {k{1: 2, 3: -7, -1: 1, -2: x, -3: y}, ""},
		"a type of tomorrow":       {k{1: 99, 3: -7}, ""},
		"an algorithm of tomorrow": {k{1: 2, 3: -99999, -1: 1, -2: x, -3: y}, ""},
		"another type's algorithm": {k{1: 2, 3: -257, -1: 1, -2: x, -3: y}, ""},
		"with an operation":        {k{1: 2, 3: -7, 4: []any{2}, -1: 1, -2: x, -3: y}, ""},
		"without its parameters":   {k{1: 3, 3: -257}, ""},
		"with others":              {k{1: 2, 3: -7, -1: "P-256", -2: 7}, ""},
		"empty":                    {k{}, fault.CeremonyMalformed},
		"no type":                  {k{3: -7, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"a type of text":           {k{1: "EC2", 3: -7, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"a type of bytes":          {k{1: []byte{2}, 3: -7, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"labels of text":           {k{"1": 2, "3": -7, "-1": 1, "-2": x, "-3": y}, fault.CeremonyMalformed},
		"no algorithm":             {k{1: 2, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"an algorithm of null":     {k{1: 2, 3: nil, -1: 1, -2: x, -3: y}, fault.CeremonyMalformed},
		"null":                     {nil, fault.CeremonyMalformed},
		"an array":                 {[]any{1, 2, 3, -7}, fault.CeremonyMalformed},
		"bytes":                    {make([]byte, 65), fault.CeremonyMalformed},
		"a number":                 {1, fault.CeremonyMalformed},
	} {
		wantKey(t, name, judge(withPublicKey(t, cborOf(t, c.key))), c.want)
	}
}

func TestPublicKey_InvalidBytes(t *testing.T) {
	t.Parallel()
	whole := cborOf(t, map[int]any{1: 1, 3: -8, -1: 6, -2: make([]byte, 32)})
	twice := append([]byte{0xa5, 0x01, 0x01}, whole[1:]...)
	for name, encoded := range map[string][]byte{
		"nothing": {}, "cut": whole[:len(whole)-1], "more": append(slices.Clip(whole), 0), "its type twice": twice,
		"its type twice, spelled longer": append([]byte{0xa5, 0x18, 0x01, 0x01}, whole[1:]...),
		"indefinite":                     append(append([]byte{0xbf}, whole[1:]...), 0xff),
	} {
		wantKey(t, name, judge(withPublicKey(t, encoded)), fault.CeremonyMalformed)
	}
	wantKey(t, "as it is", judge(withPublicKey(t, whole)), "")
}
