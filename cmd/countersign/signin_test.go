package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"countersign/internal/authenticator"
)

func wrongPassword(c *client, user string) reply {
	c.t.Helper()
	return c.send("POST", "/users/"+user+"/login", `{"credentials":{"passKey":"not it"}}`)
}

// Whatever is wrong with an account, a refused sign-in looks the same.
func TestRefusalsLookAlike(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	seen := map[string][]string{}
	look := func(what string, r reply) {
		r.refused(http.StatusConflict, "sign-in.refused")
		body := strings.ReplaceAll(string(r.body), r.text("instance"), "")
		headers := slices.Sorted(maps.Keys(r.header))
		seen[fmt.Sprint(body, headers)] = append(seen[fmt.Sprint(body, headers)], what)
	}
	look("wrong password", wrongPassword(c, "alice@sandbox"))
	for _, user := range []string{"dave", "erin", "nobody"} {
		look(user, wrongPassword(c, user+"@sandbox"))
	}
	for _, user := range []string{"dave", "erin", "frank"} {
		look(user+", right password", c.send("POST", "/users/"+user+"@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`))
	}
	look("one-time password", c.send("POST", "/users/alice@sandbox/login", `{"credentials":{"authenticator":{"OTP":"123456"}}}`))
	if len(seen) != 1 {
		t.Errorf("refusals differ: %v", seen)
	}
}

// An account that cannot sign in with a passkey answers as one that can, each
// time with the same credential, and finishing ends as a wrong password does.
func TestDecoysLookReal(t *testing.T) {
	app := boot(t)
	key := newPasskey(app)
	alice := program(t, app)
	alice.password("alice@sandbox")
	alice.register(key)
	shape := func(user string) (string, map[string]any) {
		r := program(t, app).requestSignIn(user)
		var options map[string]any
		if err := json.Unmarshal([]byte(r.text("authenticationRequest")), &options); err != nil {
			t.Fatal(err)
		}
		credential := options["allowCredentials"].([]any)[0].(map[string]any)
		return fmt.Sprint(slices.Sorted(maps.Keys(options)), slices.Sorted(maps.Keys(credential)), options["timeout"], options["userVerification"],
			options["rpId"], len(options["challenge"].(string)), len(r.text("requestID")), slices.Sorted(maps.Keys(r.header))), credential
	}
	real, _ := shape("alice@sandbox")
	for _, user := range []string{"bob", "dave", "erin", "nobody"} {
		decoy, first := shape(user + "@sandbox")
		if decoy != real {
			t.Errorf("%s: %s\nreal: %s", user, decoy, real)
		}
		if _, second := shape(user + "@sandbox"); first["id"] != second["id"] {
			t.Errorf("%s: another credential each time", user)
		}
	}
	c := program(t, app)
	options := c.requestSignIn("nobody@sandbox").text("authenticationRequest")
	stranger := authenticator.NewFIDO2(authenticator.Options{Origin: app.URL(), UserVerifying: true, Discoverable: true})
	if _, err := stranger.Create(program(t, app).signedIn("bob@sandbox").requestRegistration().text("registrationRequest")); err != nil {
		t.Fatal(err)
	}
	// Without its credentials named, a stranger's authenticator answers with its own.
	var open map[string]any
	if err := json.Unmarshal([]byte(options), &open); err != nil {
		t.Fatal(err)
	}
	delete(open, "allowCredentials")
	anyone, err := json.Marshal(open)
	if err != nil {
		t.Fatal(err)
	}
	response, err := stranger.Get(string(anyone))
	if err != nil {
		t.Fatal(err)
	}
	manage(t, app, "DELETE", "/journal", nil)
	c.finishSignIn("nobody@sandbox", response).refused(http.StatusConflict, "sign-in.refused")
	if got := journal(t, app); !slices.Equal(got, []string{"login"}) {
		t.Errorf("the platform was asked for %v", got)
	}
}

func push(c *client, user string) reply {
	c.t.Helper()
	r := c.send("POST", "/users/"+user+"/login", `{"orchestrationDelivery":["pushNotification"]}`).want(http.StatusAccepted)
	c.carry(r)
	return r
}

func TestAPushSignsInOnce(t *testing.T) {
	app := boot(t)
	for name, newClient := range map[string]func(testing.TB, *App) *client{"browser": browser, "program": program} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, app)
			id := push(c, "alice@sandbox").text("requestID")
			if status := c.send("GET", "/sessions/"+id, nil).want(http.StatusOK).text("sessionStatus"); status != "pending" {
				t.Fatalf("status %q", status)
			}
			newClient(t, app).send("GET", "/sessions/"+id, nil).refused(http.StatusNotFound, "sign-in.unknown")
			c.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")
			manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})

			var wait sync.WaitGroup
			answers := make([]reply, 8)
			for i := range answers {
				wait.Go(func() {
					polling := *c
					polling.http = &http.Client{CheckRedirect: stay}
					if c.http.Jar != nil {
						polling.header = c.header.Clone()
						polling.header.Set("Cookie", cookieOf(c))
					}
					answers[i] = polling.send("GET", "/sessions/"+id, nil)
				})
			}
			wait.Wait()
			begun := slices.DeleteFunc(answers, func(r reply) bool { return r.status == http.StatusNotFound })
			if len(begun) != 1 || begun[0].status != http.StatusOK || begun[0].text("sessionStatus") != "accepted" {
				t.Fatalf("%d sessions began", len(begun))
			}
		})
	}
}

