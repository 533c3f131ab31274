package main

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

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// askUAF asks for a UAF request to sign in.
func (c *client) askUAF(user string) reply {
	c.t.Helper()
	r := c.send("POST", "/users/"+user+"/generate-fido-authentication-request", map[string]any{"fidoProtocol": "UAF11"}).want(http.StatusOK)
	c.carry(r)
	return r
}

var uafBytes = regexp.MustCompile(`("challenge":|"keyIDs":\[)"[A-Za-z0-9_-]+"`)

// uafLooks is all that two people's requests have in common, but for names of
// different lengths, and the key that is asked for.
func uafLooks(t testing.TB, user string, r reply) (looks string, key uaf.MatchCriteria) {
	t.Helper()
	text := r.text("authenticationRequest")
	request, err := uaf.ParseAuthenticationRequest(text)
	if err != nil {
		t.Fatalf("%s: %s: %v", user, text, err)
	}
	if accepted := request.Policy.Accepted; len(accepted) == 1 && len(accepted[0]) == 1 {
		key = accepted[0][0]
	}
	sealed, err := base64.RawURLEncoding.DecodeString(request.Header.ServerData)
	if err != nil {
		t.Errorf("%s: serverData %q: %v", user, request.Header.ServerData, err)
	}
	text = strings.Replace(text, request.Header.ServerData, "", 1)
	var members map[string]any
	if err := json.Unmarshal(r.body, &members); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(uafBytes.ReplaceAllString(text, "$1"), len(request.Challenge), len(key.KeyIDs), len(key.KeyIDs[0]), key.AAIDs,
		strings.ReplaceAll(string(sealed[32:]), user, "user"), len(sealed)-len(user), slices.Sorted(maps.Keys(members)), members["uafStatusCode"],
		slices.Sorted(maps.Keys(r.header))), key
}

// withoutUAF are those who cannot sign in with UAF, each for another reason.
var withoutUAF = []string{"bob@sandbox", "dave@sandbox", "erin@sandbox", "nobody@sandbox"}

// An account that cannot sign in with UAF answers as one that can, each time with
// the same key, whoever has signed in meanwhile; finishing ends as a refused
// sign-in does.
func TestUAFDecoysLookReal(t *testing.T) {
	app := boot(t)
	a := phone(t, app)
	program(t, app).signedIn("alice@sandbox").registerUAF(a)
	real, _ := uafLooks(t, "alice@sandbox", program(t, app).askUAF("alice@sandbox"))
	keys := map[string]uaf.MatchCriteria{}
	for range 2 {
		for _, user := range withoutUAF {
			looks, key := uafLooks(t, user, program(t, app).askUAF(user))
			if looks != real {
				t.Errorf("%s: %s\nreal: %s", user, looks, real)
			}
			if before, known := keys[user]; known && fmt.Sprint(before) != fmt.Sprint(key) {
				t.Errorf("%s: another key each time, %v and %v", user, before, key)
			}
			keys[user] = key
		}
		carol := program(t, app).signedIn("carol@sandbox")
		carol.registerUAF(phone(t, app))
		carol.askUAF("carol@sandbox")
	}

	bob := program(t, app).signedIn("bob@sandbox")
	bob.registerUAF(phone(t, app))
	if looks, _ := uafLooks(t, "bob@sandbox", program(t, app).askUAF("bob@sandbox")); looks != real {
		t.Errorf("bob, who has a key now: %s\nbefore: %s", looks, real)
	}
}

// Before anybody has signed in with UAF, decoys look as the platform's first real
// answer will.
func TestTheFirstUAFDecoysLookReal(t *testing.T) {
	app := boot(t)
	decoy, first := uafLooks(t, "bob@sandbox", program(t, app).askUAF("bob@sandbox"))
	program(t, app).signedIn("alice@sandbox").registerUAF(phone(t, app))
	if real, _ := uafLooks(t, "alice@sandbox", program(t, app).askUAF("alice@sandbox")); decoy != real {
		t.Errorf("%s\nreal: %s", decoy, real)
	}
	if _, then := uafLooks(t, "bob@sandbox", program(t, app).askUAF("bob@sandbox")); fmt.Sprint(first) != fmt.Sprint(then) {
		t.Errorf("another key once a real answer was seen: %v, %v", first, then)
	}
}

// stranger answers whatever request it gets: its key passes for the one that is
// asked for.
func stranger(t testing.TB, app *App, request string) string {
	t.Helper()
	a := phone(t, app)
	program(t, app).signedIn("carol@sandbox").enrol(a) // its key is registered nowhere
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
	app := boot(t)
	program(t, app).signedIn("alice@sandbox").registerUAF(phone(t, app))
	program(t, app).askUAF("alice@sandbox") // so that decoys are in its likeness
	refusals := map[string][]string{}
	for _, user := range append([]string{"alice@sandbox"}, withoutUAF...) {
		c := program(t, app)
		response := stranger(t, app, c.askUAF(user).text("authenticationRequest"))
		manage(t, app, "DELETE", "/journal", nil)
		program(t, app).finishSignIn(user, response).refused(http.StatusConflict, "ceremony.unknown").uaf(1491)
		r := c.finishSignIn(user, response).refused(http.StatusConflict, "sign-in.refused").uaf(1401)
		if got := journal(t, app); !slices.Equal(got, []string{"login"}) {
			t.Errorf("%s: the platform was asked for %v", user, got)
		}
		body := strings.ReplaceAll(string(r.body), r.text("instance"), "")
		looks := fmt.Sprint(body, slices.Sorted(maps.Keys(r.header)))
		refusals[looks] = append(refusals[looks], user)
		untouched(t, app, func() {
			c.finishSignIn(user, response).refused(http.StatusConflict, "ceremony.spent").uaf(1491)
		}, "login")

		// What is checked of a real one is checked of a decoy.
		c = program(t, app)
		elsewhere := strings.Replace(c.askUAF(user).text("authenticationRequest"), app.config.UAFAppID(), "https://evil.example/facets", 1)
		response = stranger(t, app, elsewhere)
		untouched(t, app, func() {
			c.finishSignIn(user, response).refused(http.StatusBadRequest, "ceremony.rp").uaf(1498)
		}, "login")
	}
	if len(refusals) != 1 {
		t.Errorf("refusals differ: %v", refusals)
	}
}

