package ceremony_test

import (
	"reflect"
	"testing"

	"countersign/internal/ceremony"
)

func TestReadUser_FromRequest(t *testing.T) {
	t.Parallel()
	const user = `"rp": {"id": "example.org"}, "user": {"id": "AQI=", "name": "a@b", "displayName": "A"}`
	for _, request := range []string{`{` + user + `}`, `{"publicKey": {` + user + `}}`} {
		got, err := ceremony.ReadUser(request)
		if want := (ceremony.PasskeyUser{RPID: "example.org", Handle: []byte{1, 2}, Name: "a@b"}); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v (%v), want %+v", request, got, err, want)
		}
	}
	for _, request := range []string{`{`, `{"rp": {"id": "example.org"}}`, `{"user": {"id": "!"}}`} {
		if got, err := ceremony.ReadUser(request); err == nil {
			t.Errorf("%s: %+v", request, got)
		}
	}
}

func TestReadAllowed_ListedCredentials(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][][]byte{
		`, "allowCredentials": [{"type": "public-key", "id": "AAE"}, {"type": "public-key", "id": "AgM="}]`: {{0, 1}, {2, 3}},
		`, "allowCredentials": []`:                               {},
		`, "allowCredentials": [{"type": "other", "id": "AAE"}]`: {},
		`, "allowCredentials": null`:                             nil,
		``:                                                       nil,
	} {
		for _, request := range []string{`{"rpId": "example.org"` + list + `}`, `{"publicKey": {"rpId": "example.org"` + list + `}}`} {
			rpID, got, err := ceremony.ReadAllowed(request)
			if err != nil || rpID != "example.org" || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %q, %v (%v), want %v", request, rpID, got, err, want)
			}
		}
	}
	for _, request := range []string{`{`, `{"allowCredentials": [{"type": "public-key"}]}`, `{"allowCredentials": [{"type": "public-key", "id": "!"}]}`, `{"allowCredentials": {}}`} {
		if _, got, err := ceremony.ReadAllowed(request); err == nil {
			t.Errorf("%s: %v", request, got)
		}
	}
}
