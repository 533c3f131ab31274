package identity

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/request"
)

// violations returns the pointers of what is wrong with a text, in their order.
func violations(text string, read func(payload.Object) error) string {
	var pointers []string
	if err := readBody(text, read); err != nil {
		for _, field := range fault.From(err).Fields {
			pointers = append(pointers, field.Pointer)
		}
	}
	return strings.Join(pointers, " ")
}

func TestCeremonyPayloads_Members(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ kind, body, pointers string }{
		{"registration request", `{}`, "/fidoProtocol"},
		{"registration request", `{"fidoProtocol":null}`, "/fidoProtocol"},
		{"registration request", `{"fidoProtocol":"fido2"}`, "/fidoProtocol"},
		{"registration request", `{"fidoProtocol":2}`, "/fidoProtocol"},
		{"registration request", `{"fidoProtocol":"FIDO2","attestation":"enterprise","surprise":1}`, "/attestation /surprise"},
		{"registration request", `{"fidoProtocol":"FIDO2","authenticatorSelection":[]}`, "/authenticatorSelection"},
		{"registration request", `{"fidoProtocol":"FIDO2","authenticatorSelection":{"userVerification":"maybe","requireResidentKey":"true","authenticatorAttachment":"usb","a/b~c":1}}`,
			"/authenticatorSelection/authenticatorAttachment /authenticatorSelection/userVerification /authenticatorSelection/requireResidentKey /authenticatorSelection/a~1b~0c"},
		{"registration request", `{"fidoProtocol":"UAF11","displayName":"x","attestation":"none","authenticatorSelection":{}}`, "/displayName /authenticatorSelection /attestation"},
		{"registration request", `{"fidoProtocol":"FIDO2","displayName":null,"attestation":null,"authenticatorSelection":null}`, ""},
		{"registration request", `{"fidoProtocol":"FIDO2","authenticatorSelection":{"authenticatorAttachment":null,"userVerification":"discouraged","requireResidentKey":false},"attestation":"indirect"}`, ""},
		{"registration", `{"fidoProtocol":"FIDO2"}`, "/registrationResponse"},
		{"registration", `{"fidoProtocol":"FIDO2","registrationResponse":{"id":"x"}}`, "/registrationResponse"},
		{"registration", `{"fidoProtocol":"FIDO2","registrationResponse":"{}","requestID":7}`, "/requestID"},
		{"registration", `{"fidoProtocol":"UAF11","registrationResponse":"[]","requestID":"x"}`, "/requestID"},
		{"authentication", `{"fidoProtocol":"FIDO2","authenticationMessage":"pay"}`, "/authenticationMessage"},
		{"authentication", `{"fidoProtocol":"UAF11","userVerification":"required"}`, "/userVerification"},
		{"authentication", `{"fidoProtocol":"UAF11","authenticationMessage":""}`, "/authenticationMessage"},
		{"authentication", `{"fidoProtocol":"UAF11","authenticationMessage":"Bezahle 5 € an Bob"}`, "/authenticationMessage"},
		{"authentication", `{"fidoProtocol":"UAF11","authenticationMessage":"` + strings.Repeat("x", 201) + `"}`, "/authenticationMessage"},
		{"sign-in", `{}`, "/credentials"},
		{"sign-in", `{"credentials":{}}`, "/credentials"},
		{"sign-in", `{"credentials":{"fidoAuthenticator":{"authenticationResponse":{"id":"x"}}}}`, "/credentials/fidoAuthenticator/authenticationResponse"},
		{"sign-in", `{"orchestrationDelivery":["pigeon"]}`, "/orchestrationDelivery"},
	} {
		if got := violations(one.body, payloads[one.kind]); got != one.pointers {
			t.Errorf("%s %s: %q, want %q", one.kind, one.body, got, one.pointers)
		}
	}
}

