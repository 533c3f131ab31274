package signin_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// A user name without a domain in a path gets a clear error, on every route, for any
// client and whether the account exists or not.
func aPathSaysWhatAUserNameLacks(t *testing.T, app *e2etest.App) {
	const domain = "The domain is missing. A user name looks like name@domain."
	const form = "A user name looks like name@domain."
	for who, c := range map[string]*e2etest.Client{
		"an outsider": e2etest.Program(t, app), "alice": e2etest.Program(t, app).SignedIn("alice@sandbox"),
	} {
		for user, want := range map[string]string{
			"alice": domain, "nobody": domain, "Alice": domain, "al%20ice": domain, "alice%40": form, "@sandbox": form, "a@b@c": form,
		} {
			for _, route := range []string{
				"POST login", "POST generate-fido-registration-request", "POST register-fido-device",
				"POST generate-fido-authentication-request", "POST transactions/validate", "GET authenticators", "DELETE authenticators/1",
			} {
				method, rest, _ := strings.Cut(route, " ")
				r := c.Send(method, "/users/"+user+"/"+rest, `{}`).Refused(http.StatusNotFound, "request.not-found")
				if got := fmt.Sprint(r.Member("fields")); got != "[map[detail:"+want+" pointer:/user]]" {
					t.Errorf("%s, %s of %q: %s", who, route, user, got)
				}
			}
		}
	}
}
