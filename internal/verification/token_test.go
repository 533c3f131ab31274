package verification

import "testing"

// The page of a new token is made from an earlier one's only where that has its token once.
func TestToken_AddressWith(t *testing.T) {
	for _, c := range []struct{ token, address, want string }{
		{"a.b", "https://p.example/sign/1?access_token=a.b", "https://p.example/sign/1?access_token=n+%2F"},
		{"a/b", "https://p.example/sign/1?access_token=a%2Fb&x=1", "https://p.example/sign/1?access_token=n+%2F&x=1"},
		{"a/b", "https://p.example/sign#a/b", "https://p.example/sign#n /"},
		{"a b", "https://p.example/sign/a%20b", "https://p.example/sign/n%20%2F"},
		{"a", "https://a.example/?t=a", ""}, {"t", "", ""}, {"", "https://p.example/", ""}, {"u", "https://p.example/", ""},
	} {
		if got := (Token{Token: c.token, AccessURL: c.address}).AddressWith("n /"); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.token, c.address, got, c.want)
		}
	}
}
