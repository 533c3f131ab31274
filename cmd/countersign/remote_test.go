package main

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const pushedTransaction = `{"orchestrationDelivery":["pushNotification"],
	"data":{"transactionMessage":{"dataFields":[{"key":{"text":"Amount"},"value":{"text":"5 EUR"}}]}}}`

func TestAPushedTransactionIsConfirmedByItsPersonAlone(t *testing.T) {
	app := boot(t)
	alice, bob := program(t, app).signedIn("alice@sandbox"), program(t, app).signedIn("bob@sandbox")
	for _, decision := range []struct{ given, status string }{{"accept", "accepted"}, {"refuse", "refused"}} {
		id := alice.send("POST", "/users/me/transactions/validate", pushedTransaction).want(http.StatusAccepted).text("requestID")
		bob.send("GET", "/sessions/"+id, nil).refused(http.StatusNotFound, "sign-in.unknown")
		manage(t, app, "POST", "/push/"+id, map[string]any{"decision": decision.given})
		r := alice.send("GET", "/sessions/"+id, nil).want(http.StatusOK)
		if r.text("sessionStatus") != decision.status || r.member("sessionToken") != nil {
			t.Errorf("%s: %s", decision.given, r.body)
		}
		alice.send("GET", "/sessions/"+id, nil).refused(http.StatusNotFound, "sign-in.unknown")
	}
	id := alice.send("POST", "/users/me/transactions/validate", pushedTransaction).want(http.StatusAccepted).text("requestID")
	manage(t, app, "POST", "/clock", map[string]any{"advance": "61s"})
	if status := alice.send("GET", "/sessions/"+id, nil).want(http.StatusOK).text("sessionStatus"); status != "timeout" {
		t.Errorf("after its time: %s", status)
	}
	alice.send("POST", "/users/bob@sandbox/transactions/validate", pushedTransaction).refused(http.StatusForbidden, "session.forbidden")
	program(t, app).send("POST", "/users/alice@sandbox/transactions/validate", pushedTransaction).refused(http.StatusUnauthorized, "session.required")
}

func TestTransactionPayloads(t *testing.T) {
	app := boot(t)
	c := program(t, app).signedIn("alice@sandbox")
	for body, pointer := range map[string]string{
		`{}`:                                    "/data",
		`{"data":[]}`:                           "/data",
		`{"data":{}}`:                           "/data",
		`{"data":{"fido":{},"standard":{}}}`:    "/data/fido/fidoProtocol /data/fido/authenticationResponse",
		`{"data":{"transactionMessage":"pay"}}`: "/data/transactionMessage",
		`{"data":{"standard":{},"secureChannel":{}}}`:                                                     "/data",
		`{"data":{"fido":{"fidoProtocol":"UAF11","authenticationResponse":"[]","requestID":"x"}}}`:        "/data/fido/requestID",
		`{"data":{"transactionMessage":{}},"orchestrationDelivery":["pigeon"]}`:                           "/orchestrationDelivery",
		`{"data":{"fido":{"fidoProtocol":"FIDO2","authenticationResponse":{"id":"an object, no text"}}}}`: "/data/fido/authenticationResponse",
	} {
		r := c.send("POST", "/users/me/transactions/validate", body).refused(http.StatusBadRequest, "request.invalid")
		if got := pointers(t, r); got != pointer {
			t.Errorf("%s: pointers %q, want %q", body, got, pointer)
		}
	}
}

func TestAnActivationPasswordGoesToItsOwner(t *testing.T) {
	app := boot(t)
	c := program(t, app).signedIn("alice@sandbox")
	const mine = `{"userID":"alice","domain":"sandbox","activationType":"onlineMDL"}`
	password := c.send("POST", "/users/register", mine).want(http.StatusOK).text("activationPassword")
	if password == "" {
		t.Fatal("no activation password")
	}
	c.send("POST", "/users/register", `{"userID":"bob@sandbox"}`).refused(http.StatusForbidden, "session.forbidden")
	command := hex.EncodeToString([]byte(`{"command":"activate","userID":"alice@sandbox","activationPassword":"` + password + `","deviceType":"android"}`))
	answer := program(t, app).send("POST", "/orchestration-commands", map[string]any{"command": command}).want(http.StatusOK).text("command")
	if said, err := hex.DecodeString(answer); err != nil || !json.Valid(said) || !strings.Contains(string(said), "serialNumber") {
		t.Errorf("the platform's command is %q (%v)", said, err)
	}

	strict := program(t, boot(t, "STEP_UP_AGE=1ms")).signedIn("alice@sandbox")
	eventually(t, "the sign-in grows old", func() bool { return strict.send("POST", "/users/register", mine).status == http.StatusForbidden })
	strict.send("POST", "/users/register", mine).refused(http.StatusForbidden, "session.step-up")
}

