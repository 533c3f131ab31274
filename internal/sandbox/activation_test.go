package sandbox_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

const (
	noEphemeralKey     = "Unable to generate ephemeral key during activation step 1."
	noRegistrationCode = "Unable to find registration code in Shared Cache"
	unknownError       = "An unknown error has occurred."
	unparsable         = "Failed to parse command"
)

// registerUser requests an activation password.
func (p platform) registerUser(user string, more object) answer {
	p.t.Helper()
	body := object{"objectType": "RegisterUserInputEx", "userID": user}
	maps.Copy(body, more)
	return p.post("/users/register", body)
}

// activationPassword returns a new one, or fails the test.
func (p platform) activationPassword(user string) string {
	p.t.Helper()
	a := p.registerUser(user, nil)
	if a.status != http.StatusOK || a.string("activationPassword") == "" {
		p.t.Fatalf("register: %d %s", a.status, a.text)
	}
	return a.string("activationPassword")
}

func (p platform) command(said object) answer {
	p.t.Helper()
	return p.commandAt("/orchestration-commands-v2", said)
}

func (p platform) commandAt(path string, said object) answer {
	p.t.Helper()
	text, err := json.Marshal(said)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.post(path, object{"command": hex.EncodeToString(text)})
}

// reply returns the command in an answer.
func (a answer) reply(t *testing.T) object {
	t.Helper()
	text, err := hex.DecodeString(a.string("command"))
	if a.status != http.StatusOK || err != nil {
		t.Fatalf("%d %s (%v)", a.status, a.text, err)
	}
	return decode(t, string(text))
}

func (p platform) activate(user, password string) answer {
	p.t.Helper()
	return p.command(object{"command": "activate", "userID": user, "activationPassword": password, "deviceType": "android"})
}

// activated activates a device and returns its serial number.
func (p platform) activated(user string) string {
	p.t.Helper()
	serial, _ := p.activate(user, p.activationPassword(user)).reply(p.t)["serialNumber"].(string)
	return serial
}

func TestActivation_RepliesWithSerialNumber(t *testing.T) {
	p := start(t)
	a := p.registerUser("alice@sandbox", object{"staticPassword": "Sandbox-1!"})
	if a.status != http.StatusOK || len(a.body) != 3 || !regexp.MustCompile(`^\d{10}$`).MatchString(a.string("activationPassword")) ||
		!regexp.MustCompile(`^SBX\d{7}$`).MatchString(a.string("serialNumber")) || a.string("registrationID") == "" {
		t.Fatalf("%d %s", a.status, a.text)
	}
	reply := p.activate("alice@sandbox", a.string("activationPassword")).reply(t)
	serial := a.string("serialNumber") + "-1"
	same(t, "reply", fmt.Sprint(reply), fmt.Sprint(object{"command": "activated", "userID": "alice@sandbox", "serialNumber": serial}))
	same(t, "authenticators", fmt.Sprint(p.call(http.MethodGet, "/users/alice@sandbox", nil).body["authenticators"]), "["+serial+"]")

	reply = p.command(object{"command": "registerNotification", "userID": "alice@sandbox", "serialNumber": serial, "notificationID": "n"}).reply(t)
	same(t, "command", reply["command"], "notificationRegistered")
	p.activate("alice@sandbox", a.string("activationPassword")).refused(t, http.StatusInternalServerError, noRegistrationCode) // The password is spent.

	again := p.registerUser("alice", object{"domain": "sandbox"}) // The licence stays, the password changes.
	same(t, "serialNumber", again.string("serialNumber"), a.string("serialNumber"))
	if again.string("activationPassword") == a.string("activationPassword") {
		t.Error("the same password twice")
	}
	p.manage(http.MethodPost, "reset", nil)
	same(t, "authenticators after reset", len(p.call(http.MethodGet, "/users/alice@sandbox", nil).body["authenticators"].([]any)), 0)
}

func TestRegisterUser_EachActivationType(t *testing.T) {
	p := start(t)
	for kind, device := range map[string]bool{"onlineMDL": true, "offlineMDL": true, "fido": false} {
		a := p.registerUser("alice", object{"activationType": kind})
		if a.status != http.StatusOK || (a.string("activationPassword") != "") != device || (a.string("serialNumber") != "") != device ||
			a.string("registrationID") == "" || (a.body["supportedFIDOProtocols"] == nil) != device {
			t.Errorf("%s: %d %s", kind, a.status, a.text)
		}
	}
}

