package appclient_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/authenticator/appclient"
)

const (
	alice = "alice@sandbox"
	token = "tokentokentokentokentokentokentokentokentoken"
)

// call is a request that the server received.
type call struct {
	line, bearer, asked string
	body                map[string]any
}

// server answers each call with the next of answers: a status, a space, a body.
func server(t *testing.T, answers ...string) (*appclient.Client, *[]call, *[]appclient.Exchange) {
	t.Helper()
	var calls []call
	var exchanges []appclient.Exchange
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := call{line: r.Method + " " + r.URL.RequestURI(), bearer: r.Header.Get("Authorization"), asked: r.Header.Get("Countersign-Session")}
		data, err := io.ReadAll(r.Body)
		if err == nil && len(data) > 0 {
			err = json.Unmarshal(data, &c.body)
		}
		if err != nil || len(data) > 0 && r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %q of %s (%v)", c.line, data, r.Header.Get("Content-Type"), err)
		}
		calls = append(calls, c)
		var status int
		answer := answers[min(len(calls), len(answers))-1]
		if _, err := fmt.Sscan(answer, &status); err != nil {
			t.Errorf("%q: %v", answer, err)
		}
		w.Header().Set("X-Request-Id", "the-request")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(status)
		io.WriteString(w, answer[4:])
	}))
	t.Cleanup(s.Close)
	client, err := appclient.New(appclient.Options{URL: s.URL + "/", Trace: func(e appclient.Exchange) { exchanges = append(exchanges, e) }})
	if err != nil {
		t.Fatal(err)
	}
	if client.Origin() != s.URL || !client.Loopback() {
		t.Errorf("origin %s", client.Origin())
	}
	return client, &calls, &exchanges
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	one, _ := json.Marshal(got, json.Deterministic(true))
	other, _ := json.Marshal(want, json.Deterministic(true))
	if string(one) != string(other) {
		t.Errorf("%s: %s, want %s", what, one, other)
	}
}

type object = map[string]any

func TestClient_KeepsSessionToken(t *testing.T) {
	client, calls, exchanges := server(t,
		`200 {"authenticationRequest":"[]","sessionToken":"pre`+token+`"}`,
		`200 {"sessionStatus":"accepted","uafStatusCode":1200,"sessionToken":"`+token+`"}`,
		`200 {"user":{"id":"alice@sandbox","displayName":"Alice"},"methods":["uaf"]}`,
		`204 `,
		`401 {"key":"session.required","title":"Signed out"}`,
	)
	request, err := client.RequestAuthentication(t.Context(), alice, appclient.UAF11, "")
	if err != nil || request != "[]" {
		t.Fatal(request, err)
	}
	out, err := client.SignInWith(t.Context(), alice, appclient.UAF11, "[{}]")
	if err != nil || out != (appclient.Outcome{SessionStatus: "accepted", UAFStatusCode: 1200}) {
		t.Fatal(out, err)
	}
	me, err := client.Session(t.Context())
	if err != nil || me.User.ID != alice || !slices.Equal(me.Methods, []string{"uaf"}) {
		t.Fatal(me, err)
	}
	if err := client.SignOut(t.Context()); err != nil || client.SignedIn() {
		t.Fatal(client.SignedIn(), err)
	}
	if _, err := client.Session(t.Context()); err == nil {
		t.Error("signed out, and still there")
	}
	var sent []string
	for _, c := range *calls {
		sent = append(sent, strings.TrimSpace(c.asked+" "+c.bearer))
	}
	same(t, "who asked", sent, []string{"bearer", "Bearer pre" + token, "Bearer " + token, "Bearer " + token, "bearer"})
	for _, e := range *exchanges {
		if strings.Contains(string(e.Sent)+string(e.Received)+e.Path, token) {
			t.Errorf("the token was shown: %s", e.Received)
		}
		if e.RequestID != "the-request" || e.Status == 0 || e.Bearer == e.Asked {
			t.Errorf("traced %+v", e)
		}
	}
}

