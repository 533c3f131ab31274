package sandbox_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/sandbox"
	"countersign/internal/sandbox/sandboxtest"
)

const webOrigin = "http://localhost:8080"

// platform is a client of a running sandbox.
type platform struct {
	t   *testing.T
	url string
	// requestIDs are those of UAF requests, by the person and by the response.
	requestIDs *sync.Map
}

// bareUUID is the form of the platform's ids.
var bareUUID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func start(t *testing.T, change ...func(*sandbox.Options)) platform {
	t.Helper()
	options := working()
	for _, c := range change {
		c(&options)
	}
	return platform{t: t, url: sandboxtest.Start(t, options), requestIDs: &sync.Map{}}
}

// working returns valid options with a clock that only advance moves.
func working() sandbox.Options {
	begin := time.Now()
	return sandbox.Options{RPID: "localhost", RPOrigins: []string{webOrigin}, Now: func() time.Time { return begin }}
}

// answer is an answer of the platform.
type answer struct {
	status int
	header http.Header
	text   string
	body   map[string]any
}

func (p platform) send(r *http.Request) answer {
	p.t.Helper()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	a := answer{status: response.StatusCode, header: response.Header, text: string(text)}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(text, &a.body); err != nil {
			p.t.Fatalf("the answer %q is no JSON: %v", text, err)
		}
	}
	return a
}

func (p platform) request(method, path, body string) *http.Request {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// call sends body: a string unchanged, anything else as JSON.
func (p platform) call(method, path string, body any) answer {
	p.t.Helper()
	text, ok := body.(string)
	if !ok && body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			p.t.Fatal(err)
		}
		text = string(encoded)
	}
	return p.send(p.request(method, path, text))
}

func (p platform) post(path string, body any) answer {
	p.t.Helper()
	return p.call(http.MethodPost, path, body)
}

// manage makes a management call, which must succeed.
func (p platform) manage(method, path string, body any) answer {
	p.t.Helper()
	a := p.call(method, "/_manage/"+path, body)
	if a.status != http.StatusNoContent && a.status != http.StatusOK {
		p.t.Fatalf("%s /_manage/%s: %d %s", method, path, a.status, a.text)
	}
	return a
}

func (p platform) advance(by string) {
	p.t.Helper()
	p.manage(http.MethodPost, "clock", object{"advance": by})
}

func (a answer) string(name string) string {
	s, _ := a.body[name].(string)
	return s
}

// refused checks that the answer is the platform's error of that message.
func (a answer) refused(t *testing.T, status int, message string) {
	t.Helper()
	if a.status != status || a.string("message") != message {
		t.Errorf("answered %d %s, want %d with message %q", a.status, a.text, status, message)
		return
	}
	if a.string("errorCategory") != "" { // the shape of the newer orchestration service
		return
	}
	if a.string("error") != http.StatusText(status) || a.body["status"] != float64(status) {
		t.Errorf("the error %s does not have the platform's shape", a.text)
	}
	if a.string("service") != "identity" {
		return
	}
	if at, err := time.Parse(time.RFC3339, a.string("timestamp")); err != nil || at.IsZero() || !bareUUID.MatchString(a.string("logCorrelationID")) ||
		a.string("logCorrelationID") != a.header.Get("Log-Correlation-Id") {
		t.Errorf("the error %s does not name its exchange", a.text)
	}
}

// invalid checks that the answer is a 400 that names exactly these fields.
func (a answer) invalid(t *testing.T, fields ...string) {
	t.Helper()
	a.refused(t, http.StatusBadRequest, "Input validation failed")
	violations, _ := a.body["validationErrors"].([]any)
	var got []string
	for _, v := range violations {
		violation, _ := v.(map[string]any)
		if violation["message"] == "" || a.string("service") == "identity" && violation["object"] == "" {
			t.Errorf("a violation without a message or an object in %s", a.text)
		}
		name, _ := violation["field"].(string)
		got = append(got, name)
	}
	if strings.Join(got, " ") != strings.Join(fields, " ") {
		t.Errorf("names the fields %q, want %q", got, fields)
	}
}

type object = map[string]any

func browser(change ...func(*authenticator.Options)) *authenticator.FIDO2 {
	options := authenticator.Options{Origin: webOrigin, UserVerifying: true, Discoverable: true, Platform: true}
	for _, c := range change {
		c(&options)
	}
	return authenticator.NewFIDO2(options)
}

// create requests a registration request and lets the authenticator answer.
func (p platform) create(user string, a *authenticator.FIDO2, payload object) (requestID, response string) {
	p.t.Helper()
	request := object{"fidoProtocol": "FIDO2"}
	maps.Copy(request, payload)
	asked := p.post("/users/"+user+"/generate-fido-registration-request", request)
	if asked.status != http.StatusOK {
		p.t.Fatalf("registration request: %d %s", asked.status, asked.text)
	}
	response, err := a.Create(asked.string("registrationRequest"))
	if err != nil {
		p.t.Fatalf("create: %v", err)
	}
	return asked.string("requestID"), response
}

func (p platform) finish(user, requestID, response string) answer {
	p.t.Helper()
	return p.post("/users/"+user+"/register-fido-device",
		object{"fidoProtocol": "FIDO2", "requestID": requestID, "registrationResponse": response})
}

// register carries a whole registration through, which must succeed.
func (p platform) register(user string, a *authenticator.FIDO2, payload object) {
	p.t.Helper()
	requestID, response := p.create(user, a, payload)
	if done := p.finish(user, requestID, response); done.status != http.StatusOK {
		p.t.Fatalf("register: %d %s", done.status, done.text)
	}
}

// get requests an authentication request and lets the authenticator answer.
func (p platform) get(user string, a *authenticator.FIDO2, payload object) (requestID, response string) {
	p.t.Helper()
	request := object{"fidoProtocol": "FIDO2"}
	maps.Copy(request, payload)
	asked := p.post("/users/"+user+"/generate-fido-authentication-request", request)
	if asked.status != http.StatusOK {
		p.t.Fatalf("authentication request: %d %s", asked.status, asked.text)
	}
	response, err := a.Get(asked.string("authenticationRequest"))
	if err != nil {
		p.t.Fatalf("get: %v", err)
	}
	return asked.string("requestID"), response
}

func (p platform) signIn(user, requestID, response string) answer {
	p.t.Helper()
	return p.post("/users/"+user+"/login", object{"objectType": "LoginInput", "requestID": requestID,
		"credentials": object{"fidoAuthenticator": object{"authenticationResponse": response}}})
}

func (p platform) password(user, passKey string) answer {
	p.t.Helper()
	return p.post("/users/"+user+"/login", object{"objectType": "LoginInput", "credentials": object{"passKey": passKey}})
}

// registrations returns the person's list.
func (p platform) registrations(user string) []object {
	p.t.Helper()
	userID, domain, _ := strings.Cut(user, "@")
	a := p.call(http.MethodGet, "/fido-registrations?limit=100&userID="+userID+"&domain="+domain, nil)
	raw, ok := a.body["registrations"].([]any)
	if a.status != http.StatusOK || !ok {
		p.t.Fatalf("registrations: %d %s", a.status, a.text)
	}
	var list []object
	for _, one := range raw {
		list = append(list, one.(object))
	}
	return list
}
