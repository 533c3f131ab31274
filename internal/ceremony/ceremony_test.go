package ceremony_test

import (
	"bytes"
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
				a := authenticator.NewFIDO2(authenticator.Options{
					Algorithm: algorithm, Attestation: attestation, Origin: origin, Discoverable: true, UserVerifying: true,
				})
				id := registers(t, a)
				signsIn(t, a, ceremony.SignIn, id)
				signsIn(t, a, ceremony.Transaction, id)
			})
		}
	}
}

func registers(t *testing.T, a *authenticator.FIDO2) string {
	t.Helper()
	options := creation(challenge("registration"))
	asked, err := ceremony.FromRegistrationRequest(ceremony.FIDO2, options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := a.Create(options)
	if err != nil {
		t.Fatal(err)
	}
	answered, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, text)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asked.Challenge, answered.Challenge) || answered.Protocol != ceremony.FIDO2 {
		t.Errorf("asked %x, answered %x in %s", asked.Challenge, answered.Challenge, answered.Protocol)
	}
	pending, got := pendingRegistration()
	pending.Challenge, pending.RPID = asked.Challenge, asked.RPID
	wantKey(t, "registration", party.Check(pending, got, answered), "")
	return member(t, text, "id")
}

func signsIn(t *testing.T, a *authenticator.FIDO2, kind ceremony.Kind, id string) {
	t.Helper()
	options := request(challenge(string(kind)), id)
	asked, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, options)
	if err != nil {
		t.Fatal(err)
	}
	text, err := a.Get(options)
	if err != nil {
		t.Fatal(err)
	}
	answered, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, text)
	if err != nil {
		t.Fatal(err)
	}
	pending, got := pendingSignIn()
	pending.Kind, got.Kind, pending.Challenge, pending.RPID = kind, kind, asked.Challenge, asked.RPID
	wantKey(t, string(kind), party.Check(pending, got, answered), "")
}