// Each call sends what the specification requires.
func TestClient_CallsFollowSpecification(t *testing.T) {
	const answer = `200 {"registrationRequest":"[1]","authenticationRequest":"[2]","deregistrationRequest":"[3]","sessionStatus":"accepted",` +
		`"authenticators":[{"id":"1","name":null,"protocol":"UAF11","createdAt":"2026-01-02T03:04:05Z"},{"id":"2","createdAt":null}]}`
	client, calls, exchanges := server(t, answer)
	for _, c := range []struct {
		do   func() (string, error)
		line string
		body object
		want string
	}{
		{func() (string, error) {
			out, err := client.SignIn(t.Context(), alice, "Pass-1!")
			return out.SessionStatus, err
		},
			"POST /users/alice@sandbox/login", object{"credentials": object{"passKey": "Pass-1!"}}, "accepted"},
		{func() (string, error) { return client.RequestRegistration(t.Context(), alice, appclient.UAF11, "") },
			"POST /users/alice@sandbox/generate-fido-registration-request", object{"fidoProtocol": "UAF11"}, "[1]"},
		{func() (string, error) {
			return client.RequestRegistration(t.Context(), "a/b@sandbox", appclient.FIDO2, "direct")
		},
			"POST /users/a%2Fb@sandbox/generate-fido-registration-request", object{"fidoProtocol": "FIDO2", "attestation": "direct"}, "[1]"},
		{func() (string, error) {
			_, err := client.Register(t.Context(), alice, appclient.UAF11, "[]")
			return "", err
		},
			"POST /users/alice@sandbox/register-fido-device", object{"fidoProtocol": "UAF11", "registrationResponse": "[]"}, ""},
		{func() (string, error) {
			return client.RequestAuthentication(t.Context(), alice, appclient.UAF11, "Pay")
		},
			"POST /users/alice@sandbox/generate-fido-authentication-request", object{"fidoProtocol": "UAF11", "authenticationMessage": "Pay"}, "[2]"},
		{func() (string, error) {
			out, err := client.Confirm(t.Context(), alice, appclient.UAF11, "[]")
			return out.SessionStatus, err
		},
			"POST /users/alice@sandbox/transactions/validate", object{"data": object{"fido": object{"fidoProtocol": "UAF11", "authenticationResponse": "[]"}}}, "accepted"},
		{func() (string, error) { return client.Remove(t.Context(), alice, "x/y") },
			"DELETE /users/alice@sandbox/authenticators/x%2Fy?confirm=last", nil, "[3]"},
	} {
		got, err := c.do()
		last := (*calls)[len(*calls)-1]
		if err != nil || got != c.want || last.line != c.line {
			t.Errorf("%s: %q (%v), want %s", last.line, got, err, c.line)
		}
		same(t, c.line, last.body, c.body)
	}
	list, err := client.Authenticators(t.Context(), alice)
	if err != nil || len(list) != 2 || list[0].CreatedAt.Year() != 2026 || list[1].ID != "2" {
		t.Errorf("%+v (%v)", list, err)
	}
	if first := (*exchanges)[0]; strings.Contains(string(first.Sent), "Pass-1!") || !strings.Contains(string(first.Sent), `"passKey":"…"`) {
		t.Errorf("the password was shown: %s", first.Sent)
	}
}

func TestClient_Problems(t *testing.T) {
	client, _, _ := server(t,
		`409 {"key":"ceremony.refused","title":"Not accepted","detail":"Start again.","status":409,"action":"restart","instance":"r1","uafStatusCode":1496,"fields":[{"pointer":"/x","detail":"is wrong"}]}`,
		`502 <html>busy</html>`,
		`200 <html>login</html>`,
		`302 {}`,
	)
	_, err := client.Register(t.Context(), alice, appclient.UAF11, "[]")
	refusal, ok := errors.AsType[*appclient.Problem](err)
	if !ok || refusal.Key != "ceremony.refused" || refusal.UAFStatusCode != 1496 || refusal.Action != "restart" {
		t.Fatalf("%#v", err)
	}
	if want := "Not accepted (409, ceremony.refused, UAF status 1496)\n  Start again.\n  /x: is wrong\n  request r1"; refusal.Error() != want {
		t.Errorf("%q, want %q", refusal, want)
	}
	for _, want := range []string{"an answer that is not Countersign's (502)", "cannot be read", "status 302"} {
		if _, err := client.Session(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestClient_ServerDoesNotAnswer(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	var traced []appclient.Exchange
	client, err := appclient.New(appclient.Options{URL: s.URL, Trace: func(e appclient.Exchange) { traced = append(traced, e) }})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if _, err := client.Session(t.Context()); err == nil || len(traced) != 1 || traced[0].Status != 0 {
		t.Errorf("%v, traced %+v", err, traced)
	}
}

func TestNew_Addresses(t *testing.T) {
	for address, want := range map[string]string{
		"https://CS.example": "https://cs.example", "http://localhost:8080/": "http://localhost:8080",
		"http://127.0.0.1:1": "http://127.0.0.1:1", "http://[::1]:1": "http://[::1]:1",
		"http://cs.example": "", "http://192.168.1.2:8080": "", "ftp://localhost": "", "localhost:8080": "", "": "",
		"https://cs.example/path": "", "https://cs.example?x": "", "https://user:pass@cs.example": "", "https://": "", "http://local%zz": "",
	} {
		client, err := appclient.New(appclient.Options{URL: address})
		switch {
		case (err == nil) != (want != ""):
			t.Errorf("%s: %v", address, err)
		case err == nil && client.Origin() != want:
			t.Errorf("%s: %s, want %s", address, client.Origin(), want)
		}
	}
}

func TestTrustedFacets_OwnOriginOnly(t *testing.T) {
	client, calls, _ := server(t, `200 {"trustedFacets":[]}`, `404 {}`)
	document, ours, err := client.TrustedFacets(t.Context(), client.Origin()+"/uaf/facets")
	if err != nil || !ours || string(document) != `{"trustedFacets":[]}` || (*calls)[0].line != "GET /uaf/facets" {
		t.Errorf("%s %t (%v)", document, ours, err)
	}
	for _, elsewhere := range []string{"https://evil.example/uaf/facets", client.Origin() + ".evil.example/x", ""} {
		if _, ours, err := client.TrustedFacets(t.Context(), elsewhere); ours || err != nil || len(*calls) != 1 {
			t.Errorf("%s was fetched", elsewhere)
		}
	}
	if _, _, err := client.TrustedFacets(t.Context(), client.Origin()+"/uaf/facets"); err == nil {
		t.Error("a list that is not there was found")
	}
}
