package sandbox_test

import (
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
	"time"
)

const invalidRequestID = "Invalid Request ID"

func TestCommands_Invalid(t *testing.T) {
	p := start(t)
	password := p.activationPassword("alice@sandbox")
	wrongDigit := []byte(password)
	wrongDigit[9] = '0' + (wrongDigit[9]-'0'+1)%10
	for name, text := range map[string]string{
		"no JSON": "hello", "no command": `{}`, "unknown": `{"command":"dance","userID":"alice@sandbox"}`, "an array": `[]`, "nothing": "",
		"too little": `{"command":"activate","userID":"alice@sandbox"}`, "no device": `{"command":"activate","userID":"alice@sandbox","activationPassword":"` + password + `"}`,
		"no serial":           `{"command":"registerNotification","userID":"alice@sandbox","notificationID":"n"}`,
		"no decision":         `{"command":"decide","userID":"alice@sandbox","serialNumber":"s","requestID":"r","decision":"maybe"}`,
		"a member too many":   `{"command":"activate","userID":"alice@sandbox","activationPassword":"` + password + `","deviceType":"ios","pin":"1"}`,
		"a wrong check digit": `{"command":"activate","userID":"alice@sandbox","activationPassword":"` + string(wrongDigit) + `","deviceType":"ios"}`,
		"a short password":    `{"command":"activate","userID":"alice@sandbox","activationPassword":"1","deviceType":"ios"}`,
		"letters":             `{"command":"activate","userID":"alice@sandbox","activationPassword":"abcdefghij","deviceType":"ios"}`,
		"twice":               `{"command":"activate","command":"activate","userID":"alice@sandbox","activationPassword":"` + password + `","deviceType":"ios"}`,
	} {
		t.Run(name, func(t *testing.T) {
			command := hex.EncodeToString([]byte(text))
			if text == "" {
				command = "00"
			}
			p.post("/orchestration-commands-v2", object{"command": command}).refused(t, http.StatusInternalServerError, unparsable)
		})
	}
	for _, command := range []string{"xyz", "abc", " "} {
		p.post("/orchestration-commands-v2", object{"command": command}).refused(t, http.StatusInternalServerError, unparsable)
	}
	p.post("/orchestration-commands-v2", object{}).invalid(t, "command")
	p.post("/orchestration-commands-v2", object{"command": ""}).invalid(t, "command")
	p.post("/orchestration-commands-v2", object{"command": 1}).invalid(t, "command")
	p.command(object{"command": "activate", "userID": "alice@sandbox", "activationPassword": password, "deviceType": "toaster"}).
		refused(t, http.StatusConflict, "Authenticator not supported")
	same(t, "nothing of it has spent the password", p.activate("alice@sandbox", password).status, http.StatusOK)
}

func TestNotification_UnknownDevice(t *testing.T) {
	p := start(t)
	serial := p.activated("alice@sandbox")
	register := func(user, serial string) answer {
		return p.command(object{"command": "registerNotification", "userID": user, "serialNumber": serial, "notificationID": "n"})
	}
	const unfound = "Unable to find an element during register notification."
	register("alice@sandbox", serial+"0").refused(t, http.StatusInternalServerError, unfound)
	register("bob@sandbox", serial).refused(t, http.StatusInternalServerError, unfound)
	register("nobody@sandbox", serial).refused(t, http.StatusInternalServerError, unfound)
	same(t, "their own", register("alice@sandbox", serial).status, http.StatusOK)
	p.manage(http.MethodPut, "users/alice@sandbox", object{"status": "disabled"})
	register("alice@sandbox", serial).refused(t, http.StatusInternalServerError, unfound)
}

