package ratelimit_test

import (
	"testing"

	"countersign/internal/ratelimit"
)

// Clients of one person count as one, and those of different people do not.
func TestNetwork_ClientsOfOnePerson(t *testing.T) {
	for address, want := range map[string]string{
		"203.0.113.7":                      "203.0.113.7",
		"::ffff:203.0.113.7":               "203.0.113.7",
		"2001:db8:1:2:3:4:5:6":             "2001:db8:1:2::/64",
		"fe80::1%eth0":                     "fe80::/64",
		"64:ff9b::cb00:7107":               "203.0.113.7", // NAT64
		"64:ff9b::203.0.113.8":             "203.0.113.8",
		"64:ff9b::a00:1":                   "64:ff9b::a00:1", // of a private network, which may not be ours
		"64:ff9b::7f00:1":                  "64:ff9b::7f00:1",
		"64:ff9b::6440:1":                  "64:ff9b::6440:1", // RFC 6598
		"64:ff9b::1:cb00:7107":             "64:ff9b::/64",    // beside the /96
		"64:ff9b:1::cb00:7107":             "64:ff9b:1::cb00:7107",
		"64:ff9b:1:f::a00:1":               "64:ff9b:1:f::a00:1",
		"64:ff9b:2::cb00:7107":             "64:ff9b:2::/64",
		"2002:cb00:7107:1::1":              "203.0.113.7", // 6to4
		"2002:cb00:7107:2::1":              "203.0.113.7",
		"2002:a00:1:1::1":                  "2002:a00:1:1::/64",
		"2001:0:c000:201:0:ffff:34ff:8ef8": "203.0.113.7", // Teredo
		"2001:0:c000:201:0:ffff:f5ff:fffe": "2001:0:c000:201::/64",
		"":                                 "",
		"@":                                "@",
		"unknown":                          "unknown",
	} {
		if got := ratelimit.Network(address); got != want {
			t.Errorf("%q counts as %q, want %q", address, got, want)
		}
	}
}
