package ceremony_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

func TestCeremony_EveryAlgorithm(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []authenticator.Algorithm{authenticator.ES256, authenticator.RS256, authenticator.EdDSA} {
		for _, attestation := range []authenticator.Attestation{authenticator.None, authenticator.Packed, authenticator.PackedBasic} {
			t.Run(string(algorithm)+"/"+string(attestation), func(t *testing.T) {
				t.Parallel()
				p := ceremonies(t, authenticator.Options{Algorithm: algorithm, Attestation: attestation, Discoverable: true, UserVerifying: true}, authenticator.Tampering{})
				wantKey(t, "registration", judge(p.registration), "")
				wantKey(t, "sign-in", judgeSignIn(p.assertion), "")
			})
		}
	}
}

func TestRequest_AcceptedForms(t *testing.T) {
	t.Parallel()
	const user = `"user":{"id":"AQI=","name":"a@b","displayName":"A"}`
	bareSignIn := ceremony.Request{Protocol: ceremony.FIDO2, Challenge: []byte{1, 2, 3, 4}}
	bare, signIn, emptySignIn := bareSignIn, bareSignIn, bareSignIn
	bare.User = ceremony.PasskeyUser{Handle: []byte{1, 2}, Name: "a@b"}
	want, longest := bare, bare
	want.RPID, want.Timeout, longest.Timeout = "example.org", time.Minute, 24*time.Hour
	signIn.RPID, signIn.Timeout, signIn.Allowed, emptySignIn.Allowed = want.RPID, want.Timeout, [][]byte{{0}, {1, 2}}, [][]byte{}
	for name, c := range map[string]struct {
		read func(ceremony.Protocol, string) (ceremony.Request, error)
		text string
		want ceremony.Request
	}{
		"registration":         {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA",` + user + `,"rp":{"id":"example.org"},"timeout":60000}`, want},
		"registration, padded": {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA==",` + user + `,"rp":{"id":"example.org"},"timeout":60000}`, want},
		"registration, wrapped": {ceremony.FromRegistrationRequest,
			` {"publicKey":{"challenge":"AQIDBA",` + user + `,"rp":{"id":"example.org","name":"x"},"timeout":6e4},"mediation":"optional"} `, want},
		"registration, bare":        {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA",` + user + `,"rp":{"id":null}}`, bare},
		"registration, rp unnamed":  {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA",` + user + `,"rp":{}}`, bare},
		"registration, no rp":       {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA",` + user + `}`, bare},
		"registration, endless":     {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA",` + user + `,"timeout":1e300}`, longest},
		"registration, odd timeout": {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA",` + user + `,"timeout":-1}`, bare},
		"sign-in": {ceremony.FromAuthenticationRequest,
			`{"challenge":"AQIDBA","rpId":"example.org","timeout":60000,"allowCredentials":[{"id":"AA"},{"type":"public-key","id":"AQI="},{"type":"other","id":"AAE"}],"extensions":{}}`, signIn},
		"sign-in, wrapped": {ceremony.FromAuthenticationRequest,
			`{"publicKey":{"challenge":"AQIDBA","rpId":"example.org","timeout":60000,"allowCredentials":[{"id":"AA"},{"type":"public-key","id":"AQI="},{"type":"other","id":"AAE"}]}}`, signIn},
		"sign-in, bare":  {ceremony.FromAuthenticationRequest, `{"challenge":"AQIDBA"}`, bareSignIn},
		"sign-in, null":  {ceremony.FromAuthenticationRequest, `{"challenge":"AQIDBA","allowCredentials":null}`, bareSignIn},
		"sign-in, empty": {ceremony.FromAuthenticationRequest, `{"challenge":"AQIDBA","allowCredentials":[],"rpId":null,"timeout":null}`, emptySignIn},
	} {
		got, err := c.read(ceremony.FIDO2, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got.Text = ""
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestProtocol_Unknown(t *testing.T) {
	t.Parallel()
	for _, p := range []ceremony.Protocol{"", "fido2", "FIDO3", "UAF10"} {
		if _, err := ceremony.FromRegistrationRequest(p, creation(challenge("x"))); err == nil {
			t.Errorf("registration request of protocol %q was read", p)
		}
		if _, err := ceremony.FromAuthenticationRequest(p, request(challenge("x"), "AA")); err == nil {
			t.Errorf("authentication request of protocol %q was read", p)
		}
		_, err := ceremony.FromRegistrationResponse(p, "{}")
		wantKey(t, "registration response of protocol "+string(p), err, fault.CeremonyMalformed)
		_, err = ceremony.FromAuthenticationResponse(p, "{}")
		wantKey(t, "authentication response of protocol "+string(p), err, fault.CeremonyMalformed)
	}
}

func TestResponse_TooLong(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	fits := p.registration + strings.Repeat(" ", ceremony.MaxMessage-len(p.registration))
	wantKey(t, "at the limit", judge(fits), "")
	wantKey(t, "above it", judge(fits+" "), fault.CeremonyMalformed)
}