func TestRequest_AcceptedForms(t *testing.T) {
	t.Parallel()
	const user = `"user":{"id":"AQI"}`
	want := ceremony.Request{Protocol: ceremony.FIDO2, Challenge: []byte{1, 2, 3, 4}, RPID: "example.org", Timeout: time.Minute}
	signIn := want
	signIn.Allowed = [][]byte{{0}, {1}}
	bare := ceremony.Request{Protocol: ceremony.FIDO2, Challenge: []byte{1, 2, 3, 4}}
	emptySignIn := bare
	emptySignIn.Allowed = [][]byte{}
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
		"registration, odd timeout": {ceremony.FromRegistrationRequest, `{"challenge":"AQIDBA",` + user + `,"timeout":-1}`, bare},
		"sign-in": {ceremony.FromAuthenticationRequest,
			`{"challenge":"AQIDBA","rpId":"example.org","timeout":60000,"allowCredentials":[{"id":"AA"},{"id":"AQ"}],"extensions":{}}`, signIn},
		"sign-in, wrapped": {ceremony.FromAuthenticationRequest,
			`{"publicKey":{"challenge":"AQIDBA","rpId":"example.org","timeout":60000,"allowCredentials":[{"id":"AA"},{"id":"AQ"}]}}`, signIn},
		"sign-in, bare":  {ceremony.FromAuthenticationRequest, `{"challenge":"AQIDBA"}`, bare},
		"sign-in, null":  {ceremony.FromAuthenticationRequest, `{"challenge":"AQIDBA","allowCredentials":null}`, bare},
		"sign-in, empty": {ceremony.FromAuthenticationRequest, `{"challenge":"AQIDBA","allowCredentials":[],"rpId":null,"timeout":null}`, emptySignIn},
	} {
		got, err := c.read(ceremony.FIDO2, c.text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !bytes.Equal(got.Challenge, c.want.Challenge) || got.RPID != c.want.RPID || got.Timeout != c.want.Timeout ||
			!reflect.DeepEqual(got.Allowed, c.want.Allowed) || got.Protocol != c.want.Protocol || got.AppID != "" {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestRequest_User(t *testing.T) {
	t.Parallel()
	const options = `"challenge": "AQIDBA", "rp": {"id": "example.org"}, "user": {"id": "AQI=", "name": "a@b", "displayName": "A"}`
	for _, request := range []string{`{` + options + `}`, `{"publicKey": {` + options + `}}`} {
		got, err := ceremony.FromRegistrationRequest(ceremony.FIDO2, request)
		if want := (ceremony.PasskeyUser{Handle: []byte{1, 2}, Name: "a@b"}); err != nil || got.RPID != "example.org" || !reflect.DeepEqual(got.User, want) {
			t.Errorf("%s: %+v (%v), want %+v", request, got, err, want)
		}
	}
	for _, bad := range []string{`{`, `{"challenge": "AQIDBA", "rp": {"id": "example.org"}}`, `{"challenge": "AQIDBA", "user": {"id": "!"}}`, `{"challenge": "AQIDBA", "user": {"id": "="}}`} {
		if got, err := ceremony.FromRegistrationRequest(ceremony.FIDO2, bad); err == nil {
			t.Errorf("%s: %+v", bad, got)
		}
	}
}

func TestRequest_Allowed(t *testing.T) {
	t.Parallel()
	for list, want := range map[string][][]byte{
		`, "allowCredentials": [{"type": "public-key", "id": "AAE"}, {"type": "public-key", "id": "AgM="}]`: {{0, 1}, {2, 3}},
		`, "allowCredentials": []`:                               {},
		`, "allowCredentials": [{"type": "other", "id": "AAE"}]`: {},
		`, "allowCredentials": null`:                             nil,
		``:                                                       nil,
	} {
		options := `"challenge": "AQIDBA", "rpId": "example.org"` + list
		for _, request := range []string{`{` + options + `}`, `{"publicKey": {` + options + `}}`} {
			got, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, request)
			if err != nil || got.RPID != "example.org" || !reflect.DeepEqual(got.Allowed, want) {
				t.Errorf("%s: %q, %v (%v), want %v", request, got.RPID, got.Allowed, err, want)
			}
		}
	}
	for _, list := range []string{`[{"type": "public-key"}]`, `[{"type": "public-key", "id": "!"}]`, `[{"type": "public-key", "id": "="}]`, `{}`} {
		if got, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, `{"challenge": "AQIDBA", "allowCredentials": `+list+`}`); err == nil {
			t.Errorf("%s: %v", list, got.Allowed)
		}
	}
}

func TestTimeout_OneDayAtMost(t *testing.T) {
	t.Parallel()
	got, err := ceremony.FromRegistrationRequest(ceremony.FIDO2, `{"challenge":"AQIDBA","user":{"id":"AQI"},"timeout":1e300}`)
	if err != nil || got.Timeout != 24*time.Hour {
		t.Errorf("%v, %v", got.Timeout, err)
	}
}

// An invalid request of the platform is a plain error; the caller chooses its fault.
func TestRequest_InvalidIsPlainError(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "null": "null", "an array": "[]", "text": `"x"`, "no challenge": "{}", "a null challenge": `{"challenge":null}`,
		"an empty challenge": `{"challenge":""}`, "a number": `{"challenge":1}`, "two alphabets broken": `{"challenge":"+*//"}`,
		"half a byte": `{"challenge":"A"}`, "cut": `{"challenge":"AQIDBA"`, "more": `{"challenge":"AQIDBA"}{}`,
		"timeout of text": `{"challenge":"AQIDBA","timeout":"60000"}`, "rp of text": `{"challenge":"AQIDBA","rp":"x","rpId":{}}`,
		"a wrapped nothing": `{"publicKey":{}}`, "a wrapped text": `{"publicKey":"x"}`,
		"two challenges": `{"challenge":"AQIDBA","challenge":"AQIDBA"}`,
	} {
		for what, read := range map[string]func(ceremony.Protocol, string) (ceremony.Request, error){
			"registration": ceremony.FromRegistrationRequest, "authentication": ceremony.FromAuthenticationRequest,
		} {
			got, err := read(ceremony.FIDO2, text)
			if err == nil {
				t.Errorf("%s of %s: %+v", what, name, got)
				continue
			}
			if fault.From(err).Key != fault.ServerInternal {
				t.Errorf("%s of %s: %v is a row already", what, name, err)
			}
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
