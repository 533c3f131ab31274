package sandbox_test

import (
	"encoding/hex"
	"net/http"
	"strings"
	"sync"
	"testing"

	"countersign/internal/authenticator"
)

func TestAuthenticationRequest_Members(t *testing.T) {
	p := start(t)
	p.register("alice@sandbox", browser(), nil)
	a := p.post("/users/alice@sandbox/generate-fido-authentication-request", object{"fidoProtocol": "FIDO2", "userVerification": "required"})
	options := decode(t, a.string("authenticationRequest"))
	same(t, "rpId", options["rpId"], "localhost")
	same(t, "userVerification", options["userVerification"], "required")
	same(t, "timeout", options["timeout"], float64(180000))
}

func TestSignIn_CeremonyExpires(t *testing.T) {
	p := start(t)
	device := browser()
	p.register("alice@sandbox", device, nil)
	requestID, response := p.get("alice@sandbox", device, nil)
	p.advance("180s")
	p.signIn("alice@sandbox", requestID, response).refused(t, http.StatusConflict, "Request ID is invalid")
	p.signIn("alice@sandbox", requestID, "{}").invalid(t, "credentials.fidoAuthenticator.authenticationResponse")
}

// Of two simultaneous sign-ins with one counter, one is refused as a cloned key.
func TestSignIn_ConcurrentCounter(t *testing.T) {
	p := start(t)
	device := browser().With(authenticator.Tampering{AuthData: func(d *authenticator.AuthData) {
		if d.Attested == nil {
			d.SignCount = 7
		}
	}})
	p.register("alice@sandbox", device, nil)
	const twins = 8
	var accepted int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range twins {
		requestID, response := p.get("alice@sandbox", device, nil)
		all.Go(func() {
			a := p.signIn("alice@sandbox", requestID, response)
			mu.Lock()
			defer mu.Unlock()
			if a.status == http.StatusOK {
				accepted++
			}
		})
	}
	all.Wait()
	if accepted != 1 {
		t.Errorf("%d of %d sign-ins with the same counter were accepted, want 1", accepted, twins)
	}
}

// Deregistering one passkey does not disturb a sign-in with another.
func TestSignIn_OtherPasskeyDeregistered(t *testing.T) {
	p := start(t)
	kept, lost := browser(), browser()
	p.register("alice@sandbox", lost, nil)
	p.register("alice@sandbox", kept, nil)
	lostID, lostResponse := p.get("alice@sandbox", lost, nil)
	keptID, keptResponse := p.get("alice@sandbox", kept, nil)
	first := p.registrations("alice@sandbox")[0]["registrationID"].(string)
	if a := p.call(http.MethodDelete, "/fido-registrations/"+first, nil); a.status != http.StatusNoContent {
		t.Fatalf("deregister: %d %s", a.status, a.text)
	}
	if a := p.signIn("alice@sandbox", keptID, keptResponse); a.status != http.StatusOK {
		t.Errorf("with the passkey that is left: %d %s", a.status, a.text)
	}
	p.signIn("alice@sandbox", lostID, lostResponse).refused(t, http.StatusConflict, "Authentication failed")
}

func TestPush_PendingUntilDecided(t *testing.T) {
	p := start(t)
	begin := func(user string) string {
		a := p.post("/users/"+user+"/login", object{"objectType": "LoginInput", "credentials": object{"passKey": "NoPIN"}, "orchestrationDelivery": []string{"pushNotification"}, "timeout": 0})
		if a.status != http.StatusAccepted || a.string("sessionStatus") != "pending" || a.string("requestID") == "" {
			t.Fatalf("push: %d %s", a.status, a.text)
		}
		return a.string("requestID")
	}
	status := func(requestID string) string {
		return p.call(http.MethodGet, "/sessions/"+requestID, nil).string("sessionStatus")
	}
	decide := func(requestID, decision string) answer {
		return p.post("/_manage/push/"+requestID, object{"decision": decision})
	}

	accepted, refused, forgotten, disabled := begin("alice@sandbox"), begin("alice@sandbox"), begin("bob@sandbox"), begin("carol@sandbox")
	same(t, "before", status(accepted), "pending")
	p.manage(http.MethodPost, "push/"+accepted, object{"decision": "accept"})
	p.manage(http.MethodPost, "push/"+refused, object{"decision": "refuse"})
	p.manage(http.MethodPut, "users/carol@sandbox", object{"status": "disabled"})
	p.manage(http.MethodPost, "push/"+disabled, object{"decision": "accept"})
	for range 2 {
		same(t, "accepted", status(accepted), "accepted")
		same(t, "refused", status(refused), "refused")
		same(t, "accepted by a disabled person", status(disabled), "refused")
	}
	same(t, "a second decision", decide(accepted, "refuse").status, http.StatusConflict)
	same(t, "after it", status(accepted), "accepted")

	p.advance("59s")
	same(t, "after 59 s", status(forgotten), "pending")
	p.advance("1s")
	same(t, "after 60 s", status(forgotten), "timeout")
	same(t, "a late decision", decide(forgotten, "accept").status, http.StatusConflict)
	same(t, "after it", status(forgotten), "timeout")

	p.advance("5m")
	p.call(http.MethodGet, "/sessions/"+accepted, nil).refused(t, http.StatusNotFound, "Request ID is invalid")
	p.call(http.MethodGet, "/sessions/unknown", nil).invalid(t, "requestID")
	p.manage(http.MethodPut, "account", object{"unknownStatus": true})
	same(t, "unknown by its status", status(accepted), "unknown")
	p.manage(http.MethodPost, "reset", nil)
	p.call(http.MethodGet, "/sessions/"+accepted, nil).refused(t, http.StatusNotFound, "Request ID is invalid")
	same(t, "a decision on nothing", decide("unknown", "accept").status, http.StatusNotFound)
	decide(forgotten, "maybe").invalid(t, "decision")
}

// A push is a word instead of the password, and no delivery makes one of a password; unless
// the account has a second factor.
func TestLogin_WhatPushes(t *testing.T) {
	p := start(t)
	login := func(passKey string, deliveries ...string) answer {
		body := object{"objectType": "LoginInput", "credentials": object{"passKey": passKey}}
		if deliveries != nil {
			body["orchestrationDelivery"] = deliveries
		}
		return p.post("/users/alice@sandbox/login", body)
	}
	for _, word := range []string{"NoPIN", "PIN", "Fingerprint", "Face"} {
		a := login(word)
		same(t, word, a.status, http.StatusAccepted)
		same(t, word, a.string("sessionStatus"), "pending")
	}
	for _, other := range []string{"nopin", " PIN", "PIN1", "wrong"} {
		login(other, "pushNotification").refused(t, http.StatusConflict, "Authentication failed")
	}
	same(t, "right password", login("Sandbox-1!", "pushNotification").string("sessionStatus"), "accepted")
	for _, deliveries := range [][]string{nil, {"requestMessage"}, {"pushNotification", "requestMessage"}} {
		message, err := hex.DecodeString(login("PIN", deliveries...).string("requestMessage"))
		if err != nil || !strings.Contains(string(message), `"request"`) {
			t.Errorf("%v: requestMessage %q, %v", deliveries, message, err)
		}
	}
	if message, there := login("PIN", "pushNotification").body["requestMessage"]; there {
		t.Errorf("requestMessage %v, which was not asked for", message)
	}
	p.manage(http.MethodPut, "users/alice@sandbox", object{"secondFactor": true})
	same(t, "right password of an account with a second factor", login("Sandbox-1!").string("sessionStatus"), "pending")
	login("wrong").refused(t, http.StatusConflict, "Authentication failed")
}