// A device can answer a push for 60 seconds.
func TestPush_DeviceDecides(t *testing.T) {
	p := start(t)
	serial := p.activated("alice@sandbox")
	decide := func(user, serial, requestID, decision string) answer {
		return p.command(object{"command": "decide", "userID": user, "serialNumber": serial, "requestID": requestID, "decision": decision})
	}
	accepted, refused, bobs := p.pushTransaction("alice@sandbox"), p.pushTransaction("alice@sandbox"), p.pushTransaction("bob@sandbox")
	same(t, "command", decide("alice@sandbox", serial, accepted, "accept").reply(t)["command"], "decided")
	decide("alice@sandbox", serial, refused, "refuse").reply(t)
	same(t, "accepted", p.status(accepted), "accepted")
	same(t, "refused", p.status(refused), "refused")

	decide("alice@sandbox", serial, accepted, "accept").refused(t, http.StatusInternalServerError, invalidRequestID)
	decide("alice@sandbox", serial, "unknown", "accept").refused(t, http.StatusInternalServerError, invalidRequestID)
	decide("alice@sandbox", serial, bobs, "accept").refused(t, http.StatusInternalServerError, invalidRequestID)
	decide("bob@sandbox", serial, bobs, "accept").refused(t, http.StatusInternalServerError, invalidRequestID)
	decide("nobody@sandbox", serial, bobs, "accept").refused(t, http.StatusInternalServerError, invalidRequestID)
	same(t, "bob's", p.status(bobs), "pending")

	late := p.pushTransaction("alice@sandbox")
	p.advance("60s")
	decide("alice@sandbox", serial, late, "accept").refused(t, http.StatusInternalServerError, invalidRequestID)
	same(t, "too late", p.status(late), "timeout")
	open := p.pushTransaction("alice@sandbox")
	p.manage(http.MethodPut, "users/alice@sandbox", object{"status": "locked"})
	decide("alice@sandbox", serial, open, "accept").refused(t, http.StatusInternalServerError, invalidRequestID)
	same(t, "asked of a locked person", p.status(open), "pending")
}

// trustedDevice checks for an error of the newer service.
func (a answer) trustedDevice(t *testing.T, status int, category string, code int, message string) {
	t.Helper()
	if a.status != status || a.string("errorCategory") != category || a.body["errorCode"] != float64(code) || a.string("message") != message {
		t.Errorf("answered %d %s, want %d %s %d %q", a.status, a.text, status, category, code, message)
		return
	}
	text, err := hex.DecodeString(a.string("command"))
	if err != nil {
		t.Fatal(err)
	}
	embedded := decode(t, string(text))
	same(t, "embedded command", embedded["command"], "error")
	same(t, "returnCode", embedded["returnCode"], float64(code))
	same(t, "readableMessage", embedded["readableMessage"], message)
	same(t, "logCorrelationId", a.string("logCorrelationId"), a.header.Get("Log-Correlation-Id"))
	if at, err := time.Parse(time.RFC3339, a.string("timestamp")); err != nil || at.IsZero() || a.string("service") == "" {
		t.Errorf("timestamp or service in %s (%v)", a.text, err)
	}
}

// Errors of other releases, natural ones and faults.
func TestOrchestration_FaultsOfOtherReleases(t *testing.T) {
	p := start(t)
	command := object{"command": "activate", "userID": "alice@sandbox", "activationPassword": "1234567897", "deviceType": "ios"}
	p.fault(object{"operation": "orchestrationCommands", "release": "22.R3"})
	a := p.command(command)
	a.refused(t, http.StatusInternalServerError, "Unknown orchestration error")
	same(t, "errorCode", a.body["errorCode"], float64(-8000))
	p.command(command).refused(t, http.StatusInternalServerError, noRegistrationCode)

	p.fault(object{"operation": "orchestrationCommands", "release": "24.R2"})
	p.command(command).trustedDevice(t, http.StatusInternalServerError, "provisioning", -1200, noRegistrationCode)
	p.fault(object{"operation": "orchestrationCommands", "error": "User is locked", "release": "24.R2"})
	p.command(command).trustedDevice(t, http.StatusConflict, "user", -1100, "User is locked")
	p.fault(object{"operation": "orchestrationCommands", "error": invalidRequestID})
	p.commandAt("/orchestration-commands-v2", command).trustedDevice(t, http.StatusInternalServerError, "transaction", -1700, invalidRequestID)
	p.fault(object{"operation": "orchestrationCommands", "release": "22.R4"})
	p.commandAt("/orchestration-commands-v2", command).refused(t, http.StatusInternalServerError, noRegistrationCode)
	p.fault(object{"operation": "orchestrationCommands", "headers": object{"X-Odd": "1"}})
	p.commandAt("/orchestration-commands-v2", command).trustedDevice(t, http.StatusInternalServerError, "provisioning", -1200, noRegistrationCode)

	p.fault(object{"operation": "registerUser", "error": "Static password has expired"})
	p.registerUser("alice", nil).refused(t, http.StatusConflict, "Static password has expired")
	p.fault(object{"operation": "registerUser", "error": invalidRequestID, "release": "22.R3"})
	a = p.registerUser("alice", nil)
	same(t, "errorCode", a.body["errorCode"], float64(-8006))
	same(t, "message", a.body["message"], "Orchestration transaction error")
	p.fault(object{"operation": "validateTransaction", "error": invalidRequestID})
	p.post("/users/alice@sandbox/transactions/validate", object{}).refused(t, http.StatusConflict, invalidRequestID)
	p.fault(object{"operation": "validateTransaction", "error": "Unable to send remote transaction."})
	p.post("/users/alice@sandbox/transactions/validate", object{}).refused(t, http.StatusInternalServerError, "Unable to send remote transaction.")
	// The release does not change a success.
	p.fault(object{"operation": "registerUser", "release": "22.R3"})
	p.activationPassword("alice@sandbox")
}

