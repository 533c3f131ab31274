package platform_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	identityapi "countersign/internal/identity/platform"
)

func TestUser(t *testing.T) {
	c, _ := says(t, http.StatusOK, `{"userID":"alice","domain":"sandbox","displayName":"Alice","emailAddress":"alice@example.com",`+
		`"mobilePhone":null,"status":"active","authenticators":["VDS1"]}`)
	got, err := c.User(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	want := identityapi.User{UserID: "alice", Domain: "sandbox", DisplayName: "Alice", EmailAddress: "alice@example.com", Status: "active"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAuthenticators(t *testing.T) {
	c, _ := says(t, http.StatusOK, `{"registrations":[
		{"registrationID":"1","name":"Blue key","type":"FIDO2","registrationTime":"2026-05-04T03:02:01Z","lastUsedTime":null,"aaguid":"ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4","aaid":null,"keyID":null},
		{"registrationID":"2","name":null,"type":"UAF11","registrationTime":"2026-05-04T03:02:01.5+02:00","lastUsedTime":"2026-06-01T00:00:00Z","aaguid":null,"aaid":"FFFF#0001","keyID":"a2V5"},
		{"registrationID":"3"}]}`)
	got, err := c.Authenticators(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	want := []identityapi.Authenticator{
		{ID: "1", Name: "Blue key", Protocol: "FIDO2", CreatedAt: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC), AAGUID: "ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4"},
		{ID: "2", Protocol: "UAF11", CreatedAt: time.Date(2026, 5, 4, 1, 2, 1, 5e8, time.UTC), LastUsedAt: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), AAID: "FFFF#0001", KeyID: "a2V5"},
		{ID: "3"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	c, _ = says(t, http.StatusOK, `{"registrations":[]}`)
	if got, err := c.Authenticators(t.Context(), alice); err != nil || got == nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTimesInManyForms(t *testing.T) {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	forms := map[string]time.Time{
		`"2026-05-04T03:02:01Z"`: at, `"2026-05-04T03:02:01.000Z"`: at, `"2026-05-04T05:02:01+02:00"`: at,
		`"2026-05-04T05:02:01.000+0200"`: at, `"2026-05-04T03:02:01"`: at, `"2026-05-04 03:02:01"`: at, `1777863721000`: at,
		`null`: {}, `""`: {}, `"yesterday"`: {}, `"2026-13-40T00:00:00Z"`: {}, `true`: {}, `{}`: {}, `1.5`: {}, `1e30`: {}, `99999999999999999999`: {},
	}
	for form, want := range forms {
		c, _ := says(t, http.StatusOK, `{"registrations":[{"registrationID":"1","registrationTime":`+form+`}]}`)
		got, err := c.Authenticators(t.Context(), alice)
		if err != nil || len(got) != 1 || !got[0].CreatedAt.Equal(want) {
			t.Errorf("%s became %v: %v", form, got, err)
		}
	}
}

func TestRenameAndRemove(t *testing.T) {
	c, p := says(t, http.StatusNoContent, "")
	if err := c.RenameAuthenticator(t.Context(), alice, "reg/1", "Blue \"key\" é"); err != nil {
		t.Fatal(err)
	}
	if p.called != "PATCH /v1/users/alice@sandbox/fido-registrations/reg%2F1" || p.sent != `{"name":"Blue \"key\" é"}` {
		t.Errorf("%s %s", p.called, p.sent)
	}
	out, err := c.RemoveAuthenticator(t.Context(), alice, "reg-1")
	if err != nil || out.DeregistrationRequest != "" || p.sent != "" {
		t.Errorf("%+v, %v after %q", out, err, p.sent)
	}
	c, _ = says(t, http.StatusOK, `{"deregistrationRequest":`+quoted(t, options)+`}`)
	if out, err = c.RemoveAuthenticator(t.Context(), alice, "reg-1"); err != nil || out.DeregistrationRequest != options {
		t.Errorf("%+v, %v", out, err)
	}
}