func TestLogin_Bounds(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("ü", n) }
	for _, one := range []struct{ members, pointers string }{
		{`"credentials":{"passKey":"` + long(255) + `"},"requestID":"authentication:1"`, ""},
		{`"credentials":{"passKey":""}`, "/credentials/passKey"},
		{`"credentials":{"passKey":"` + long(256) + `"}`, "/credentials/passKey"},
		{`"credentials":{"authenticator":{"OTP":"123456","PIN":"1234","serialNumber":"VDS0000001"}}`, ""},
		{`"credentials":{"authenticator":{"OTP":"12345"}}`, "/credentials/authenticator/OTP"},
		{`"credentials":{"authenticator":{"OTP":"` + long(17) + `","PIN":"123","serialNumber":"vds0000001"}}`,
			"/credentials/authenticator/OTP /credentials/authenticator/PIN /credentials/authenticator/serialNumber"},
		{`"credentials":{"passKey":"x"},"requestID":""`, "/requestID"},
		{`"credentials":{"passKey":"x"},"requestID":"a b"`, "/requestID"},
		{`"credentials":{"passKey":"x"},"requestID":"` + long(256) + `"`, "/requestID"},
		{`"credentials":{"passKey":"x"},"loginMessage":{"challenge":"` + long(350) + `","subject":"` + long(42) + `","title":{"text":"` + long(30) + `"}}`, ""},
		{`"credentials":{"passKey":"x"},"loginMessage":{"challenge":"` + long(351) + `","subject":"` + long(43) + `","title":{"text":"` + long(31) + `"}}`,
			"/loginMessage/challenge /loginMessage/subject /loginMessage/title/text"},
		{`"credentials":{"passKey":"x"},"loginMessage":{"challenge":"","subject":" ","title":{"text":""}}`,
			"/loginMessage/challenge /loginMessage/subject /loginMessage/title/text"},
		{`"credentials":{"passKey":"x","authenticator":{"OTP":"1"}}`, "/credentials"},
		{`"credentials":{"passKey":"x"},"cddc":{"browserCDDC":{},"mobileCDDC":{}}`, "/cddc"},
		{`"credentials":{"passKey":"x"},"cddc":{"browserCDDC":{"fingerprintRaw":"x","fingerprintHash":""}}`,
			"/cddc/browserCDDC/fingerprintHash /cddc/browserCDDC/fingerprintRaw"},
		{`"credentials":{"passKey":"x"},"relationshipRef":"` + long(150) + `","sessionID":"0aF1","applicationRef":""`, ""},
		{`"credentials":{"passKey":"x"},"relationshipRef":"","sessionID":"xy","applicationRef":"` + long(65) + `"`, "/relationshipRef /applicationRef /sessionID"},
	} {
		got := violations(`{`+one.members+`}`, func(body payload.Object) error { _, err := SignIn{Adaptive: true}.loginPayload(body); return err })
		if got != one.pointers {
			t.Errorf("%.80s: %q, want %q", one.members, got, one.pointers)
		}
	}
}

// What the platform's documents have no place for is dropped or put right.
func TestLogin_PassedToPlatform(t *testing.T) {
	t.Parallel()
	const text = `{"credentials":{"fidoAuthenticator":{"authenticationResponse":"[]","cidPublicKey":"c","tlsUnique":"t","tokenBinding":"b"}},
		"loginMessage":{"title":null,"subject":"S","more":[null]},"cddc":{"browserCDDC":{"fingerprintRaw":"{\"a\":1.0}","fingerprintHash":"h"},"more":1},
		"relationshipRef":"r","sessionID":"ab","applicationRef":"a"}`
	for _, adaptive := range []bool{true, false} {
		var in platform.LoginInput
		_ = readBody(text, func(body payload.Object) error {
			a, _ := SignIn{Adaptive: adaptive}.loginPayload(body) // the response is none
			in = a.Input
			return nil
		})
		binding := in.Credentials.FIDOAuthenticator.ChannelBinding
		if string(in.LoginMessage) != `{"subject":"S","more":[]}` || string(in.CDDC) != `{"browserCDDC":{"fingerprintRaw":{"a":1.0},"fingerprintHash":"h"}}` ||
			binding != (platform.ChannelBinding{CIDPublicKey: "c", TLSUnique: "t", TokenBinding: "b"}) {
			t.Errorf("%s %s %+v", in.LoginMessage, in.CDDC, binding)
		}
		if in.IsAdaptive() != adaptive || (in.ApplicationRef == "a") != adaptive {
			t.Errorf("adaptive %t: %+v", adaptive, in)
		}
	}
}

