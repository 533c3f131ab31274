package platform_test

import (
	"strings"
	"testing"

	identityapi "countersign/internal/identity/platform"
)

func TestValidUser_Forms(t *testing.T) {
	part := strings.Repeat("a", 64)
	for id, want := range map[string]bool{
		"alice@sandbox": true, "A.b_c+d-0@x.Y-z": true, "a@b": true, part + "@" + part: true,
		part + "a@b": false, "b@" + part + "a": false, "": false, "@": false, "a": false, "a@": false, "@b": false, "a@b@c": false,
		"a@b_c": false, "a@b+c": false, "ü@b": false, "a b@c": false, "a@b\n": false, "\na@b": false, "a@b/": false, part + "@" + part + "@": false,
	} {
		if got := identityapi.ValidUser(id); got != want {
			t.Errorf("%q: %t", id, got)
		}
	}
}
