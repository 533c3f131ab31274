package ceremony_test

import (
	"strings"
	"testing"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

// What is right already passes byte for byte, in any order and with any white space.
func TestOptions_ValidUnchanged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"{ \"rpId\" : \"example.org\",\n\"challenge\": \"\\u0041AAA\", \"more\": {\"b\":1.0} }\n",
		`{"challenge":"AAAA","allowCredentials":[{"id":"AgM","type":"public-key","transports":["usb"]}],"hints":["hybrid"]}`,
	} {
		if got, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, text); err != nil || got.Text != text {
			t.Errorf("%s: %q, %v", text, got.Text, err)
		}
	}
	text := strings.ReplaceAll(creation(challenge("x")), `,"icon":null`, "")
	if got, err := ceremony.FromRegistrationRequest(ceremony.FIDO2, " "+text); err != nil || got.Text != " "+text {
		t.Errorf("%q, %v", got.Text, err)
	}
}

func TestOptions_LenientCorrected(t *testing.T) {
	t.Parallel()
	const params, user = `"pubKeyCredParams":[{"type":"public-key","alg":-7}]`, `"user":{"id":"AQI","name":"a","displayName":"A"}`
	const rest = `"rp":{"id":"example.org","name":"E"},` + user + `,"challenge":"-_-_AA",` + params
	for name, test := range map[string]struct {
		creation   bool
		text, want string
	}{
		"wrapped":                 {true, `{"publicKey":{` + rest + `},"mediation":"optional"}`, `{` + rest + `}`},
		"wrapped in null":         {true, `{"publicKey":null,` + rest + `}`, `{` + rest + `}`},
		"standard base64, padded": {true, strings.Replace(strings.Replace(`{`+rest+`}`, "-_-_AA", "+/+/AA==", 1), `"AQI"`, `"AQI="`, 1), `{` + rest + `}`},
		"nulls": {true, strings.Replace(`{`+rest+`,"timeout":null,"excludeCredentials":null,"hints":null,"authenticatorSelection":{"userVerification":null},"attestation":null}`, `"example.org"`, `null`, 1),
			strings.Replace(`{`+rest+`,"authenticatorSelection":{}}`, `"id":"example.org",`, ``, 1)},
		"excluded": {true, `{` + rest + `,"excludeCredentials":[null,{"id":"AgM=","type":null,"transports":null},{"type":"public-key","id":"+/+/"}]}`,
			`{` + rest + `,"excludeCredentials":[{"type":"public-key","id":"AgM"},{"type":"public-key","id":"-_-_"}]}`},
		"names without values": {true, `{"challenge":"AAAA","rp":null,"user":{"id":"AQI","name":null,"displayName":null},` + params + `}`,
			`{"rp":{"name":""},"challenge":"AAAA","user":{"name":"","displayName":"","id":"AQI"},` + params + `}`},
		"no algorithms": {true, `{"challenge":"AAAA","rp":{},` + user + `}`,
			`{"pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],"challenge":"AAAA","rp":{"name":""},` + user + `}`},
		"algorithms without a type": {true, `{"pubKeyCredParams":[{"alg":-7},null,{"type":null,"alg":-257}],"rp":{"name":""},` + user + `,"challenge":"AAAA"}`,
			`{"pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257}],"rp":{"name":""},` + user + `,"challenge":"AAAA"}`},
		"an empty rp.id":    {true, `{` + strings.Replace(rest, "example.org", "", 1) + `}`, `{` + strings.Replace(rest, `"id":"example.org",`, "", 1) + `}`},
		"base64 over lines": {true, `{` + strings.Replace(rest, "AQI", `AQ\r\nI=\r\n`, 1) + `}`, `{` + rest + `}`},
		"base64 in extensions": {true, `{` + rest + `,"extensions":{"prf":{"eval":{"first":"AA==","second":null}},"largeBlob":{"write":"+/+/"},"appid":"a=="}}`,
			`{` + rest + `,"extensions":{"prf":{"eval":{"first":"AA"}},"largeBlob":{"write":"-_-_"},"appid":"a=="}}`},
		"an empty rpId": {false, `{"challenge":"AAA=","rpId":"","extensions":{"prf":{"evalByCredential":{"AgM":{"first":"AA==","second":"+A=="}}}}}`,
			`{"challenge":"AAA","extensions":{"prf":{"evalByCredential":{"AgM":{"first":"AA","second":"-A"}}}}}`},
		"a sign-in": {false, `{"publicKey":{"challenge":"AAA=","rpId":null,"timeout":null,"allowCredentials":[{"id":"+/8=","type":"public-key","transports":null}],"userVerification":null,"extensions":null}}`,
			`{"challenge":"AAA","allowCredentials":[{"id":"-_8","type":"public-key"}]}`},
		"anybody's": {false, `{"challenge":"AAAA","allowCredentials":null}`, `{"challenge":"AAAA"}`},
	} {
		read := ceremony.FromAuthenticationRequest
		if test.creation {
			read = ceremony.FromRegistrationRequest
		}
		got, err := read(ceremony.FIDO2, test.text)
		if err != nil || got.Text != test.want {
			t.Errorf("%s: %v\n got %s\nwant %s", name, err, got.Text, test.want)
		}
		again, err := read(ceremony.FIDO2, got.Text)
		if err != nil || again.Text != got.Text {
			t.Errorf("%s, once more: %s, %v", name, again.Text, err)
		}
	}
}

