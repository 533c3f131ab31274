package sandbox_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/identity"
	"countersign/internal/uaf"
)

const (
	appID = "https://bank.example/uaf/facets"
	facet = "https://bank.example"
	aaid  = uaf.AAID("ABCD#1234")
)

// withUAF makes the platform serve UAF and trust the models of these metadata, if any.
func withUAF(t *testing.T, metadata ...[]byte) func(*sandbox.Options) {
	t.Helper()
	return func(o *sandbox.Options) {
		o.UAFAppID, o.UAFFacets = appID, []string{facet}
		o.Metadata = slices.Concat(metadata...)
	}
}

// phone returns a software UAF authenticator of the model aaid.
func phone(t *testing.T, change ...func(*softuaf.Options)) *softuaf.Authenticator {
	t.Helper()
	options := softuaf.Options{AAID: aaid, Algorithm: uaf.AlgorithmP256Raw, Version: 2, FacetID: facet}
	for _, c := range change {
		c(&options)
	}
	authenticator, err := softuaf.New(options)
	if err != nil {
		t.Fatal(err)
	}
	return authenticator
}

// demoPhone returns an authenticator of the built-in model.
func demoPhone(t *testing.T) *softuaf.Authenticator {
	t.Helper()
	return phone(t, func(o *softuaf.Options) { o.AAID = identity.DemoAAID })
}

func statement(t *testing.T, a *softuaf.Authenticator, edit func(map[string]any)) []byte {
	t.Helper()
	document, err := a.Metadata(edit)
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// uafRequest requests a request of either kind, which must succeed.
func (p platform) uafRequest(user, kind string, payload object) string {
	p.t.Helper()
	request := object{"fidoProtocol": "UAF11"}
	maps.Copy(request, payload)
	asked := p.post("/users/"+user+"/generate-fido-"+kind+"-request", request)
	asked.uaf(p.t, http.StatusOK, uaf.StatusOK)
	if id := asked.string("requestID"); (kind == "authentication") != bareUUID.MatchString(id) {
		p.t.Errorf("the requestID of a UAF %s is %q", kind, id)
	}
	p.requestIDs.Store(user, asked.string("requestID"))
	return asked.string(kind + "Request")
}

// enrol requests a registration request and lets the authenticator answer.
func (p platform) enrol(user string, a *softuaf.Authenticator) string {
	p.t.Helper()
	response, err := a.Register(p.uafRequest(user, "registration", nil))
	if err != nil {
		p.t.Fatalf("register: %v", err)
	}
	return response
}

func (p platform) finishUAF(user, response string) answer {
	p.t.Helper()
	return p.post("/users/"+user+"/register-fido-device", object{"fidoProtocol": "UAF11", "registrationResponse": response})
}

// registerUAF carries a whole registration through, which must succeed.
func (p platform) registerUAF(user string, a *softuaf.Authenticator) {
	p.t.Helper()
	p.finishUAF(user, p.enrol(user, a)).uaf(p.t, http.StatusOK, uaf.StatusOK)
}

// sign requests an authentication request, with a transaction's text unless it is "", and
// lets the authenticator answer.
func (p platform) sign(user string, a *softuaf.Authenticator, text string) string {
	p.t.Helper()
	payload := object{}
	if text != "" {
		payload["authenticationMessage"] = text
	}
	response, err := a.Authenticate(p.uafRequest(user, "authentication", payload))
	if err != nil {
		p.t.Fatalf("authenticate: %v", err)
	}
	requestID, _ := p.requestIDs.Load(user)
	p.requestIDs.Store(response, requestID)
	return response
}

func (p platform) signInUAF(user, response string) answer {
	p.t.Helper()
	return p.post("/users/"+user+"/login", object{"objectType": "LoginInput",
		"credentials": object{"fidoAuthenticator": object{"authenticationResponse": response}}})
}

func (p platform) confirm(user, response string) answer {
	p.t.Helper()
	requestID, _ := p.requestIDs.Load(response)
	return p.confirmFor(user, response, requestID)
}

// confirmFor sends a response for the request of that id.
func (p platform) confirmFor(user, response string, requestID any) answer {
	p.t.Helper()
	return p.post("/users/"+user+"/transactions/validate", object{"objectType": "TransactionValidationInput",
		"data": object{"fido": object{"authenticationResponse": response, "requestID": requestID}}})
}

// uaf checks that the answer has that status and uafStatusCode.
func (a answer) uaf(t *testing.T, status int, code uaf.Status) {
	t.Helper()
	if a.status != status || a.body["uafStatusCode"] != float64(code) {
		t.Errorf("answered %d %s, want %d with uafStatusCode %d", a.status, a.text, status, code)
	}
}

// refusedUAF checks that the answer refuses a UAF message with that status.
func (a answer) refusedUAF(t *testing.T, code uaf.Status) {
	t.Helper()
	status, message := http.StatusConflict, "UAF 1.1: "+code.String()
	if code == uaf.StatusBadRequest {
		status, message = http.StatusBadRequest, "Input validation failed"
	}
	a.refused(t, status, message)
	a.uaf(t, status, code)
}

// tampered lets the authenticator tamper while act runs.
func tampered(a *softuaf.Authenticator, how softuaf.Tamper, act func() string) string {
	a.Options.Tamper = how
	defer func() { a.Options.Tamper = softuaf.Tamper{} }()
	return act()
}
