package platform_test

import (
	"net/http"
	"strings"
	"testing"

	identityapi "countersign/internal/identity/platform"
)

func TestFindUsers_Query(t *testing.T) {
	t.Parallel()
	client, said := says(t, http.StatusOK, `{"users":[],"total":0}`)
	for search, want := range map[identityapi.Search]string{
		{UserID: "ali", Limit: 100}:                               "limit=100&offset=0&userID=%2Aali%2A",
		{UserID: "*a*c", Offset: 100, Limit: 100}:                 "limit=100&offset=100&userID=%2Aa%2Ac%2A",
		{UserID: "ali@bank", Limit: 100}:                          "domain=bank&limit=100&offset=0&userID=%2Aali%2A",
		{UserID: "@bank", Limit: 5}:                               "domain=bank&limit=5&offset=0",
		{UserID: "*", Limit: 5}:                                   "limit=5&offset=0&userID=%2A",
		{UserID: strings.Repeat("a", 255), Limit: 5}:              "limit=5&offset=0&userID=" + strings.Repeat("a", 255),
		{DisplayName: "A B", EmailAddress: "a+b@c.d", Limit: 100}: "displayName=A+B&emailAddress=a%2Bb%40c.d&limit=100&offset=0",
	} {
		if _, err := client.FindUsers(t.Context(), search); err != nil || said.called != "GET /v1/users?"+want {
			t.Errorf("%+v: %s, want %s (%v)", search, said.called, want, err)
		}
	}
}

// The page is read alone and in a list; rows that were not looked for are dropped, and a row
// without its flags has no state.
func TestFindUsers_PageOrList(t *testing.T) {
	t.Parallel()
	const rows = `{"total":412,"users":[
		{"userID":"alice","domain":"bank","enabled":true,"locked":false},
		{"userID":"ALINA@bank","enabled":false,"locked":true},
		{"userID":"malik","domain":"bank","displayName":"M"},
		{"userID":"bob","domain":"bank","enabled":true,"locked":false},
		{"userID":"alice","domain":"other","enabled":true,"locked":false},
		{"userID":"al i","domain":"bank","enabled":true,"locked":false}]}`
	for _, said := range []string{rows, "[" + rows + "]"} {
		client, _ := says(t, http.StatusOK, said)
		found, err := client.FindUsers(t.Context(), identityapi.Search{UserID: "ali@bank", Limit: 100})
		var got []string
		for _, one := range found.Users {
			got = append(got, one.ID+" "+one.Status)
		}
		if want := "alice@bank active, ALINA@bank disabled, malik@bank "; err != nil || found.Total != 412 || strings.Join(got, ", ") != want {
			t.Errorf("%v, %d: %v", got, found.Total, err)
		}
	}
}