func cookieOf(c *client) string {
	request, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, c.app.URL(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	var all []string
	for _, cookie := range c.http.Jar.Cookies(request.URL) {
		all = append(all, cookie.String())
	}
	return strings.Join(all, "; ")
}

// A stranger's pushes are bounded for everybody alike, whether there is somebody
// to be disturbed or not; one that is accepted does not count.
func TestPushesAreCountedAlike(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN=3/m")
	for range 5 {
		c := program(t, app)
		id := push(c, "carol@sandbox").text("requestID")
		manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
		c.send("GET", "/sessions/"+id, nil).want(http.StatusOK)
	}
	for _, user := range []string{"alice", "nobody", "dave"} {
		for range 3 {
			push(program(t, app), user+"@sandbox")
		}
		program(t, app).send("POST", "/users/"+user+"@sandbox/login", `{"orchestrationDelivery":["pushNotification"]}`).
			refused(http.StatusTooManyRequests, "request.rate")
	}
}

// What the platform says about an account stays in the log.
func TestARefusedSignInHasNoStatusOfThePlatform(t *testing.T) {
	app := boot(t)
	manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "status": 409, "body": map[string]any{"message": "User is disabled", "uafStatusCode": 1403}})
	r := wrongPassword(program(t, app), "alice@sandbox").refused(http.StatusConflict, "sign-in.refused")
	if r.member("uafStatusCode") != nil {
		t.Errorf("it was told: %s", r.body)
	}
}

func TestARefusedOrUnansweredPushSignsNobodyIn(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	id := push(c, "alice@sandbox").text("requestID")
	manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "refuse"})
	if status := c.send("GET", "/sessions/"+id, nil).want(http.StatusOK).text("sessionStatus"); status != "refused" {
		t.Errorf("status %q", status)
	}
	c.send("GET", "/sessions/"+id, nil).refused(http.StatusNotFound, "sign-in.unknown")

	c = program(t, app)
	id = push(c, "alice@sandbox").text("requestID")
	manage(t, app, "POST", "/clock", map[string]any{"advance": "61s"})
	if status := c.send("GET", "/sessions/"+id, nil).want(http.StatusOK).text("sessionStatus"); status != "timeout" {
		t.Errorf("status %q", status)
	}
}

// Whatever the platform tells of a push that reaches somebody, one that reaches
// nobody is told of alike.
func TestAPushToNobodyLooksReal(t *testing.T) {
	app := boot(t)
	manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "times": 1, "status": 200, "body": map[string]any{
		"sessionStatus": "pending", "requestID": "login:421", "requestMessage": "00ffa1", "riskResponseCode": 0, "eventId": 1700000001,
	}})
	digit := regexp.MustCompile(`[a-f0-9]`)
	form := func(user string) string {
		c := program(t, app)
		r := c.send("POST", "/users/"+user+"/login", `{"orchestrationDelivery":["requestMessage"]}`).want(http.StatusAccepted)
		c.carry(r)
		if status := c.send("GET", "/sessions/"+r.text("requestID"), nil).want(http.StatusOK).text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
		var body map[string]any
		if err := json.Unmarshal(r.body, &body); err != nil {
			t.Fatal(err)
		}
		delete(body, "sessionToken")
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return digit.ReplaceAllString(string(text), "0")
	}
	real := form("bob@sandbox")
	for _, user := range []string{"nobody@sandbox", "dave@sandbox"} {
		if got := form(user); got != real {
			t.Errorf("%s: %s, not %s", user, got, real)
		}
	}
}

// How long a person has to decide on their device has nothing to do with how long
// a ceremony may stay open.
func TestAPushOutlivesACeremony(t *testing.T) {
	app, clock := bootWithClock(t, "CEREMONY_TTL=30s", "REMOTE_TRANSACTION_TIMEOUT=5m")
	for _, user := range []string{"alice", "nobody"} {
		c := program(t, app)
		id := push(c, user+"@sandbox").text("requestID")
		clock.advance(4 * time.Minute)
		if status := c.send("GET", "/sessions/"+id, nil).want(http.StatusOK).text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
	}
}

