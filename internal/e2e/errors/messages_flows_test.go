package errors_test

import (
	"cmp"
	"net/http"
	"slices"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/authenticator/softuaf"
	"countersign/internal/e2e/e2etest"
	catalogue "countersign/internal/fault"
)

// devices are alice's registered devices.
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

// flow is a call in which the messages may occur.
type flow struct {
	operation string
	outsider  bool
	// hidden is the key that conceals every refusal, whole the key that conceals every
	// error.
	hidden, whole string
	// spends says that a ceremony is spent on the way and has to be begun again.
	spends bool
	// scenarios are the call's scenarios, refusal is its row without a reason.
	scenarios []catalogue.Scenario
	refusal   string
	send      func(*e2etest.Client, devices) e2etest.Reply
}

var flows = map[string]flow{
	"sign in": {operation: "login", outsider: true, whole: "sign-in.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`)
	}},
	"sign in again": {operation: "login", whole: "sign-in.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/alice@sandbox/login", `{"credentials":{"passKey":"Sandbox-1!"}}`)
	}},
	"ask for a confirmation": {operation: "generateFidoAuthenticationRequest", scenarios: []catalogue.Scenario{catalogue.Transaction}, refusal: "transaction.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/me/generate-fido-authentication-request", `{"fidoProtocol":"UAF11","authenticationMessage":"Pay"}`)
	}},
	"register an authenticator": {operation: "generateFidoRegistrationRequest", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.RequestRegistration()
	}},
	"ask for an activation password": {operation: "registerUser", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/register", `{"userID":"alice@sandbox"}`)
	}},
	"ask for one signed out": {operation: "registerUser", outsider: true, hidden: "sign-in.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/register", `{"userID":"alice@sandbox","staticPassword":"Sandbox-1!"}`)
	}},
	"activate": {operation: "orchestrationCommands", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/orchestration-commands", `{"command":"00"}`)
	}},
	"activate signed out": {operation: "orchestrationCommands", outsider: true, hidden: "activation.refused", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/orchestration-commands", `{"command":"00"}`)
	}},
	"confirm": {operation: "validateTransaction", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction)
	}},
	"sign in with a passkey": {operation: "login", outsider: true, whole: "sign-in.refused", spends: true, send: func(c *e2etest.Client, own devices) e2etest.Reply {
		return c.FinishSignIn("alice@sandbox", c.Get(own.passkey, c.RequestSignIn("alice@sandbox")))
	}},
	"sign in with UAF": {operation: "login", outsider: true, whole: "sign-in.refused", spends: true, send: func(c *e2etest.Client, own devices) e2etest.Reply {
		return c.FinishSignIn("alice@sandbox", c.Sign("alice@sandbox", own.phone, ""))
	}},
	"finish a registration": {operation: "registerFidoDevice", spends: true, send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.FinishRegistration(c.Create(e2etest.NewPasskey(c.App), c.RequestRegistration().Want(http.StatusOK)))
	}},
	"finish a registration of UAF": {operation: "registerFidoDevice", spends: true, send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.FinishUAF(c.Enrol(e2etest.Phone(c.T, c.App)))
	}},
	"ask for an authentication": {operation: "generateFidoAuthenticationRequest", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("POST", "/users/me/generate-fido-authentication-request", e2etest.AskPasskey)
	}},
	"confirm with UAF": {operation: "validateTransaction", spends: true, send: func(c *e2etest.Client, own devices) e2etest.Reply {
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
		return c.Send("PATCH", "/users/me/authenticators/"+first(c), `{"name":"phone"}`)
	}},
	"remove one": {operation: "deleteFidoRegistration", send: func(c *e2etest.Client, _ devices) e2etest.Reply {
		return c.Send("DELETE", "/users/me/authenticators/"+first(c)+"?confirm=last", nil)
	}},
}

// first returns the id of the person's first authenticator.
func first(c *e2etest.Client) string {
	id, _ := c.Authenticators()[0]["id"].(string)
	return id
}

// scenariosOf are the operations' scenarios.
var scenariosOf = map[string][]catalogue.Scenario{
	"registerUser": {catalogue.OnlineActivation}, "orchestrationCommands": {catalogue.OnlineActivation},
	"login":               {catalogue.Login, catalogue.RemoteAuthentication},
	"sessionStatus":       {catalogue.RemoteAuthentication, catalogue.RemoteTransaction},
	"validateTransaction": {catalogue.Transaction, catalogue.RemoteTransaction},
}

// refusalOf are the operations' rows without a reason.
var refusalOf = map[string]string{
	"registerUser": "activation.refused", "orchestrationCommands": "activation.refused", "login": "sign-in.refused",
	"validateTransaction": "transaction.refused", "registerFidoDevice": "ceremony.refused",
}

func (f flow) about(scenario catalogue.Scenario) bool {
	all, listed := scenariosOf[f.operation]
	switch {
	case f.scenarios != nil:
		all = f.scenarios
	case !listed:
		all = []catalogue.Scenario{catalogue.Authentication}
	}
	return slices.Contains(all, scenario)
}

// meets reports whether the specification names a scenario of the flow for message, in
// its table or in the condition.
func (f flow) meets(message string) bool {
	polls := f.operation == "sessionStatus"
	switch key := said[message]; key {
	case "account.disabled", "account.unknown", "authentication.failed":
		return true
	case "account.locked", "orchestration.authenticator-limit":
		return !polls
	case "orchestration.authentication-unsent":
		return f.about(catalogue.RemoteAuthentication)
	case "orchestration.transaction-unsent":
		return f.about(catalogue.RemoteTransaction)
	}
	return f.about(catalogue.OnlineActivation)
}

// reason returns the error of message in flow f and the form of release: in its scenarios
// the message's row, otherwise the status's. A refusal has meaning in a few more.
func (f flow) reason(message, release string) string {
	key := said[message]
	if release == "22.R3" && inNumbers[message] != "" {
		key = inNumbers[message]
	}
	onDevice := f.about(catalogue.Login) || f.about(catalogue.Transaction) || f.about(catalogue.RemoteTransaction)
	switch {
	case f.meets(message), message == "User is locked", message == "Static password has expired" && f.operation == "login",
		message == "Invalid Request ID" && onDevice:
		return key
	case message == "No authenticators available":
		return "authentication.no-authenticator"
	case release == "24.R2" && f.about(catalogue.OnlineActivation): // the category says what the text does not
		return map[string]string{
			"orchestration.authentication-unsent": "orchestration.authentication-error", "orchestration.transaction-unsent": "orchestration.transaction-error",
		}[key]
	case slices.Contains(systemErrors, key) && message != "Invalid Request ID":
		return "platform.failed"
	}
	return cmp.Or(f.refusal, refusalOf[f.operation], "platform.refused")
}

func statusOf(key string) int { return catalogue.Lookup(catalogue.Key(key)).Status }

// expected returns the key that the client gets.
func (f flow) expected(message, release string) string {
	key := f.reason(message, release)
	failed := statusOf(key) >= http.StatusInternalServerError
	switch {
	case key == "platform.failed", f.whole != "" && !f.outsider && failed:
		return key
	case f.whole != "":
		return f.whole
	case f.hidden == "activation.refused" && statusOf(key) == http.StatusConflict,
		f.hidden == "sign-in.refused" && !failed:
		return f.hidden
	}
	return key
}