// With authenticationMessage it is a transaction of one's own, and one is told
// the truth.
func TestATransactionGetsNoDecoy(t *testing.T) {
	app := boot(t)
	message := map[string]any{"fidoProtocol": "UAF11", "authenticationMessage": "Pay 5 EUR"}
	const ask = "/users/bob@sandbox/generate-fido-authentication-request"
	program(t, app).send("POST", ask, message).refused(http.StatusUnauthorized, "session.required")
	bob := program(t, app).signedIn("bob@sandbox")
	if r := bob.send("POST", ask, message); r.status == http.StatusOK || strings.HasPrefix(r.text("key"), "sign-in.") {
		t.Errorf("%d %s", r.status, r.body)
	}

	// Nor does it teach the decoys to come.
	program(t, app).signedIn("alice@sandbox").registerUAF(phone(t, app))
	program(t, app).signedIn("alice@sandbox").sign("me", phoneOf(t, app, "alice@sandbox"), "Pay 5 EUR")
	if text := program(t, app).askUAF("nobody@sandbox").text("authenticationRequest"); strings.Contains(text, "transaction") {
		t.Errorf("decoy %s", text)
	}
}

// phoneOf is a phone that has registered for user.
func phoneOf(t testing.TB, app *App, user string) *softuaf.Authenticator {
	t.Helper()
	a := phone(t, app)
	program(t, app).signedIn(user).registerUAF(a)
	return a
}

// fakePlatform answers every request to sign in of alice by answer, and refuses
// everybody else's.
func fakePlatform(t *testing.T, answer *atomic.Value) throughTheListener {
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
	return throughTheListener{program(t, inFrontOf(t, platform.URL))}
}

func offerOf(t testing.TB, request, requestID string) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"authenticationRequest": request, "requestID": requestID})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A decoy has a requestID like the platform's last, and names no credentials
// where the platform does not; what names none that would do is answered with
// one that does.
func TestDecoysFollowThePlatform(t *testing.T) {
	var answer atomic.Value
	c := fakePlatform(t, &answer)
	ask := func(user string) (requestID, request string) {
		r := c.post("/users/"+user+"@sandbox/generate-fido-authentication-request", map[string]any{"fidoProtocol": "FIDO2"})
		return r.text("requestID"), r.text("authenticationRequest")
	}
	const challenge = `{"challenge":"Pdprqj327sm49H598MnRSjzNgUh3vBOvpS-PJjT_AAQ","rpId":"cs.example"`

	for _, real := range []struct{ requestID, form string }{
		{"REQ-4B2FAE0C-97C3-4D52-9FD1-5A0B1C2D3E4F", `^REQ-[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$`},
		{"fido:9f00c1d2e3", `^fido:[0-9a-f]{10}$`},
	} {
		options := challenge + `,"allowCredentials":[{"type":"public-key","id":"vNvJH-g-CBZxIAziMUZ99Sb4BUZeKoYPdXioTur6cRU"}]}`
		answer.Store(offerOf(t, options, real.requestID))
		if id, request := ask("alice"); id != real.requestID || request != options {
			t.Fatalf("alice: %s, %s", id, request)
		}
		one, request := ask("nobody")
		two, _ := ask("nobody")
		if match := regexp.MustCompile(real.form).MatchString; !match(one) || !match(two) || one == two || one == real.requestID {
			t.Errorf("decoys %s and %s of %s", one, two, real.requestID)
		}
		if !strings.Contains(request, `"allowCredentials":[{`) {
			t.Errorf("decoy %s", request)
		}
	}

	answer.Store(offerOf(t, challenge+`}`, "fido:9f00c1d2e3"))
	if id, request := ask("alice"); id != "fido:9f00c1d2e3" || request != challenge+`}` {
		t.Errorf("who asks for any credential was answered %s, %s", id, request)
	}
	_, request := ask("nobody")
	if strings.Contains(request, "allowCredentials") || len(request) != len(challenge)+1 || request == challenge+`}` {
		t.Errorf("decoy %s", request)
	}

	answer.Store(offerOf(t, challenge+`,"allowCredentials":[]}`, "fido:9f00c1d2e3"))
	if _, request := ask("alice"); strings.Contains(request, "allowCredentials") || len(request) != len(challenge)+1 {
		t.Errorf("alice, who has none: %s", request)
	}
}

// Some clients write the user handle that they were not told as an empty string.
func TestAnEmptyUserHandleSignsIn(t *testing.T) {
	app := boot(t)
	key := newPasskey(app)
	program(t, app).signedIn("alice@sandbox").register(key)
	c := program(t, app)
	var credential map[string]any
	if err := json.Unmarshal([]byte(c.get(key, c.requestSignIn("alice@sandbox"))), &credential); err != nil {
		t.Fatal(err)
	}
	response, _ := credential["response"].(map[string]any)
	response["userHandle"] = ""
	text, err := json.Marshal(credential)
	if err != nil {
		t.Fatal(err)
	}
	c.finishSignIn("alice@sandbox", string(text)).want(http.StatusOK)
}
