package signin_test

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
	"countersign/internal/e2e/e2etest"
)

// Whatever is wrong with an account, a refused sign-in looks the same.
func TestRefusalsLookAlike(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Program(t, app)
	seen := map[string][]string{}
	look := func(what string, r e2etest.Reply) {
		r.Refused(http.StatusConflict, "sign-in.refused")
		body := strings.ReplaceAll(string(r.Body), r.Text("instance"), "")
		headers := slices.Sorted(maps.Keys(r.Header))
		seen[fmt.Sprint(body, headers)] = append(seen[fmt.Sprint(body, headers)], what)
	}
	look("wrong password", e2etest.WrongPassword(c, "alice@sandbox"))
	for _, user := range []string{"dave", "erin", "nobody"} {
		look(user, e2etest.WrongPassword(c, user+"@sandbox"))
	}
	for _, user := range []string{"dave", "erin", "frank"} {
		look(user+", right password", c.Send("POST", "/users/"+user+"@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`))
	}
	look("one-time password", c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"authenticator":{"OTP":"123456"}}}`))
	if len(seen) != 1 {
		t.Errorf("refusals differ: %v", seen)
	}
}

// An account that cannot sign in with a passkey answers as one that can, each
// time with the same credential, and finishing ends as a wrong password does.
func TestDecoysLookReal(t *testing.T) {
	app := e2etest.Boot(t)
	key := e2etest.NewPasskey(app)
	alice := e2etest.Program(t, app)
	alice.Password("alice@sandbox")
	alice.Register(key)
	shape := func(user string) (string, map[string]any) {
		r := e2etest.Program(t, app).RequestSignIn(user)
		var options map[string]any
		if err := json.Unmarshal([]byte(r.Text("authenticationRequest")), &options); err != nil {
			t.Fatal(err)
		}
		credential := options["allowCredentials"].([]any)[0].(map[string]any)
		return fmt.Sprint(slices.Sorted(maps.Keys(options)), slices.Sorted(maps.Keys(credential)), options["timeout"], options["userVerification"],
			options["rpId"], len(options["challenge"].(string)), len(r.Text("requestID")), slices.Sorted(maps.Keys(r.Header))), credential
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
	c := e2etest.Program(t, app)
	options := c.RequestSignIn("nobody@sandbox").Text("authenticationRequest")
	stranger := authenticator.NewFIDO2(authenticator.Options{Origin: app.URL(), UserVerifying: true, Discoverable: true})
	if _, err := stranger.Create(e2etest.Program(t, app).SignedIn("bob@sandbox").RequestRegistration().Text("registrationRequest")); err != nil {
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
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	c.FinishSignIn("nobody@sandbox", response).Refused(http.StatusConflict, "sign-in.refused")
	if got := e2etest.Journal(t, app); !slices.Equal(got, []string{"login"}) {
		t.Errorf("the platform was asked for %v", got)
	}
}

func TestAPushSignsInOnce(t *testing.T) {
	app := e2etest.Boot(t)
	for name, newClient := range map[string]func(testing.TB, *e2etest.App) *e2etest.Client{"browser": e2etest.Browser, "program": e2etest.Program} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, app)
			id := e2etest.Push(c, "alice@sandbox").Text("requestID")
			if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
				t.Fatalf("status %q", status)
			}
			newClient(t, app).Send("GET", "/sessions/"+id, nil).Refused(http.StatusNotFound, "sign-in.unknown")
			c.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
			e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})

			var wait sync.WaitGroup
			answers := make([]e2etest.Reply, 8)
			for i := range answers {
				wait.Go(func() {
					polling := *c
					polling.HTTP = &http.Client{CheckRedirect: e2etest.Stay}
					if c.HTTP.Jar != nil {
						polling.Header = c.Header.Clone()
						polling.Header.Set("Cookie", e2etest.CookieOf(c))
					}
					answers[i] = polling.Decided(id)
				})
			}
			wait.Wait()
			begun := slices.DeleteFunc(answers, func(r e2etest.Reply) bool { return r.Status == http.StatusNotFound })
			if len(begun) != 1 || begun[0].Status != http.StatusOK || begun[0].Text("sessionStatus") != "accepted" {
				t.Fatalf("%d sessions began", len(begun))
			}
		})
	}
}

// A stranger's pushes are bounded for everybody alike, whether there is somebody
// to be disturbed or not; one that is accepted does not count.
func TestPushesAreCountedAlike(t *testing.T) {
	app := e2etest.Boot(t, "RATE_PUSH=3/m")
	for range 5 {
		c := e2etest.Program(t, app)
		id := e2etest.Push(c, "carol@sandbox").Text("requestID")
		e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
		c.Decided(id).Want(http.StatusOK)
	}
	for _, user := range []string{"alice", "nobody", "dave"} {
		for range 3 {
			e2etest.Push(e2etest.Program(t, app), user+"@sandbox")
		}
		r := e2etest.Program(t, app).Elsewhere().Send("POST", "/users/"+user+"@sandbox/login", e2etest.PushedSignIn).
			Refused(http.StatusTooManyRequests, "request.rate")
		if r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
}

// What the platform says about an account stays in the log.
func TestARefusedSignInHasNoStatusOfThePlatform(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "status": 409, "body": map[string]any{"message": "User is disabled", "uafStatusCode": 1403}})
	r := e2etest.WrongPassword(e2etest.Program(t, app), "alice@sandbox").Refused(http.StatusConflict, "sign-in.refused")
	if r.Member("uafStatusCode") != nil {
		t.Errorf("it was told: %s", r.Body)
	}
}

func TestARefusedOrUnansweredPushSignsNobodyIn(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Program(t, app)
	id := e2etest.Push(c, "alice@sandbox").Text("requestID")
	e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "refuse"})
	if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "refused" {
		t.Errorf("status %q", status)
	}
	c.Send("GET", "/sessions/"+id, nil).Refused(http.StatusNotFound, "sign-in.unknown")

	c = e2etest.Program(t, app)
	id = e2etest.Push(c, "alice@sandbox").Text("requestID")
	e2etest.Manage(t, app, "POST", "/clock", map[string]any{"advance": "61s"})
	if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "timeout" {
		t.Errorf("status %q", status)
	}
}

// Whatever the platform tells of a push that reaches somebody, one that reaches
// nobody is told of alike.
func TestAPushToNobodyLooksReal(t *testing.T) {
	app := e2etest.Boot(t)
	e2etest.Manage(t, app, "POST", "/faults", map[string]any{"operation": "login", "times": 1, "status": 200, "body": map[string]any{
		"sessionStatus": "pending", "requestID": "login:421", "requestMessage": "00ffa1", "riskResponseCode": 0, "eventId": 1700000001,
	}})
	digit := regexp.MustCompile(`[a-f0-9]`)
	form := func(user string) string {
		c := e2etest.Program(t, app)
		r := c.Send("POST", "/users/"+user+"/login", `{"orchestrationDelivery":["requestMessage"]}`).Want(http.StatusAccepted)
		c.Carry(r)
		if status := c.Send("GET", "/sessions/"+r.Text("requestID"), nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
		var body map[string]any
		if err := json.Unmarshal(r.Body, &body); err != nil {
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
	app, clock := e2etest.BootWithClock(t, "CEREMONY_TTL=30s", "REMOTE_TRANSACTION_TIMEOUT=5m")
	// The sandbox's people have one minute; this platform's have more.
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "sessionStatus", "times": 0, "body": e2etest.Fault{"sessionStatus": "pending"}})
	for _, user := range []string{"alice", "nobody"} {
		c := e2etest.Program(t, app)
		id := e2etest.Push(c, user+"@sandbox").Text("requestID")
		clock.Advance(4 * time.Minute)
		if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
	}
}

func TestAPushToNobodyWaitsAndTimesOut(t *testing.T) {
	app := e2etest.Boot(t, "REMOTE_TRANSACTION_TIMEOUT=1s")
	for _, user := range []string{"nobody", "dave", "alice"} {
		c := e2etest.Program(t, app)
		id := e2etest.Push(c, user+"@sandbox").Text("requestID")
		if status := c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus"); status != "pending" {
			t.Errorf("%s: status %q", user, status)
		}
		e2etest.Eventually(t, user+" times out", func() bool {
			return c.Send("GET", "/sessions/"+id, nil).Want(http.StatusOK).Text("sessionStatus") == "timeout"
		})
	}
}

// A name that was typed is of no use any more once its owner is in, by whatever
// way, or out again.
func TestATypedNameIsDropped(t *testing.T) {
	app := e2etest.Boot(t)
	for name, then := range map[string]func(*e2etest.Client){
		"signing in by a call": func(c *e2etest.Client) { c.Password("alice@sandbox") },
		"signing out":          func(c *e2etest.Client) { c.Send("DELETE", "/session", nil).Want(http.StatusNoContent) },
	} {
		c := e2etest.Browser(t, app)
		c.Post("/login", "step", "user", "user", "alice@sandbox").Want(http.StatusSeeOther)
		if second := c.Page("/login?step=password"); !e2etest.Has(second.Body, "alice@sandbox") {
			t.Fatalf("the second step is %s", second.Body)
		}
		then(c)
		if left := e2etest.CookieOf(c); strings.Contains(left, "alice") {
			t.Errorf("%s leaves %s", name, left)
		}
	}
}

// As long as signing out fails, at whichever command, the browser keeps all that
// it has.
func TestASignOutThatFailsTakesNothing(t *testing.T) {
	line := e2etest.NewRedisLine(t, miniredis.RunT(t).Addr())
	c := e2etest.Browser(t, e2etest.Boot(t, "REDIS_URL="+line.URL())).SignedIn("alice@sandbox")
	c.Post("/login", "step", "user", "user", "alice@sandbox").Want(http.StatusSeeOther)
	for passed := range 10 {
		line.BreakAfter(passed, e2etest.Breakage{})
		r := c.Send("DELETE", "/session", nil)
		line.Mend()
		if r.Status == http.StatusNoContent {
			if passed == 0 || !strings.Contains(fmt.Sprint(r.Header["Set-Cookie"]), "countersign-typed=;") {
				t.Errorf("after %d commands: %v", passed, r.Header)
			}
			return
		}
		r.Unavailable(fmt.Sprintf("after %d commands", passed), "session.unavailable", false)
		c.WhenBack().Want(http.StatusOK)
	}
	t.Error("signing out asks Redis without end")
}

func TestSigningInRotatesTheToken(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Program(t, app)
	c.Password("alice@sandbox")
	before := c.Send("GET", "/account/sessions", nil).Want(http.StatusOK)
	old := *c
	c.Password("alice@sandbox")
	old.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	after := c.Send("GET", "/account/sessions", nil).Want(http.StatusOK)
	if a, b := oneSession(t, before), oneSession(t, after); a["id"] != b["id"] || a["createdAt"] != b["createdAt"] {
		t.Errorf("signing in again made another session: %v, %v", a, b)
	}
	aliceToo := *c
	c.Password("bob@sandbox")
	aliceToo.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
}

func oneSession(t *testing.T, r e2etest.Reply) map[string]any {
	t.Helper()
	list, _ := r.Member("sessions").([]any)
	if len(list) != 1 {
		t.Fatalf("sessions %v", list)
	}
	return list[0].(map[string]any)
}

func TestSigningInCarriesACeremony(t *testing.T) {
	app := e2etest.Boot(t)
	c := e2etest.Program(t, app)
	c.Password("alice@sandbox")
	response := c.Create(e2etest.NewPasskey(app), c.RequestRegistration().Want(http.StatusOK))
	c.Password("alice@sandbox")
	c.FinishRegistration(response).Want(http.StatusOK)
}

func TestSessionsAreListedAndEnded(t *testing.T) {
	app := e2etest.Boot(t)
	one, two, three := e2etest.Browser(t, app), e2etest.Browser(t, app), e2etest.Program(t, app)
	for _, c := range []*e2etest.Client{one, two, three} {
		c.Password("alice@sandbox")
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
	if err := json.Unmarshal(one.Send("GET", "/account/sessions", nil).Want(http.StatusOK).Body, &body); err != nil {
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
	bob := e2etest.Browser(t, app)
	bob.Password("bob@sandbox")
	bob.Send("DELETE", "/account/sessions/"+body.Sessions[0].ID, nil).Refused(http.StatusNotFound, "session.unknown")
	for _, s := range body.Sessions {
		if !s.Current {
			one.Send("DELETE", "/account/sessions/"+s.ID, nil).Want(http.StatusNoContent)
			break
		}
	}
	one.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent)
	two.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	three.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	one.Send("GET", "/session", nil).Want(http.StatusOK)
}

func TestLimitsCountFailures(t *testing.T) {
	app := e2etest.Boot(t, "RATE_SIGN_IN=3/m", "RATE_CEREMONY=2/m", "RATE_CEREMONY_ADDRESS=2/m")
	c := e2etest.Program(t, app)
	for range 5 {
		e2etest.Program(t, app).Password("alice@sandbox")
	}
	for _, user := range []string{"alice@sandbox", "nobody@sandbox"} {
		for range 3 {
			e2etest.WrongPassword(c, user).Refused(http.StatusConflict, "sign-in.refused")
		}
		r := e2etest.WrongPassword(c, user).Refused(http.StatusTooManyRequests, "request.rate")
		if r.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	c.Password("bob@sandbox")
	for range 2 {
		c.RequestRegistration().Want(http.StatusOK)
	}
	c.RequestRegistration().Refused(http.StatusTooManyRequests, "request.rate")
	for range 2 {
		e2etest.Program(t, app).RequestSignIn("nobody@sandbox")
	}
	e2etest.Program(t, app).Send("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`).
		Refused(http.StatusTooManyRequests, "request.rate")
}