// What cannot be corrected is an error, but not a client's: the caller chooses its fault.
func TestOptions_CannotBeCorrected(t *testing.T) {
	t.Parallel()
	refused := func(read func(ceremony.Protocol, string) (ceremony.Request, error), text string) {
		t.Helper()
		if got, err := read(ceremony.FIDO2, text); err == nil || fault.Is(err, fault.CeremonyMalformed) {
			t.Errorf("%s: %s, %v", text, got.Text, err)
		}
	}
	const user = `"user":{"id":"AQI","name":"a","displayName":"A"}`
	for _, text := range []string{
		``, `null`, `[]`, `"x"`, `{"publicKey":[]}`, `{"publicKey":"x"}`, `{` + user + `}`, `{"challenge":"+*//",` + user + `}`,
		`{"challenge":"AAAA",` + user, `{"challenge":"AAAA",` + user + `}{}`, `{"challenge":"AAAA","user":{"id":"="}}`, `{"challenge":null,` + user + `}`, `{"challenge":"",` + user + `}`, `{"challenge":"A",` + user + `}`,
		`{"challenge":5,` + user + `}`, `{"challenge":"AAAA"}`, `{"challenge":"AAAA","user":null}`, `{"challenge":"AAAA","user":{"id":"!"}}`, `{"challenge":"AAAA","user":"a"}`,
		`{"challenge":"AAAA",` + user + `,"excludeCredentials":[{"type":"public-key"}]}`, `{"challenge":"AAAA",` + user + `,"excludeCredentials":["AQI"]}`,
		`{"challenge":"AAAA",` + user + `,"excludeCredentials":{}}`, `{"challenge":"AAAA",` + user + `,"excludeCredentials":[{"type":"public-key","id":"!"}]}`,
		`{"challenge":"AAAA",` + user + `,"hints":"hybrid"}`, `{"challenge":"AAAA",` + user + `,"timeout":"soon"}`, `{"challenge":"AAAA",` + user + `,"rp":"x"}`,
		`{"challenge":"AAAA",` + user + `,"pubKeyCredParams":{}}`, `{"challenge":"AAAA",` + user + `,"challenge":"AAAA"}`,
		`{"challenge":"AAAA",` + user + `,"pubKeyCredParams":[{"type":"public-key","alg":null}]}`, `{"challenge":"AAAA",` + user + `,"pubKeyCredParams":[-7]}`,
		`{"challenge":"AAAA","user":{"id":"` + strings.Repeat("A", 87) + `","name":"a","displayName":"A"}}`,
		`{"challenge":"AAAA",` + user + `,"extensions":{"prf":{"eval":{"first":"!"}}}}`,
	} {
		refused(ceremony.FromRegistrationRequest, text)
	}
	for _, text := range []string{
		``, `null`, `[]`, `"x"`, `{}`, `{"challenge":null}`, `{"challenge":""}`, `{"challenge":1}`, `{"challenge":"+*//"}`, `{"challenge":"A"}`,
		`{"challenge":"AQIDBA"`, `{"challenge":"AQIDBA"}{}`, `{"challenge":"AQIDBA","timeout":"60000"}`, `{"challenge":"AQIDBA","rpId":{}}`,
		`{"publicKey":{}}`, `{"publicKey":"x"}`, `{"challenge":"AQIDBA","challenge":"AQIDBA"}`, `{"challenge":"AAAA","allowCredentials":{}}`,
		`{"challenge":"AAAA","allowCredentials":[{"type":"public-key"}]}`, `{"challenge":"AAAA","allowCredentials":[{"type":"public-key","id":"!"}]}`,
		`{"challenge":"AAAA","allowCredentials":[{"type":"public-key","id":"="}]}`, `{"challenge":"AAAA","allowCredentials":[{"id":null,"type":"public-key"}]}`, `{"challenge":"AAAA","allowCredentials":[5]}`,
		`{"challenge":"AAAA","allowCredentials":[{"id":"AQI","type":"public-key","transports":"usb"}]}`, `{"challenge":"AAAA","extensions":[]}`,
	} {
		refused(ceremony.FromAuthenticationRequest, text)
	}
}