func TestAPushToNobodyWaitsAndTimesOut(t *testing.T) {
	app := boot(t, "REMOTE_TRANSACTION_TIMEOUT=1s")
	for _, user := range []string{"nobody", "dave", "alice"} {
		c := program(t, app)
		id := push(c, user+"@sandbox").text("requestID")
		if status := c.send("GET", "/sessions/"+id, nil).want(http.StatusOK).text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
		eventually(t, user+" times out", func() bool {
			return c.send("GET", "/sessions/"+id, nil).want(http.StatusOK).text("sessionStatus") == "timeout"
		})
	}
}

// A name that was typed is of no use any more once its owner is in, by whatever
// way, or out again.
func TestATypedNameIsDropped(t *testing.T) {
	app := boot(t)
	for name, then := range map[string]func(*client){
		"signing in by a call": func(c *client) { c.password("alice@sandbox") },
		"signing out":          func(c *client) { c.send("DELETE", "/session", nil).want(http.StatusNoContent) },
	} {
		c := browser(t, app)
		c.post("/login", "step", "user", "user", "alice@sandbox").want(http.StatusSeeOther)
		if second := c.page("/login?step=password"); !has(second.body, "alice@sandbox") {
			t.Fatalf("the second step is %s", second.body)
		}
		then(c)
		if left := cookieOf(c); strings.Contains(left, "alice") {
			t.Errorf("%s leaves %s", name, left)
		}
	}
}

// As long as signing out fails, at whichever command, the browser keeps all that
// it has.
func TestASignOutThatFailsTakesNothing(t *testing.T) {
	line := newRedisLine(t, miniredis.RunT(t).Addr())
	c := browser(t, boot(t, "REDIS_URL="+line.url())).signedIn("alice@sandbox")
	c.post("/login", "step", "user", "user", "alice@sandbox").want(http.StatusSeeOther)
	for passed := range 10 {
		line.breakAfter(passed, breakage{})
		r := c.send("DELETE", "/session", nil)
		line.mend()
		if r.status == http.StatusNoContent {
			if passed == 0 || !strings.Contains(fmt.Sprint(r.header["Set-Cookie"]), "countersign-typed=;") {
				t.Errorf("after %d commands: %v", passed, r.header)
			}
			return
		}
		r.unavailable(fmt.Sprintf("after %d commands", passed), "session.unavailable", false)
		c.whenBack().want(http.StatusOK)
	}
	t.Error("signing out asks Redis without end")
}

func TestSigningInRotatesTheToken(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	c.password("alice@sandbox")
	before := c.send("GET", "/account/sessions", nil).want(http.StatusOK)
	old := *c
	c.password("alice@sandbox")
	old.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")
	after := c.send("GET", "/account/sessions", nil).want(http.StatusOK)
	if a, b := oneSession(t, before), oneSession(t, after); a["id"] != b["id"] || a["createdAt"] != b["createdAt"] {
		t.Errorf("signing in again made another session: %v, %v", a, b)
	}
	aliceToo := *c
	c.password("bob@sandbox")
	aliceToo.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")
}

func oneSession(t *testing.T, r reply) map[string]any {
	t.Helper()
	list, _ := r.member("sessions").([]any)
	if len(list) != 1 {
		t.Fatalf("sessions %v", list)
	}
	return list[0].(map[string]any)
}

func TestSigningInCarriesACeremony(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	c.password("alice@sandbox")
	response := c.create(newPasskey(app), c.requestRegistration().want(http.StatusOK))
	c.password("alice@sandbox")
	c.finishRegistration(response).want(http.StatusOK)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	app := boot(t)
	one, two, three := browser(t, app), browser(t, app), program(t, app)
	for _, c := range []*client{one, two, three} {
		c.password("alice@sandbox")
	}
	var body struct {
		Sessions []struct {
			ID        string
			Current   bool
			UserAgent string
			Address   string
			Methods   []string
		}
	}
	if err := json.Unmarshal(one.send("GET", "/account/sessions", nil).want(http.StatusOK).body, &body); err != nil {
		t.Fatal(err)
	}
	current := 0
	for _, s := range body.Sessions {
		if s.Current {
			current++
		}
		if s.ID == "" || s.UserAgent == "" || s.Address != "127.0.0.1" || !slices.Equal(s.Methods, []string{"password"}) {
			t.Errorf("listed %+v", s)
		}
	}
	if len(body.Sessions) != 3 || current != 1 {
		t.Fatalf("%d sessions, %d current", len(body.Sessions), current)
	}
	bob := browser(t, app)
	bob.password("bob@sandbox")
	bob.send("DELETE", "/account/sessions/"+body.Sessions[0].ID, nil).refused(http.StatusNotFound, "session.unknown")
	for _, s := range body.Sessions {
		if !s.Current {
			one.send("DELETE", "/account/sessions/"+s.ID, nil).want(http.StatusNoContent)
			break
		}
	}
	one.send("DELETE", "/account/sessions", nil).want(http.StatusNoContent)
	two.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")
	three.send("GET", "/session", nil).refused(http.StatusUnauthorized, "session.required")
	one.send("GET", "/session", nil).want(http.StatusOK)
}

