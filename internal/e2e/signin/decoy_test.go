package signin_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/uaf"
)

// outsider answers any request: its key takes the place of the requested one.
func outsider(t testing.TB, app *e2etest.App, request string) string {
	t.Helper()
	a := e2etest.Phone(t, app)
	e2etest.Program(t, app).SignedIn("carol@sandbox").Enrol(a) // its key is registered nowhere
	parsed, err := uaf.ParseAuthenticationRequest(request)
	if err != nil {
		t.Fatal(err)
	}
	wanted := parsed.Policy.Accepted[0][0]
	if a.Keys[0].ID, err = base64.RawURLEncoding.DecodeString(wanted.KeyIDs[0]); err != nil {
		t.Fatal(err)
	}
	a.Options.AAID, a.Keys[0].AppID = wanted.AAIDs[0], parsed.Header.AppID
	response, err := a.Authenticate(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func TestAUAFDecoyIsFinishedLikeAnyOther(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Program(t, app).SignedIn("alice@sandbox").RegisterUAF(e2etest.Phone(t, app))
	e2etest.Program(t, app).AskUAF("alice@sandbox") // so that decoys resemble it
	refusals := map[string][]string{}
	for _, user := range everybody {
		c := e2etest.Program(t, app)
		response := outsider(t, app, c.AskUAF(user).Text("authenticationRequest"))
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		e2etest.Program(t, app).FinishSignIn(user, response).Refused(http.StatusConflict, "ceremony.unknown").UAFStatus(1491)
		r := c.FinishSignIn(user, response).Refused(http.StatusConflict, "sign-in.refused").UAFStatus(1401)
		if got := e2etest.Journal(t, app); !slices.Equal(got, []string{"login"}) {
			t.Errorf("%s: the platform was asked for %v", user, got)
		}
		body := strings.ReplaceAll(string(r.Body), r.Text("instance"), "")
		looks := fmt.Sprint(body, slices.Sorted(maps.Keys(r.Header)))
		refusals[looks] = append(refusals[looks], user)
		e2etest.Untouched(t, app, func() {
			c.FinishSignIn(user, response).Refused(http.StatusConflict, "ceremony.spent").UAFStatus(1491)
		}, "login")

		// A decoy's response is checked like a real one.
		c = e2etest.Program(t, app)
		elsewhere := strings.Replace(c.AskUAF(user).Text("authenticationRequest"), (app.URL() + "/uaf/facets"), "https://evil.example/facets", 1)
		response = outsider(t, app, elsewhere)
		e2etest.Untouched(t, app, func() {
			c.FinishSignIn(user, response).Refused(http.StatusBadRequest, "ceremony.rp").UAFStatus(1498)
		}, "login")
	}
	if len(refusals) != 1 {
		t.Errorf("refusals differ: %v", refusals)
	}
}

// fakePlatform answers every request to sign in of alice by answer, and refuses everybody
// else's.
func fakePlatform(t *testing.T, answer *atomic.Value) *e2etest.Client {
	t.Helper()
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if !strings.Contains(r.URL.Path, "alice") {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"message":"User not found"}`))
			return
		}
		text, _ := answer.Load().(string)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(platform.Close)
	return e2etest.Program(t, e2etest.InFrontOf(t, platform.URL))
}

func offerOf(t testing.TB, request, requestID string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"authenticationRequest": request, "requestID": requestID})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Real or decoy, a request has a requestID of ours in the platform's usual form, and
// names no credentials if the platform's requests do not; a request without usable
// credentials is replaced by a decoy.
func TestDecoysFollowThePlatform(t *testing.T) {
	var answer atomic.Value
	c := fakePlatform(t, &answer)
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	seen := map[string]bool{}
	ask := func(user string) (request string) {
		r := c.Send("POST", "/users/"+user+"@sandbox/generate-fido-authentication-request", map[string]any{"fidoProtocol": "FIDO2"}).Want(http.StatusOK)
		if id := r.Text("requestID"); !form.MatchString(id) || seen[id] && user != "alice" {
			t.Errorf("%s: requestID %s", user, id)
		} else {
			seen[id] = true
		}
		return r.Text("authenticationRequest")
	}
	const challenge = `{"challenge":"Pdprqj327sm49H598MnRSjzNgUh3vBOvpS-PJjT_AAQ","rpId":"cs.example"`

	for _, requestID := range []string{"REQ-4B2FAE0C-97C3-4D52-9FD1-5A0B1C2D3E4F", "fido:9f00c1d2e3"} {
		options := challenge + `,"allowCredentials":[{"type":"public-key","id":"vNvJH-g-CBZxIAziMUZ99Sb4BUZeKoYPdXioTur6cRU"}]}`
		answer.Store(offerOf(t, options, requestID))
		if request := ask("alice"); request != options {
			t.Fatalf("alice: %s", request)
		}
		one, two := ask("nobody"), ask("nobody")
		if !strings.Contains(one, `"allowCredentials":[{`) || one == two {
			t.Errorf("decoys %s and %s", one, two)
		}
	}

	answer.Store(offerOf(t, challenge+`}`, "fido:9f00c1d2e3"))
	if request := ask("alice"); request != challenge+`}` {
		t.Errorf("who asks for any credential was answered %s", request)
	}
	request := ask("nobody")
	if strings.Contains(request, "allowCredentials") || len(request) != len(challenge)+1 || request == challenge+`}` {
		t.Errorf("decoy %s", request)
	}

	answer.Store(offerOf(t, challenge+`,"allowCredentials":[]}`, "fido:9f00c1d2e3"))
	if request := ask("alice"); strings.Contains(request, "allowCredentials") || len(request) != len(challenge)+1 {
		t.Errorf("alice, who has none: %s", request)
	}
}
