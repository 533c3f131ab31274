package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
)

// spellings are names of one person.
var spellings = []string{"alice@sandbox", "ALICE@sandbox", "Alice@SandBox", "aLICE@SANDBOX"}

// An authenticator registered under one spelling signs in under every other, and the
// requests name the person in the canonical one.
func TestUserID_SameInEverySpelling(t *testing.T) {
	p := start(t, withUAF(t))
	passkey, key := browser(), demoPhone(t)
	requestID, response := p.create("ALICE@sandbox", passkey, nil)
	same(t, "register", p.finish("alice@SANDBOX", requestID, response).status, http.StatusOK)
	same(t, "register with UAF", p.finishUAF("aLice@sandbox", p.enrol("Alice@sandbox", key)).status, http.StatusOK)
	for i, spelling := range spellings {
		next := spellings[(i+1)%len(spellings)]
		requestID, response := p.get(spelling, passkey, nil)
		same(t, "sign in", p.signIn(next, requestID, response).status, http.StatusOK)
		same(t, "sign in with UAF", p.signInUAF(next, p.sign(spelling, key, "")).status, http.StatusOK)
		same(t, "confirm", p.confirm(next, p.sign(spelling, key, "Pay 5 EUR")).status, http.StatusOK)
		same(t, "password", p.password(spelling, "Sandbox-1!").status, http.StatusOK)
		same(t, "registrations", len(p.registrations(spelling)), 2)
		person := p.call(http.MethodGet, "/users/"+spelling, nil)
		same(t, "who it is", person.string("userID")+"@"+person.string("domain"), "alice@sandbox")

		creation := decode(t, p.post("/users/"+spelling+"/generate-fido-registration-request", object{"fidoProtocol": "FIDO2"}).string("registrationRequest"))
		same(t, "user.name", creation["user"].(object)["name"], "alice@sandbox")
		username := decode(t, strings.Trim(p.uafRequest(spelling, "registration", nil), "[]"))["username"]
		same(t, "username", username, "alice@sandbox")
	}
	last := p.registrations("Alice@Sandbox")[1]["registrationID"].(string)
	same(t, "rename", p.call(http.MethodPatch, "/fido-registrations/"+last, object{"name": "x"}).status, http.StatusNoContent)
	same(t, "remove", p.call(http.MethodDelete, "/fido-registrations/"+last, nil).status, http.StatusNoContent)
	same(t, "registrations", len(p.registrations("alice@sandbox")), 1)
}