// Each command has one refusal in each release for every account, be it active, unknown,
// disabled or locked.
func TestCommands_RevealNoAccount(t *testing.T) {
	p := start(t)
	serial, pushed := p.activated("alice@sandbox"), p.pushTransaction("alice@sandbox")
	password := p.activationPassword("bob@sandbox")
	p.manage(http.MethodPut, "users/bob@sandbox", object{"status": "disabled"})
	commands := []object{
		{"command": "activate", "activationPassword": password, "deviceType": "ios"},
		{"command": "activate", "activationPassword": other(password), "deviceType": "android"},
		{"command": "registerNotification", "serialNumber": serial, "notificationID": "n"},
		{"command": "decide", "serialNumber": serial, "requestID": pushed, "decision": "accept"},
		{"command": "decide", "serialNumber": serial, "requestID": "unknown", "decision": "refuse"},
	}
	for _, release := range []string{"22.R4", "22.R3", "24.R2"} {
		for _, said := range commands {
			answers := map[string][]string{}
			for _, user := range []string{
				"carol@sandbox", "CAROL@sandbox", "nobody@sandbox", "Nobody@SANDBOX", "dave@sandbox", "DAVE@sandbox",
				"erin@sandbox", "frank@sandbox", "bob@sandbox", "BOB@sandbox", "alice", "@", "x y",
			} {
				p.fault(object{"operation": "orchestrationCommands", "release": release})
				said["userID"] = user
				a := p.command(said)
				delete(a.body, "timestamp")
				delete(a.body, "logCorrelationId")
				delete(a.body, "logCorrelationID")
				answer := fmt.Sprint(a.status, a.body, slices.Sorted(maps.Keys(a.header)))
				answers[answer] = append(answers[answer], user)
			}
			if len(answers) != 1 {
				t.Errorf("%s, %v: %v", release, said, answers)
			}
		}
	}
	same(t, "alice's push", p.status(pushed), "pending")
	p.manage(http.MethodPut, "users/bob@sandbox", object{"status": "active"})
	same(t, "bob's password is not spent", p.activate("bob@sandbox", password).status, http.StatusOK)
}

// A device may spell its person in any way.
func TestCommands_EverySpellingOfUser(t *testing.T) {
	p := start(t)
	reply := p.activate("Alice@SANDBOX", p.activationPassword("ALICE@sandbox")).reply(t)
	same(t, "userID", reply["userID"], "alice@sandbox")
	serial := reply["serialNumber"]
	reply = p.command(object{"command": "registerNotification", "userID": "aLICE@sandbox", "serialNumber": serial, "notificationID": "n"}).reply(t)
	same(t, "userID", reply["userID"], "alice@sandbox")
	pushed := p.pushTransaction("alice@SandBox")
	reply = p.command(object{"command": "decide", "userID": "ALICE@SANDBOX", "serialNumber": serial, "requestID": pushed, "decision": "accept"}).reply(t)
	same(t, "userID", reply["userID"], "alice@sandbox")
	same(t, "decided", p.status(pushed), "accepted")
}