func TestStepUp(t *testing.T) {
	app := e2etest.Boot(t, "STEP_UP_AGE=1s")
	key := e2etest.NewPasskey(app)
	c := e2etest.Browser(t, app)
	c.Password("alice@sandbox")
	request := c.RequestRegistration().Want(http.StatusOK)
	e2etest.Eventually(t, "the sign-in grows old", func() bool { return c.RequestRegistration().Status == http.StatusForbidden })
	r := c.RequestRegistration().Refused(http.StatusForbidden, "session.step-up")
	if r.Text("action") != "sign-in" {
		t.Errorf("action %q", r.Text("action"))
	}
	c.FinishRegistration(c.Create(key, request)).Want(http.StatusOK)
	id := c.Authenticators()[0]["id"].(string)
	c.Send("DELETE", "/users/me/authenticators/"+id, nil).Refused(http.StatusForbidden, "session.step-up")
	c.Send("PATCH", "/users/me/authenticators/"+id, `{"name":"Blue key"}`).Want(http.StatusNoContent)
	c.Passkey("alice@sandbox", key)
	c.Send("DELETE", "/users/me/authenticators/"+id, nil).Want(http.StatusNoContent)
}

func TestTheLastAuthenticatorIsNotRemovedUnasked(t *testing.T) {
	app := e2etest.Boot(t)
	key := authenticator.NewFIDO2(authenticator.Options{
		Origin: app.URL(), UserVerifying: true, Discoverable: true, Attestation: authenticator.Packed,
		AAGUID: [16]byte{0xba, 0xda, 0x55, 0x66, 0xa7, 0xaa, 0x40, 0x1f, 0xbd, 0x96, 0x45, 0x61, 0x9a, 0x55, 0x12, 0x0d},
	})
	c := e2etest.Program(t, app)
	c.Password("alice@sandbox")
	c.Register(key)
	c = e2etest.Program(t, app)
	c.Passkey("alice@sandbox", key)
	listed := c.Authenticators()
	if len(listed) != 1 || listed[0]["protocol"] != "FIDO2" || listed[0]["provider"] != "1Password" || listed[0]["createdAt"] == nil || listed[0]["lastUsedAt"] == nil {
		t.Fatalf("listed %v", listed)
	}
	path := "/users/alice@sandbox/authenticators/" + listed[0]["id"].(string)
	c.Send("PATCH", path, `{"name":"Blue key"}`).Want(http.StatusNoContent)
	if name := c.Authenticators()[0]["name"]; name != "Blue key" {
		t.Errorf("name %v", name)
	}
	for _, name := range []string{" ", "\u202e", "a\u202eb", "a\nb", strings.Repeat("x", 65)} {
		c.Send("PATCH", path, map[string]any{"name": name}).Refused(http.StatusBadRequest, "request.invalid")
	}
	c.Send("PATCH", path, map[string]any{"name": "👩‍💻 Schlüssel"}).Want(http.StatusNoContent)
	c.Send("DELETE", path, nil).Refused(http.StatusConflict, "authenticator.last")
	c.Send("DELETE", path+"?confirm=last", nil).Want(http.StatusNoContent)
	c.Send("DELETE", path, nil).Refused(http.StatusNotFound, "authenticator.unknown")
}
