package errors_test

import (
	"net/http"
	"slices"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	catalogue "countersign/internal/fault"
)

// devices are what alice has registered.
type devices struct {
	passkey *authenticator.FIDO2
	phone   *softuaf.Authenticator
}

func ownDevices(t testing.TB, app *e2etest.App) devices {
	t.Helper()
	own := devices{passkey: e2etest.NewPasskey(app), phone: e2etest.PhoneOf(t, app, "alice@sandbox")}
	e2etest.Program(t, app).SignedIn("alice@sandbox").Register(own.passkey)
	return own
}

// flow is a call that may meet them.
type flow struct {
	operation string
	stranger  bool
	// hidden is what a stranger hears of a refusal, whole what of everything.
	hidden, whole string
	send          func(*e2etest.Client, devices) e2etest.Reply
}

var flows = map[string]flow{
	"sign in": {operation: "login", stranger: true, whole: "sign-in.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`)
	}},
	"sign in again": {operation: "login", whole: "sign-in.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`)
	}},
	"ask for a confirmation": {operation: "generateFidoAuthenticationRequest", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/me/generate-fido-authentication-request", `{"fidoProtocol":"UAF11","authenticationMessage":"Pay"}`)
	}},
	"register an authenticator": {operation: "generateFidoRegistrationRequest", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.RequestRegistration()
	}},
	"ask for an activation password": {operation: "registerUser", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/register", `{"userID":"alice@sandbox"}`)
	}},
	"ask for one signed out": {operation: "registerUser", stranger: true, hidden: "sign-in.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`)
	}},
	"activate": {operation: "orchestrationCommands", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/orchestration-commands", `{"command":"00"}`)
	}},
	"activate signed out": {operation: "orchestrationCommands", stranger: true, hidden: "activation.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/orchestration-commands", `{"command":"00"}`)
	}},
	"confirm": {operation: "validateTransaction", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/me/transactions/validate", `{"data":{"transactionMessage":{}}}`)
	}},
	"sign in with a passkey": {operation: "login", stranger: true, whole: "sign-in.refused", send: func(c *e2etest.Client, own devices) e2etest.Reply {
		return c.FinishSignIn("alice@sandbox", c.Get(own.passkey, c.RequestSignIn("alice@sandbox")))
	}},
	"sign in with UAF": {operation: "login", stranger: true, whole: "sign-in.refused", send: func(c *e2etest.Client, own devices) e2etest.Reply {
		return c.FinishSignIn("alice@sandbox", c.Sign("alice@sandbox", own.phone, ""))
	}},
	"finish a registration": {operation: "registerFidoDevice", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.FinishRegistration(c.Create(e2etest.NewPasskey(c.App), c.RequestRegistration().Want(http.StatusOK)))
	}},
	"finish a registration of UAF": {operation: "registerFidoDevice", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.FinishUAF(c.Enrol(e2etest.Phone(c.T, c.App)))
	}},
	"ask for an authentication": {operation: "generateFidoAuthenticationRequest", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/me/generate-fido-authentication-request", e2etest.AskPasskey)
	}},
	"confirm with UAF": {operation: "validateTransaction", send: func(c *e2etest.Client, own devices) e2etest.Reply {
		return c.Confirm("me", c.Sign("me", own.phone, "Pay"))
	}},
	"wait for a confirmation": {operation: "sessionStatus", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		id := c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
		return c.Send("GET", "/sessions/"+id, nil)
	}},
	"see the authenticators": {operation: "listFidoRegistrations", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("GET", "/users/me/authenticators", nil)
	}},
	"rename one": {operation: "renameFidoRegistration", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("PATCH", "/users/me/authenticators/one", `{"name":"phone"}`)
	}},
	"remove one": {operation: "deleteFidoRegistration", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("DELETE", "/users/me/authenticators/one?confirm=last", nil)
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
