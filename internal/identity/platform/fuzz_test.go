package platform_test

import (
	"errors"
	"net/http"
	"testing"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
)

// FuzzAnswers lets the platform answer anything with a 200. Only an answer that accepts a
// sign-in lets anybody in, and all failures are faults.
func FuzzAnswers(f *testing.F) {
	for _, body := range []string{
		``, `{}`, `{"sessionStatus":"accepted"}`, `{"sessionStatus":"pending","requestID":"r"}`, `{"sessionStatus":"failure"}`,
		`{"sessionStatus":"accepted","riskResponseCode":"1","eventId":2,"uafStatusCode":1491}`,
		`{"registrations":[{"registrationID":"1","registrationTime":"2026-05-04T03:02:01Z","lastUsedTime":1}]}`,
		`{"registrationRequest":"{}","authenticationRequest":"{}","requestID":"r"}`, `{"userID":"a"}`,
	} {
		f.Add([]byte(body))
	}
	p := &platform{status: http.StatusOK}
	c := clientOf(f, p, identityapi.Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		p.body = string(body)
		for name, call := range methods {
			var e *fault.Error
			if err := call(t, c); err != nil && !errors.As(err, &e) {
				t.Fatalf("%s answered %q: %v", name, body, err)
			}
		}
		out, err := c.Login(t.Context(), alice, identityapi.LoginInput{})
		if err != nil {
			return
		}
		if status := out.Public()["sessionStatus"]; status != out.SessionStatus {
			t.Fatalf("%q is public as %v", body, status)
		}
		if out.SessionStatus != identityapi.StatusAccepted && (out.SessionStatus != identityapi.StatusPending || out.RequestID+out.FIDOAuthenticationRequest == "") {
			t.Fatalf("%q became %+v", body, out)
		}
	})
}