func TestLimitsCountFailures(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN=3/m", "RATE_CEREMONY=2/m", "RATE_CEREMONY_ADDRESS=2/m")
	c := program(t, app)
	for range 5 {
		program(t, app).password("alice@sandbox")
	}
	for _, user := range []string{"alice@sandbox", "nobody@sandbox"} {
		for range 3 {
			wrongPassword(c, user).refused(http.StatusConflict, "sign-in.refused")
		}
		r := wrongPassword(c, user).refused(http.StatusTooManyRequests, "request.rate")
		if r.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	c.password("bob@sandbox")
	for range 2 {
		c.requestRegistration().want(http.StatusOK)
	}
	c.requestRegistration().refused(http.StatusTooManyRequests, "request.rate")
	for range 2 {
		program(t, app).requestSignIn("nobody@sandbox")
	}
	program(t, app).send("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`).
		refused(http.StatusTooManyRequests, "request.rate")
}

func TestStepUp(t *testing.T) {
	app := boot(t, "STEP_UP_AGE=1s")
	key := newPasskey(app)
	c := browser(t, app)
	c.password("alice@sandbox")
	request := c.requestRegistration().want(http.StatusOK)
	eventually(t, "the sign-in grows old", func() bool { return c.requestRegistration().status == http.StatusForbidden })
	r := c.requestRegistration().refused(http.StatusForbidden, "session.step-up")
	if r.text("action") != "sign-in" {
		t.Errorf("action %q", r.text("action"))
	}
	c.finishRegistration(c.create(key, request)).want(http.StatusOK)
	id := c.authenticators()[0]["id"].(string)
	c.send("DELETE", "/users/me/authenticators/"+id, nil).refused(http.StatusForbidden, "session.step-up")
	c.send("PATCH", "/users/me/authenticators/"+id, `{"name":"Blue key"}`).want(http.StatusNoContent)
	c.passkey("alice@sandbox", key)
	c.send("DELETE", "/users/me/authenticators/"+id, nil).want(http.StatusNoContent)
}

func (c *client) authenticators() []map[string]any {
	c.t.Helper()
	var body struct{ Authenticators []map[string]any }
	if err := json.Unmarshal(c.send("GET", "/users/me/authenticators", nil).want(http.StatusOK).body, &body); err != nil {
		c.t.Fatal(err)
	}
	return body.Authenticators
}

func TestTheLastAuthenticatorIsNotRemovedUnasked(t *testing.T) {
	app := boot(t)
	key := authenticator.NewFIDO2(authenticator.Options{
		Origin: app.URL(), UserVerifying: true, Discoverable: true, Attestation: authenticator.Packed,
		AAGUID: [16]byte{0xba, 0xda, 0x55, 0x66, 0xa7, 0xaa, 0x40, 0x1f, 0xbd, 0x96, 0x45, 0x61, 0x9a, 0x55, 0x12, 0x0d},
	})
	c := program(t, app)
	c.password("alice@sandbox")
	c.register(key)
	c = program(t, app)
	c.passkey("alice@sandbox", key)
	listed := c.authenticators()
	if len(listed) != 1 || listed[0]["protocol"] != "FIDO2" || listed[0]["provider"] != "1Password" || listed[0]["createdAt"] == nil || listed[0]["lastUsedAt"] == nil {
		t.Fatalf("listed %v", listed)
	}
	path := "/users/alice@sandbox/authenticators/" + listed[0]["id"].(string)
	c.send("PATCH", path, `{"name":"Blue key"}`).want(http.StatusNoContent)
	if name := c.authenticators()[0]["name"]; name != "Blue key" {
		t.Errorf("name %v", name)
	}
	for _, name := range []string{" ", "\u202e", "a\u202eb", "a\nb", strings.Repeat("x", 65)} {
		c.send("PATCH", path, map[string]any{"name": name}).refused(http.StatusBadRequest, "request.invalid")
	}
	c.send("PATCH", path, map[string]any{"name": "👩‍💻 Schlüssel"}).want(http.StatusNoContent)
	c.send("DELETE", path, nil).refused(http.StatusConflict, "authenticator.last")
	c.send("DELETE", path+"?confirm=last", nil).want(http.StatusNoContent)
	c.send("DELETE", path, nil).refused(http.StatusNotFound, "authenticator.unknown")
}
