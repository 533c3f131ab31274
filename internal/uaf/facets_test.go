package uaf_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/uaf"
)

func TestFacets_Trusted(t *testing.T) {
	cases := []struct {
		appID, id string
		want      bool
	}{
		{testAppID, "https://bank.example", true},
		{testAppID, "https://login.bank.example", true},
		{"https://login.bank.example/facets", "https://bank.example", true},
		{testAppID, "https://bank.example:8443", true},
		{testAppID, "android:apk-key-hash:2jmj7l5rSw0yVb/vlWAYkK/YBwk", true},
		{testAppID, "android:apk-key-hash-sha256:abc", true},
		{testAppID, "ios:bundle-id:com.example.app", true},
		{"http://localhost:8080/uaf/facets", "http://localhost:8080", true},
		{"http://127.0.0.1:8080/uaf/facets", "http://127.0.0.1:8080", true},
		{testAppID, "http://bank.example", false},
		{testAppID, "http://localhost", false},
		{testAppID, "https://evil.example", false},
		{"https://alice.github.io/facets", "https://mallory.github.io", false},
		{testAppID, "https://bank.example/", false},
		{testAppID, "https://bank.example/path", false},
		{testAppID, "https://user@bank.example", false},
		{testAppID, "https://", false},
		{testAppID, "bank.example", false},
		{testAppID, "", false},
		{testAppID, "android:apk-key-hash:", false},
		{testAppID, "ftp://bank.example", false},
		{testAppID, "https://bank.example\n", false},
		{"https://192.168.1.5/facets", "https://192.168.1.5", true},
		{"https://192.168.1.5/facets", "https://10.0.1.5", false},
		{"https://[2001:db8::1]/facets", "https://[2001:db8::2]", false},
		{"://", "https://bank.example", false},
	}
	for _, c := range cases {
		if got := slices.Contains(uaf.NewTrustedFacets(c.appID, c.id).IDs(), c.id); got != c.want {
			t.Errorf("%q for %q: %t", c.id, c.appID, got)
		}
	}
}

func TestTrustedFacets_Document(t *testing.T) {
	document, err := json.Marshal(uaf.NewTrustedFacets(testAppID, testFacet, "https://evil.example", "ios:bundle-id:com.example"))
	want := `{"trustedFacets":[{"version":{"major":1,"minor":1},"ids":["https://bank.example","ios:bundle-id:com.example"]}]}`
	if err != nil || string(document) != want {
		t.Errorf("got %s (%v), want %s", document, err, want)
	}
	ids, err := uaf.ParseTrustedFacets(document)
	if err != nil || !slices.Equal(ids, []string{testFacet, "ios:bundle-id:com.example"}) {
		t.Errorf("read %v (%v)", ids, err)
	}
	for _, broken := range []string{
		"", "[]", `{"trustedFacets":null}`, `{"trustedFacets":[{"version":{"major":1,"minor":0},"ids":["x"]}]}`,
		`{"trustedFacets":[],"trustedFacets":[]}`, want + "x", strings.Repeat(" ", uaf.MaxMessage) + want,
	} {
		if _, err := uaf.ParseTrustedFacets([]byte(broken)); err == nil {
			t.Errorf("%.60q was read", broken)
		}
	}
}
