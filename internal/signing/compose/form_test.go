package compose

import "testing"

// An e-mail address that a person types becomes the one that they see.
func TestTypedAddresses(t *testing.T) {
	f := New()
	prefix := f.Recipients[0].Key + "."
	for typed, want := range map[string]string{
		" bob@b.co ": "bob@b.co", "ｂｏｂ＠ｂ．ｃｏ": "bob@b.co", "bob@b\u3002co": "bob@b.co", "Ü@b.co": "Ü@b.co", "bob\u200b@b.co": "bob\u200b@b.co",
	} {
		f.Type(map[string]string{prefix + "email": typed}, func(kind string) string { return kind })
		if got := f.Recipients[0].Email; got != want {
			t.Errorf("%q is read as %q, want %q", typed, got, want)
		}
	}
}
