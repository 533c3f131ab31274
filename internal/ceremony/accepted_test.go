package ceremony_test

import (
	"reflect"
	"testing"

	"countersign/internal/ceremony"
)

func TestReadAccepted(t *testing.T) {
	t.Parallel()
	const user = `"rp": {"id": "example.org"}, "user": {"id": "AQI=", "name": "a@b", "displayName": "A"}`
	for name, test := range map[string]struct {
		request string
		want    []string
	}{
		"some":           {`{` + user + `, "excludeCredentials": [{"type": "public-key", "id": "AAE"}, {"type": "public-key", "id": "AgM="}]}`, []string{"AAE", "AgM"}},
		"none":           {`{` + user + `, "excludeCredentials": []}`, []string{}},
		"not told":       {`{` + user + `}`, nil},
		"null":           {`{` + user + `, "excludeCredentials": null}`, nil},
		"of other types": {`{` + user + `, "excludeCredentials": [{"type": "other", "id": "AAE"}]}`, []string{}},
		"wrapped":        {`{"publicKey": {` + user + `, "excludeCredentials": [{"type": "public-key", "id": "AAE"}]}}`, []string{"AAE"}},
	} {
		got, err := ceremony.ReadAccepted(test.request)
		want := ceremony.Accepted{RPID: "example.org", UserID: "AQI", Name: "a@b", DisplayName: "A", Credentials: test.want}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v), want %+v", name, got, err, want)
		}
	}
	for name, request := range map[string]string{
		"no JSON": `{`, "no user": `{"rp": {"id": "example.org"}}`, "a broken user": `{"user": {"id": "!"}}`,
		"a broken credential": `{` + user + `, "excludeCredentials": [{"type": "public-key", "id": "!"}]}`,
		"an empty credential": `{` + user + `, "excludeCredentials": [{"type": "public-key"}]}`,
	} {
		if got, err := ceremony.ReadAccepted(request); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
