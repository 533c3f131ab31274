package platform_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

func TestUser_Read(t *testing.T) {
	c, _ := says(t, http.StatusOK, `{"userID":"alice","domain":"sandbox","displayName":"Alice","emailAddress":"alice@example.com",`+
		`"mobilePhoneNumber":null,"enabled":true,"locked":false,"isPasswordSet":true,"authenticators":["VDS1"]}`)
	got, err := c.User(t.Context(), alice)
	if err != nil {
		t.Fatal(err)
	}
	want := identityapi.User{UserID: "alice", Domain: "sandbox", DisplayName: "Alice", EmailAddress: "alice@example.com", Enabled: true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// An account's state comes from its flags alone; an answer without them is neither good nor
// bad.
func TestState_FromFlags(t *testing.T) {
	for body, want := range map[string]string{
		`{"enabled":true,"locked":false}`:                                   "",
		`{"enabled":true,"locked":false,"expired":false,"status":"locked"}`: "",
		`{"enabled":false,"locked":false}`:                                  identityapi.Disabled,
		`{"enabled":false,"locked":true,"expired":true}`:                    identityapi.Disabled,
		`{"enabled":true,"locked":true}`:                                    identityapi.Locked,
		`{"enabled":true,"locked":false,"expired":true}`:                    identityapi.Expired,
		`{"enabled":true,"locked":false,"expired":null}`:                    "",
	} {
		c, _ := says(t, http.StatusOK, body)
		for name, ask := range standings(c) {
			if said, err := ask(t.Context(), alice); err != nil || said.Lost != want {
				t.Errorf("%s: %s: lost %q, want %q: %v", name, body, said.Lost, want, err)
			}
		}
	}
	for _, body := range []string{
		``, `null`, `{}`, `[]`, `"active"`, `{"status":"active"}`, `{"enabled":true}`, `{"locked":false}`, `{"enabled":null,"locked":false}`,
		`{"enabled":true,"locked":null}`, `{"enabled":"true","locked":"false"}`, `{"enabled":1,"locked":0}`, `{"Enabled":true,"Locked":false}`,
		`{"enabled":true,"locked":false,"expired":"no"}`, `{"user":{"enabled":true,"locked":false}}`, `<html>enabled</html>`,
	} {
		c, _ := says(t, http.StatusOK, body)
		for name, ask := range standings(c) {
			said, err := ask(t.Context(), alice)
			if said.Lost != "" || !fault.Is(err, fault.PlatformFailed) || !identityapi.StateUnreadable(err) {
				t.Errorf("%s: %s: lost %q, %v", name, body, said.Lost, err)
			}
		}
	}
	c, _ := says(t, http.StatusNotFound, `{"message":"User account not found"}`)
	if said, err := c.AccountStatus(t.Context(), alice); err != nil || said.Lost != identityapi.Unknown {
		t.Errorf("lost %q, %v", said.Lost, err)
	}
}

// Any answer but an outage that does not say how the account stands is unreadable, whatever
// its status and wherever it ends.
func TestState_Unreadable(t *testing.T) {
	unreadable := func(about string, c *identityapi.Client, want bool) {
		t.Helper()
		for name, ask := range standings(c) {
			said, err := ask(t.Context(), alice)
			if err == nil || said.Lost != "" || identityapi.StateUnreadable(err) != want || want && !fault.Is(err, fault.PlatformFailed) {
				t.Errorf("%s: %s: lost %q, %v", about, name, said.Lost, err)
			}
		}
	}
	for status, want := range map[int]bool{
		301: true, 302: true, 400: true, 401: true, 403: true, 405: true, 409: true, 410: true, 422: true,
		404: false, 408: false, 429: false, 500: false, 502: false, 503: false, 504: false,
	} {
		for _, body := range []string{``, `{"message":"m"}`, `{"error":"Conflict","message":"User is locked"}`, `<html>no</html>`} {
			if status == http.StatusNotFound && strings.Contains(body, "m") && !strings.HasPrefix(body, "<") {
				continue // the platform's own
			}
			c, _ := says(t, status, body)
			unreadable(fmt.Sprint(status, " ", body), c, want)
		}
	}
	const good = `{"enabled":true,"locked":false}`
	c, _ := says(t, http.StatusOK, good+strings.Repeat(" ", 32<<20))
	unreadable("too long", c, true)
	breaks := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = w.Write([]byte(good))
	})
	unreadable("breaks off", clientOf(t, breaks, identityapi.Options{}), true)
}

func standings(c *identityapi.Client) map[string]func(context.Context, string) (identityapi.AccountStatus, error) {
	return map[string]func(context.Context, string) (identityapi.AccountStatus, error){"now": c.AccountStatus, "at a sign-in": c.AccountStatusAtSignIn}
}

func TestAuthenticators_Listed(t *testing.T) {
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
		{ID: "2", Protocol: "UAF11", Kind: identityapi.DeviceBound, CreatedAt: time.Date(2026, 5, 4, 1, 2, 1, 5e8, time.UTC), LastUsedAt: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), AAID: "FFFF#0001", KeyID: "a2V5"},
		{ID: "3"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(identityapi.Authenticator{})); diff != "" {
		t.Error(diff)
	}
	c, _ = says(t, http.StatusOK, `{"registrations":[]}`)
	if got, err := c.Authenticators(t.Context(), alice); err != nil || got == nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestTimes_Forms(t *testing.T) {
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
