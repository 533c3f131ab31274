package sandbox_test

import (
	"net/http"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// Each assertion is judged by itself; only good ones are stored.
func TestUAFSeveralAssertions(t *testing.T) {
	p := start(t, withUAF(t))
	device, other := demoPhone(t), demoPhone(t)
	request := p.uafRequest("alice@sandbox", "registration", nil)
	var responses []*uaf.Response
	for i, one := range []*softuaf.Authenticator{device, other, demoPhone(t)} {
		if i == 2 {
			one.Options.Tamper.Signature = flipLast
		}
		text, err := one.Register(request)
		if err != nil {
			t.Fatal(err)
		}
		response, err := uaf.ParseRegistrationResponse(text)
		if err != nil {
			t.Fatal(err)
		}
		responses = append(responses, response)
	}
	merged := *responses[0]
	merged.Assertions = []uaf.Assertion{responses[2].Assertions[0], responses[0].Assertions[0], responses[1].Assertions[0]}
	text, err := merged.Encode()
	if err != nil {
		t.Fatal(err)
	}
	p.finishUAF("alice@sandbox", text).uaf(t, http.StatusOK, uaf.StatusOK)
	list := p.registrations("alice@sandbox")
	if len(list) != 2 || list[0]["keyID"] != base64url(device.Keys[0].ID) || list[1]["keyID"] != base64url(other.Keys[0].ID) {
		t.Errorf("registered %v", list)
	}

	// Both can also sign in together: both counters grow.
	p.signInUAF("alice@sandbox", p.signTogether("alice@sandbox", device, other)).uaf(t, http.StatusOK, uaf.StatusOK)
	for _, one := range []*softuaf.Authenticator{device, other} {
		one.Keys[0].Counter--
		p.signInUAF("alice@sandbox", p.sign("alice@sandbox", one, "")).refusedUAF(t, uaf.StatusUnacceptableContent)
	}
	// A stale counter of one does not prevent the other's sign-in.
	device.Keys[0].Counter = 0
	p.signInUAF("alice@sandbox", p.signTogether("alice@sandbox", device, other)).uaf(t, http.StatusOK, uaf.StatusOK)
}

// signTogether returns one response with an assertion of each authenticator.
func (p platform) signTogether(user string, authenticators ...*softuaf.Authenticator) string {
	p.t.Helper()
	request := p.uafRequest(user, "authentication", nil)
	var together *uaf.Response
	for _, a := range authenticators {
		text, err := a.Authenticate(request)
		if err != nil {
			p.t.Fatal(err)
		}
		response, err := uaf.ParseAuthenticationResponse(text)
		if err != nil {
			p.t.Fatal(err)
		}
		if together == nil {
			together = response
			continue
		}
		together.Assertions = append(together.Assertions, response.Assertions...)
	}
	text, err := together.Encode()
	if err != nil {
		p.t.Fatal(err)
	}
	return text
}