func TestActivationPassword_Refused(t *testing.T) {
	p := start(t)
	right := object{"staticPassword": "Sandbox-1!"}
	for _, one := range []struct {
		user    string
		more    object
		status  int
		message string
	}{
		{"nobody@sandbox", right, 409, "User account not found"},
		{"alice@elsewhere", right, 409, "User account not found"},
		{"alice@sandbox", object{"staticPassword": "Sandbox-2!"}, 409, "Authentication failed"},
		{"dave@sandbox", right, 409, "User is disabled"},
		{"erin@sandbox", nil, 409, "User is locked"},
		{"frank@sandbox", right, 409, "Static password has expired"},
		{"frank@sandbox", object{"staticPassword": "Sandbox-2!"}, 409, "Authentication failed"},
	} {
		p.registerUser(one.user, one.more).refused(t, one.status, one.message)
	}
	p.activationPassword("frank@sandbox") // An expired password does not stop a device.
}

// The natural causes of part 7.2 of the specification, on the platform's clock.
func TestActivationPassword_Expires(t *testing.T) {
	const alice = "alice@sandbox"
	refused := func(a answer, message string) {
		t.Helper()
		a.refused(t, http.StatusInternalServerError, message)
	}
	p := start(t)
	refused(p.activate("nobody@sandbox", "1234567897"), noRegistrationCode)
	refused(p.activate(alice, "1234567897"), noRegistrationCode)

	first := p.activationPassword(alice)
	refused(p.activate(alice, other(first)), noEphemeralKey)
	p.advance("599s")
	refused(p.activate(alice, other(first)), noEphemeralKey)
	p.advance("1s")
	refused(p.activate(alice, first), noRegistrationCode) // after its expiry

	second := p.activationPassword(alice)
	refused(p.activate(alice, first), noEphemeralKey) // the first is expired, and a new one was issued
	third := p.activationPassword(alice)
	refused(p.activate(alice, second), unknownError) // the old one within its grace period
	p.advance("119s")
	refused(p.activate(alice, second), unknownError)
	p.advance("1s")
	refused(p.activate(alice, second), noEphemeralKey) // the old one after its grace period
	p.advance("479s")
	same(t, "the new one", p.activate(alice, third).status, http.StatusOK)

	// The grace period ends with the password's lifetime.
	old := p.activationPassword(alice)
	p.advance("599s")
	p.activationPassword(alice)
	refused(p.activate(alice, old), unknownError)
	p.advance("1s")
	refused(p.activate(alice, old), noEphemeralKey)
}

// other returns another activation password with a valid check digit.
func other(password string) string {
	if password == "1234567897" {
		return "0000000000"
	}
	return "1234567897"
}

func TestActivation_TooManyDevices(t *testing.T) {
	p := start(t)
	for i := range 5 {
		if serial := p.activated("alice@sandbox"); !strings.HasSuffix(serial, fmt.Sprint("-", i+1)) {
			t.Errorf("device %d is %q", i, serial)
		}
	}
	password := p.activationPassword("alice@sandbox")
	for range 3 {
		p.activate("alice@sandbox", password).refused(t, http.StatusConflict, "The authenticator limit has been reached")
	}
	for range 2 {
		p.activate("alice@sandbox", password).refused(t, http.StatusConflict, "Number of activation attempts exceeds number allowed")
	}
	p.registerUser("alice@sandbox", nil).refused(t, http.StatusConflict, "No authenticators available")
	p.activated("bob@sandbox")
}

func TestRegisterUser_RealClients(t *testing.T) {
	p := start(t)
	a := p.post("/users/register", `{"objectType":"RegisterUserInputEx","userID":"alice@sandbox","domain":"sandbox","digipassType":"DAL10",
		"activationType":"onlineMDL","clientIP":"192.0.2.1","cddc":{"browserCDDC":{"fingerprintRaw":{},"fingerprintHash":"y"}},
		"emailAddress":"a@b.example","mobilePhoneNumber":"+431234567"}`)
	same(t, "what real clients send", a.status, http.StatusOK)
	// For other methods the path names a person.
	p.call(http.MethodGet, "/users/register", nil).invalid(t, "userID@domain")
	p.call(http.MethodDelete, "/users/register", nil).refused(t, http.StatusMethodNotAllowed, "Method Not Allowed")
}

func TestActivationStatus_EachStage(t *testing.T) {
	p := start(t)
	status := func(want string) {
		t.Helper()
		same(t, "status", p.post("/registrations/check-status", object{"login": "Alice", "domain": "sandbox", "timeoutSeconds": 0}).string("activationStatus"), want)
	}
	status("unknown")
	password := p.activationPassword("alice@sandbox")
	status("pending")
	p.activate("alice@sandbox", password)
	status("activated")
	p.activationPassword("alice@sandbox")
	status("pending")
	p.advance("11m")
	status("timeout")
	same(t, "nobody's", p.post("/registrations/check-status", object{"login": "nobody"}).string("activationStatus"), "unknown")
	p.post("/registrations/check-status", object{"timeoutSeconds": -1}).invalid(t, "login", "timeoutSeconds")
}
