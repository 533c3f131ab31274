package signin_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// everybody is people in every state of an account, and an unknown one; only alice has
// authenticators.
var everybody = []string{"alice@sandbox", "bob@sandbox", "dave@sandbox", "erin@sandbox", "frank@sandbox", "nobody@sandbox"}

var (
	freshBytes = regexp.MustCompile(`\\"(challenge|id|keyIDs|serverData)\\":\[?\\"[A-Za-z0-9_-]+\\"`)
	repeated   = regexp.MustCompile(`(\{\\"type\\":\\"public-key\\",I\},?)+|(\[\{\\"aaid\\":\[\\"5B0C#0001\\"\],I\]\}\],?)+`)
	freshTexts = regexp.MustCompile(`"(sessionToken|requestID|instance)":"[^"]*"`)
)

// seen returns everything that an observer can compare across accounts: status, headers,
// and the body without fresh, personal or counted parts.
func seen(r e2etest.Reply) string {
	body := freshTexts.ReplaceAllStringFunc(string(r.Body), func(member string) string { return fmt.Sprint(member[:10], len(member)) })
	body = repeated.ReplaceAllString(freshBytes.ReplaceAllString(body, "I"), "CREDENTIALS")
	return fmt.Sprint(r.Status, slices.Sorted(maps.Keys(r.Header)), body)
}

// credentials returns the credentials in a request, in order.
func credentials(t *testing.T, r e2etest.Reply) (names []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`"(?:id|keyIDs)":\[?"([^"]+)"`).FindAllStringSubmatch(r.Text("authenticationRequest"), -1) {
		names = append(names, m[1])
	}
	return names
}

// The existence and state of an account cannot be found out: by texts, status, headers,
// sizes, numbers or spelling, before and after anybody signed in.
func TestAccounts_CannotBeEnumerated(t *testing.T) {
	app := e2etest.Boot(t)
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	alice.Register(e2etest.NewPasskey(app))
	alice.Register(e2etest.NewPasskey(app))
	alice.RegisterUAF(e2etest.Phone(t, app))
	before := map[string][]string{}
	for round := range 2 {
		for _, ask := range []string{`{"fidoProtocol":"FIDO2"}`, `{"userVerification":"required","fidoProtocol":"FIDO2"}`, `{"fidoProtocol":"UAF11"}`} {
			looks := map[string][]string{}
			for _, user := range slices.Backward(everybody) { // whom the platform knows comes last
				for _, spelled := range []string{user, strings.ToUpper(user)} {
					e2etest.Manage(t, app, "DELETE", "/journal", nil)
					r := e2etest.Program(t, app).Send("POST", "/users/"+spelled+"/generate-fido-authentication-request", ask)
					if got := e2etest.Journal(t, app); !slices.Equal(got, []string{"generateFidoAuthenticationRequest"}) {
						t.Errorf("%s: the platform was asked for %v", spelled, got)
					}
					names, key := credentials(t, r), user+ask[len(ask)-6:]
					if known, ok := before[key]; ok && !slices.Equal(known, names) {
						t.Errorf("round %d, %s, %s: %v, before %v", round, spelled, ask, names, known)
					}
					before[key] = names
					if n := len(names); n < 1 || n > 3 {
						t.Errorf("%s, %s: %d credentials", spelled, ask, n)
					}
					text := strings.ReplaceAll(seen(r), strings.ToLower(user), "user")
					looks[text] = append(looks[text], spelled)
				}
			}
			if len(looks) != 1 {
				t.Errorf("%s: told apart: %v", ask, looks)
			}
		}
	}
}

// Sign-ins and pushes reveal nothing either.
func signInsTellNothing(t *testing.T, app *e2etest.App) {
	for _, ask := range []string{
		`{"credentials":{"passKey":"not it"}}`, `{"credentials":{"authenticator":{"OTP":"123456"}}}`, e2etest.PushedSignIn,
		`{"orchestrationDelivery":["pushNotification","pushNotification"]}`, `{"credentials":{"passKey":"not it"},"orchestrationDelivery":["pushNotification"]}`,
	} {
		looks := map[string][]string{}
		for _, user := range everybody {
			for _, spelled := range []string{user, strings.ToUpper(user)} {
				e2etest.Manage(t, app, "DELETE", "/journal", nil)
				r := e2etest.Program(t, app).Elsewhere().Send("POST", "/users/"+spelled+"/login", ask)
				if got := e2etest.Journal(t, app); !slices.Equal(got, []string{"login"}) {
					t.Errorf("%s: the platform was asked for %v", spelled, got)
				}
				looks[seen(r)] = append(looks[seen(r)], spelled)
			}
		}
		if len(looks) != 1 {
			t.Errorf("%s: told apart: %v", ask, looks)
		}
	}
}

// A body that is too large counts as a try: the limit of its address is taken before it
// is read.
func TestRateLimit_CountsOversizedBody(t *testing.T) {
	app := e2etest.Boot(t, "RATE_SIGN_IN_ADDRESS=3/h", "RATE_CEREMONY_ADDRESS=3/h")
	large, err := json.Marshal(map[string]string{"a": strings.Repeat("x", 300<<10)})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/users/alice@sandbox/login", "/users/nobody@sandbox/generate-fido-authentication-request", "/users/register"} {
		c := e2etest.Program(t, app).Elsewhere()
		for i, body := range []string{string(large), "{", string(large), `{}`, string(large)} {
			want := []int{http.StatusRequestEntityTooLarge, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusTooManyRequests, http.StatusTooManyRequests}[i]
			if r := c.Send("POST", path, body); r.Status != want {
				t.Errorf("%s, try %d: %d, want %d: %.200s", path, i, r.Status, want, r.Body)
			}
		}
	}
}
