package platform_test

import (
	"testing"

	identityapi "countersign/internal/identity/platform"
)

// A new registration is told from the lists before and after it only where no other one can be
// meant.
func TestAdded_OnlyIfUnambiguous(t *testing.T) {
	const model, other = "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4", "fbfc3007-154e-4ecc-8c0b-6e020557d7bd"
	row := func(id, protocol, aaguid string) identityapi.Authenticator {
		return identityapi.Authenticator{ID: id, Protocol: protocol, AAGUID: aaguid}
	}
	type list = []identityapi.Authenticator
	old, fresh := row("old", identityapi.FIDO2, model), row("new", identityapi.FIDO2, "EA9B8D66-4D01-1D21-3CE4-B6B48CB575D4")
	for name, step := range map[string]struct {
		before, after list
		want          string
	}{
		"the first":              {list{}, list{fresh}, "new"},
		"beside others":          {list{old}, list{fresh, old}, "new"},
		"of a model not told":    {list{old}, list{old, row("new", identityapi.FIDO2, "")}, "new"},
		"two of the model":       {list{old}, list{old, fresh, row("also", identityapi.FIDO2, model)}, ""},
		"two of no model":        {list{}, list{row("new", identityapi.FIDO2, ""), row("also", identityapi.FIDO2, "")}, ""},
		"one of another model":   {list{}, list{fresh, row("also", identityapi.FIDO2, other)}, "new"},
		"another model alone":    {list{}, list{row("also", identityapi.FIDO2, other)}, ""},
		"one of another kind":    {list{}, list{fresh, row("also", identityapi.UAF11, "")}, "new"},
		"not listed yet":         {list{old}, list{old}, ""},
		"no list":                {list{old}, nil, ""},
		"one removed meanwhile":  {list{old}, list{fresh}, "new"},
		"all were there already": {list{old, fresh}, list{old, fresh}, ""},
	} {
		if got, ok := identityapi.Added(step.before, step.after, identityapi.FIDO2, model); got != step.want || ok != (step.want != "") {
			t.Errorf("%s: %q, %v, want %q", name, got, ok, step.want)
		}
	}
}