func TestSignedOutAnActivationPasswordTakesTheStaticOne(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN=3/m")
	c := program(t, app)
	c.send("POST", "/users/register", `{"userID":"alice@sandbox"}`).refused(http.StatusUnauthorized, "session.required")
	if c.send("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`).want(http.StatusOK).text("activationPassword") == "" {
		t.Error("no activation password")
	}
	for _, user := range []string{"alice", "nobody", "dave"} {
		body := `{"userID":"` + user + `@sandbox","staticPassword":"wrong"}`
		for range 3 {
			c.send("POST", "/users/register", body).refused(http.StatusConflict, "sign-in.refused")
		}
		c.send("POST", "/users/register", body).refused(http.StatusTooManyRequests, "request.rate")
	}
}

func TestOrchestrationCommandsAreHexAndPassAsTheyAre(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	for body, pointer := range map[string]string{
		`{}`: "/command", `{"command":""}`: "/command", `{"command":"abc"}`: "/command", `{"command":"zz"}`: "/command",
		`{"command":7}`: "/command", `{"command":"00","more":1}`: "/more",
	} {
		r := c.send("POST", "/orchestration-commands", body).refused(http.StatusBadRequest, "request.invalid")
		if got := pointers(t, r); got != pointer {
			t.Errorf("%s: pointers %q", body, got)
		}
	}
	limited := boot(t, "RATE_CEREMONY_ADDRESS=2/m")
	c = program(t, limited)
	for range 2 {
		c.send("POST", "/orchestration-commands", `{"command":"00"}`)
	}
	c.send("POST", "/orchestration-commands", `{"command":"00"}`).refused(http.StatusTooManyRequests, "request.rate")
}

// What the platform says to the SDK passes untouched, however large: answers and
// the command inside of an error.
func TestThePlatformsCommandsPassAsTheyAre(t *testing.T) {
	app := boot(t)
	c := program(t, app)
	for _, size := range []int{1, 1 << 10, 30 << 10} {
		command := strings.Repeat("0aF9", size/2) + "Fe"
		said := map[string]any{"errorCategory": "system", "errorCode": -1000, "message": "refused", "command": command}
		manage(t, app, "POST", "/faults", map[string]any{"operation": "orchestrationCommands", "body": map[string]any{"command": command}})
		if r := c.send("POST", "/orchestration-commands", `{"command":"00"}`).want(http.StatusOK); r.text("command") != command {
			t.Errorf("an answer of %d bytes: %.200s", size, r.body)
		}
		manage(t, app, "POST", "/faults", map[string]any{"operation": "orchestrationCommands", "status": 409, "body": said})
		if r := c.send("POST", "/orchestration-commands", `{"command":"00"}`).want(http.StatusBadGateway); r.text("command") != command {
			t.Errorf("an error with a command of %d bytes: %.200s", size, r.body)
		}
	}
}

const (
	certificate = "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C"
	apkKeyHash  = "android:apk-key-hash:-sYXRdwJA3hvue3mKpYrOZ9zSPC7b4mbgzJmdZEDO5w"
)

func TestWhatMachinesLookUp(t *testing.T) {
	app := boot(t, "APPS_ANDROID=com.example.app="+certificate, "APPS_IOS=ABCDE12345.com.example.app",
		"RP_ORIGINS=http://localhost,https://cs.example", "CHANGE_PASSWORD_URL=https://accounts.example/password")
	c := program(t, app)
	for path, want := range map[string]string{
		"/.well-known/passkey-endpoints":          app.URL() + "/authenticators",
		"/.well-known/webauthn":                   `{"origins":["https://cs.example"]}`,
		"/.well-known/assetlinks.json":            certificate,
		"/.well-known/apple-app-site-association": `{"webcredentials":{"apps":["ABCDE12345.com.example.app"]}}`,
		"/uaf/facets":                             apkKeyHash,
	} {
		r := c.send("GET", path, nil, "Accept", "text/html").want(http.StatusOK)
		if !strings.Contains(string(r.body), want) || strings.Contains(r.header.Get("Content-Type"), "html") {
			t.Errorf("%s: %s %s", path, r.header.Get("Content-Type"), r.body)
		}
	}
	if r := c.send("GET", "/.well-known/change-password", nil).want(http.StatusFound); r.header.Get("Location") != "https://accounts.example/password" {
		t.Errorf("change-password leads to %q", r.header.Get("Location"))
	} else if len(r.body) > 0 || r.header.Get("Content-Type") != "" {
		t.Errorf("change-password says %s: %s", r.header.Get("Content-Type"), r.body)
	}
	unset := program(t, boot(t))
	for _, path := range []string{"webauthn", "assetlinks.json", "apple-app-site-association", "change-password", "no-such-thing"} {
		r := unset.send("GET", "/.well-known/"+path, nil, "Accept", "text/html").refused(http.StatusNotFound, "request.not-found")
		if strings.Contains(r.header.Get("Content-Type"), "html") {
			t.Errorf("%s is an HTML page", path)
		}
	}
}

