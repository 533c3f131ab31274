package main

import (
	"net/http"
	"slices"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	catalogue "countersign/internal/fault"
)

// devices are what alice has registered.
type devices struct {
	passkey *authenticator.FIDO2
	phone   *softuaf.Authenticator
}

func ownDevices(t testing.TB, app *App) devices {
	t.Helper()
	own := devices{passkey: newPasskey(app), phone: phoneOf(t, app, "alice@sandbox")}
	program(t, app).signedIn("alice@sandbox").register(own.passkey)
	return own
}

// flow is a call that may meet them.
type flow struct {
	operation string
	stranger  bool
	// hidden is what a stranger hears of a refusal, whole what of everything.
	hidden, whole string
	send          func(*client, devices) reply
}

var flows = map[string]flow{
	"sign in": {operation: "login", stranger: true, whole: "sign-in.refused", send: func(c *client, _ devices) reply {
		return c.send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`)
	}},
	"sign in again": {operation: "login", whole: "sign-in.refused", send: func(c *client, _ devices) reply {
		return c.send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`)
	}},
	"ask for a confirmation": {operation: "generateFidoAuthenticationRequest", send: func(c *client, _ devices) reply {
		return c.send("POST", "/users/me/generate-fido-authentication-request", `{"fidoProtocol":"UAF11","authenticationMessage":"Pay"}`)
	}},
	"register an authenticator": {operation: "generateFidoRegistrationRequest", send: func(c *client, _ devices) reply {
		return c.requestRegistration()
	}},
	"ask for an activation password": {operation: "registerUser", send: func(c *client, _ devices) reply {
		return c.send("POST", "/users/register", `{"userID":"alice@sandbox"}`)
	}},
	"ask for one signed out": {operation: "registerUser", stranger: true, hidden: "sign-in.refused", send: func(c *client, _ devices) reply {
		return c.send("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`)
	}},
	"activate": {operation: "orchestrationCommands", send: func(c *client, _ devices) reply {
		return c.send("POST", "/orchestration-commands", `{"command":"00"}`)
	}},
	"activate signed out": {operation: "orchestrationCommands", stranger: true, hidden: "activation.refused", send: func(c *client, _ devices) reply {
		return c.send("POST", "/orchestration-commands", `{"command":"00"}`)
	}},
	"confirm": {operation: "validateTransaction", send: func(c *client, _ devices) reply {
		return c.send("POST", "/users/me/transactions/validate", `{"data":{"transactionMessage":{}}}`)
	}},
	"sign in with a passkey": {operation: "login", stranger: true, whole: "sign-in.refused", send: func(c *client, own devices) reply {
		return c.finishSignIn("alice@sandbox", c.get(own.passkey, c.requestSignIn("alice@sandbox")))
	}},
	"sign in with UAF": {operation: "login", stranger: true, whole: "sign-in.refused", send: func(c *client, own devices) reply {
		return c.finishSignIn("alice@sandbox", c.sign("alice@sandbox", own.phone, ""))
	}},
	"finish a registration": {operation: "registerFidoDevice", send: func(c *client, _ devices) reply {
		return c.finishRegistration(c.create(newPasskey(c.app), c.requestRegistration().want(http.StatusOK)))
	}},
	"finish a registration of UAF": {operation: "registerFidoDevice", send: func(c *client, _ devices) reply {
		return c.finishUAF(c.enrol(phone(c.t, c.app)))
	}},
	"ask for an authentication": {operation: "generateFidoAuthenticationRequest", send: func(c *client, _ devices) reply {
		return c.send("POST", "/users/me/generate-fido-authentication-request", askPasskey)
	}},
	"confirm with UAF": {operation: "validateTransaction", send: func(c *client, own devices) reply {
		return c.confirm("me", c.sign("me", own.phone, "Pay"))
	}},
	"wait for a confirmation": {operation: "sessionStatus", send: func(c *client, _ devices) reply {
		id := c.send("POST", "/users/me/transactions/validate", pushedTransaction).want(http.StatusAccepted).text("requestID")
		return c.send("GET", "/sessions/"+id, nil)
	}},
	"see the authenticators": {operation: "listFidoRegistrations", send: func(c *client, _ devices) reply {
		return c.send("GET", "/users/me/authenticators", nil)
	}},
	"rename one": {operation: "renameFidoRegistration", send: func(c *client, _ devices) reply {
		return c.send("PATCH", "/users/me/authenticators/one", `{"name":"phone"}`)
	}},
	"remove one": {operation: "deleteFidoRegistration", send: func(c *client, _ devices) reply {
		return c.send("DELETE", "/users/me/authenticators/one?confirm=last", nil)
	}},
}

// authenticates are the operations in which a person has no authenticator, rather
// than there being none left to activate.
var authenticates = []string{
	"generateFidoAuthenticationRequest", "generateFidoRegistrationRequest", "registerFidoDevice", "validateTransaction", "sessionStatus",
}

// expected is the error of message in flow f, as release says it.
func (f flow) expected(message, release string) string {
	key := said[message]
	switch {
	case release == "22.R3" && inNumbers[message] != "":
		key = inNumbers[message]
	case message == "No authenticators available" && slices.Contains(authenticates, f.operation):
		key = "authentication.no-authenticator"
	}
	switch {
	case f.whole != "" && !f.stranger && slices.Contains(platformFails, key):
		return key
	case f.whole != "":
		return f.whole
	case f.hidden == "activation.refused" && catalogue.Lookup(catalogue.Key(key)).Status == http.StatusConflict,
		f.hidden == "sign-in.refused" && !slices.Contains(platformFails, key):
		return f.hidden
	}
	return key
}