func TestTransaction_Bounds(t *testing.T) {
	t.Parallel()
	const fields = `"dataFields":[{"key":{"text":"a"},"value":{"text":"b"}}]`
	for _, one := range []struct{ data, pointers string }{
		{`{"transactionMessage":{` + fields + `,"authentMethod":"PIN","subject":"s","title":{"text":"t"}}}`, ""},
		{`{"transactionMessage":{}}`, "/data/transactionMessage/dataFields"},
		{`{"transactionMessage":{"dataFields":[]}}`, "/data/transactionMessage/dataFields"},
		{`{"transactionMessage":{"dataFields":[{"key":{"text":""}}],"authentMethod":"Voice","subject":""}}`,
			"/data/transactionMessage/authentMethod /data/transactionMessage/subject /data/transactionMessage/dataFields/0/key/text /data/transactionMessage/dataFields/0/value"},
		{`{"fido":{"authenticationResponse":"[]","cidPublicKey":"c"}}`, ""},
		{`{"fido":{"fidoProtocol":"UAF11","authenticationResponse":"[]","requestID":"x"}}`, ""},
		{`{"fido":{"fidoProtocol":"FIDO2","authenticationResponse":"{}","requestID":"x"}}`, "/data/fido"},
		{`{"fido":{"authenticationResponse":"{}"}}`, "/data/fido/fidoProtocol"},
		{`{"fido":{},"standard":{}}`, "/data/fido/fidoProtocol /data/fido/authenticationResponse"},
		{`{"standard":{},"secureChannel":{}}`, "/data"},
		{`{"fido":{"fidoProtocol":"U2F","requestID":"a b"}}`, "/data/fido/fidoProtocol /data/fido/authenticationResponse /data/fido/requestID"},
		{`{"standard":{"dataFields":["` + strings.Repeat("x", 16) + `"],"signature":"123456"}}`, ""},
		{`{"standard":{}}`, "/data/standard/dataFields /data/standard/signature"},
		{`{"standard":{"dataFields":["","` + strings.Repeat("x", 17) + `",5],"signature":"12345"}}`,
			"/data/standard/dataFields/0 /data/standard/dataFields/1 /data/standard/dataFields/2 /data/standard/signature"},
		{`{"standard":{"dataFields":["1","2","3","4","5","6","7","8","9"],"signature":"` + strings.Repeat("1", 17) + `"}}`, "/data/standard/dataFields /data/standard/signature"},
		{`{"secureChannel":{"signature":"1"}}`, "/data/secureChannel/requestID /data/secureChannel/signature"},
	} {
		got := violations(`{"data":`+one.data+`}`, func(body payload.Object) error { _, err := Transactions{}.transactionPayload(body); return err })
		if got != one.pointers {
			t.Errorf("%s: %q, want %q", one.data, got, one.pointers)
		}
	}
}

// A push always has a word for how people protect their answer, which is never less than the
// installation asks for.
func TestTransaction_AuthenticationMethod(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ least, said, want string }{
		{`PIN`, ``, `PIN`}, {`PIN`, `"authentMethod":null,`, `PIN`}, {`PIN`, `"authentMethod":"NoPIN",`, `PIN`}, {`PIN`, `"authentMethod":"Fingerprint",`, `Fingerprint`},
		{`PIN`, `"authentMethod":"Face",`, `Face`}, {`Fingerprint`, `"authentMethod":"PIN",`, `Fingerprint`}, {`Fingerprint`, `"authentMethod":"Face",`, `Face`},
	} {
		_ = readBody(`{"data":{"transactionMessage":{`+test.said+`"dataFields":[{"key":{"text":"a"},"value":{"text":"b"}}]}}}`, func(body payload.Object) error {
			in, err := Transactions{PushProtection: test.least}.transactionPayload(body)
			if err != nil || string(payload.Members(in.Data.TransactionMessage)["authentMethod"]) != fmt.Sprintf("%q", test.want) {
				t.Errorf("%+v: %s, %v", test, in.Data.TransactionMessage, err)
			}
			return nil
		})
	}
}

func TestActivation_Bounds(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ members, pointers string }{
		{`"staticPassword":"12345678","activationType":"offlineMDL","digipassType":"DAL10","emailAddress":"a@b.example","mobilePhoneNumber":"+436601234567"`, ""},
		{`"staticPassword":"1234567","digipassType":"DAL1"`, "/digipassType"},
		{`"staticPassword":"` + strings.Repeat("x", 256) + `"`, "/staticPassword"},
		{`"emailAddress":"a@b, c@d"`, "/emailAddress"},
		{`"emailAddress":"Alice <a@b.example>","mobilePhoneNumber":"0660 1234567"`, "/emailAddress /mobilePhoneNumber"},
		{`"mobilePhoneNumber":"+43 660 1234567"`, "/mobilePhoneNumber"},
	} {
		got := violations(`{"userID":"alice@sandbox","sessionID":5,"relationshipRef":5,"applicationRef":5,`+one.members+`}`, func(body payload.Object) error {
			_, err := Activation{Users: request.Users{Fold: true}}.registerUserPayload(body)
			return err
		})
		if got != one.pointers {
			t.Errorf("%s: %q, want %q", one.members, got, one.pointers)
		}
	}
}

// Where an e-mail address of the platform opens packages, nobody chooses their own.
func TestRegistration_TrustedAddressNotSet(t *testing.T) {
	t.Parallel()
	for trusted, want := range map[bool]string{true: "", false: "eve@b.example"} {
		_ = readBody(`{"userID":"alice@sandbox","emailAddress":"eve@b.example"}`, func(body payload.Object) error {
			in, err := Activation{Users: request.Users{Fold: true}, TrustEmail: trusted}.registerUserPayload(body)
			if in.EmailAddress != want || err != nil {
				t.Errorf("trusted %v: %q, %v", trusted, in.EmailAddress, err)
			}
			return err
		})
	}
}
