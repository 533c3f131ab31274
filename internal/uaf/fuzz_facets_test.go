package uaf_test

import (
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"countersign/internal/uaf"
)

// FuzzFacets parses lists like clients; our own lists can be parsed.
func FuzzFacets(f *testing.F) {
	f.Add([]byte(`{"trustedFacets":[{"version":{"major":1,"minor":1},"ids":["https://bank.example"]}]}`), testAppID, testFacet)
	f.Add([]byte(`{"trustedFacets":[{"version":{"major":1,"minor":0},"ids":null}]}`), "https://[::1]/", "https://[::1]")
	f.Add([]byte(`[]`), "http://127.0.0.1:8080/uaf/facets", "ios:bundle-id:com.example.app")
	f.Fuzz(func(t *testing.T, document []byte, appID, id string) {
		_, err := uaf.ParseTrustedFacets(document)
		judged(t, err)
		list := uaf.NewTrustedFacets(appID, id)
		if !utf8.ValidString(id) {
			return
		}
		data, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		ids, err := uaf.ParseTrustedFacets(data)
		if err != nil || !slices.Equal(ids, list.IDs()) {
			t.Errorf("listed %q, read %q (%v)", list.IDs(), ids, err)
		}
	})
}