// An app's own origin registers and signs in through the same relay.
func TestAnAndroidAppRegistersAPasskey(t *testing.T) {
	app := boot(t, "APPS_ANDROID=com.example.app="+certificate)
	key := newPasskey(app)
	c := program(t, app).signedIn("alice@sandbox")
	c.register(key.At(apkKeyHash))
	program(t, app).passkey("alice@sandbox", key.At(apkKeyHash))
	c.finishRegistration(c.create(newPasskey(app).At(apkKeyHash[:len(apkKeyHash)-1]+"A"), c.requestRegistration().want(http.StatusOK))).
		refused(http.StatusBadRequest, "ceremony.origin")
}

// Who leaves the domain out means themselves, not the one of that name in the
// platform's own domain; two domains are none.
func TestAnActivationPasswordIsForOnesOwnDomain(t *testing.T) {
	app := boot(t)
	manage(t, app, "PUT", "/users/alice@elsewhere", map[string]any{"passKey": "Sandbox-1!"})
	c := program(t, app).signedIn("alice@elsewhere")
	for _, body := range []string{`{"userID":"alice"}`, `{"userID":"alice","domain":"elsewhere"}`, `{"userID":"alice@elsewhere","domain":"elsewhere"}`} {
		password := c.send("POST", "/users/register", body).want(http.StatusOK).text("activationPassword")
		command := hex.EncodeToString([]byte(`{"command":"activate","userID":"alice@elsewhere","activationPassword":"` + password + `","deviceType":"android"}`))
		c.send("POST", "/orchestration-commands", map[string]any{"command": command}).want(http.StatusOK)
	}
	c.send("POST", "/users/register", `{"userID":"alice","domain":"sandbox"}`).refused(http.StatusForbidden, "session.forbidden")
	for _, who := range []*client{c, program(t, app)} {
		r := who.send("POST", "/users/register", `{"userID":"alice@elsewhere","domain":"sandbox","staticPassword":"Sandbox-1!"}`).refused(http.StatusBadRequest, "request.invalid")
		if got := pointers(t, r); got != "/domain" {
			t.Errorf("pointers %q", got)
		}
	}
}

// iOS names https:// and the RP ID as the origin, wherever the pages are served.
func TestAnIOSAppRegistersAPasskey(t *testing.T) {
	app := boot(t, "APPS_IOS=ABCDE12345.com.example.app", "RP_ORIGINS=http://localhost,https://localhost")
	key := newPasskey(app)
	c := program(t, app).signedIn("alice@sandbox")
	c.register(key.At("https://localhost"))
	program(t, app).passkey("alice@sandbox", key.At("https://localhost"))
	c.finishRegistration(c.create(newPasskey(app).At("https://app.localhost"), c.requestRegistration().want(http.StatusOK))).
		refused(http.StatusBadRequest, "ceremony.origin")
}

// Signed in, a static password could be guessed here as well: it counts as a
// sign-in attempt all the same, and only it does.
func TestAStaticPasswordIsNotGuessedByTheWay(t *testing.T) {
	app := boot(t, "RATE_SIGN_IN=3/m")
	c := program(t, app).signedIn("alice@sandbox")
	for _, user := range []string{`b\u0000ob`, "a b", strings.Repeat("a", 65)} {
		program(t, app).send("POST", "/users/register", `{"userID":"`+user+`","staticPassword":"x"}`).refused(http.StatusBadRequest, "request.invalid")
	}
	for range 5 {
		c.send("POST", "/users/register", `{"userID":"alice","staticPassword":"Sandbox-1!"}`).want(http.StatusOK)
	}
	for range 3 {
		c.send("POST", "/users/register", `{"userID":"alice","staticPassword":"wrong"}`).want(http.StatusConflict)
	}
	c.send("POST", "/users/register", `{"userID":"alice","staticPassword":"Sandbox-1!"}`).refused(http.StatusTooManyRequests, "request.rate")
	c.send("POST", "/users/register", `{"userID":"alice"}`).want(http.StatusOK)
}
