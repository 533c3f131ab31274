package web

import (
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"
)

// body is a value and whether its schema allows it. A schema is only tested by values
// that it refuses, so each has both kinds.
type body struct {
	text    string
	allowed bool
}

var bodies = map[string][]body{
	"RegistrationRequestInput": {
		{`{"fidoProtocol": "FIDO2"}`, true},
		{`{"fidoProtocol": "UAF11"}`, true},
		{`{"fidoProtocol": "FIDO2", "displayName": "", "attestation": "direct"}`, true},
		{`{"fidoProtocol": "FIDO2", "displayName": null, "attestation": null, "authenticatorSelection": null}`, true},
		{`{"fidoProtocol": "FIDO2", "authenticatorSelection": {}}`, true},
		{`{"fidoProtocol": "FIDO2", "authenticatorSelection": {"authenticatorAttachment": "cross-platform", "userVerification": null, "requireResidentKey": false}}`, true},
		{`{"fidoProtocol": "UAF11", "displayName": null, "authenticatorSelection": null, "attestation": null}`, true},
		{`{}`, false},
		{`[]`, false},
		{`{"fidoProtocol": null}`, false},
		{`{"fidoProtocol": "U2F"}`, false},
		{`{"fidoProtocol": "fido2"}`, false},
		{`{"fidoProtocol": "FIDO2", "user": "alice"}`, false},
		{`{"fidoProtocol": "FIDO2", "displayName": 1}`, false},
		{`{"fidoProtocol": "FIDO2", "attestation": "enterprise"}`, false},
		{`{"fidoProtocol": "FIDO2", "authenticatorSelection": []}`, false},
		{`{"fidoProtocol": "FIDO2", "authenticatorSelection": {"residentKey": "required"}}`, false},
		{`{"fidoProtocol": "FIDO2", "authenticatorSelection": {"requireResidentKey": "true"}}`, false},
		{`{"fidoProtocol": "FIDO2", "authenticatorSelection": {"userVerification": "always"}}`, false},
		{`{"fidoProtocol": "FIDO2", "authenticatorSelection": {"authenticatorAttachment": ""}}`, false},
		{`{"fidoProtocol": "UAF11", "displayName": "Alice"}`, false},
		{`{"fidoProtocol": "UAF11", "attestation": "none"}`, false},
		{`{"fidoProtocol": "UAF11", "authenticatorSelection": {}}`, false},
	},
	"RegisterDeviceInput": {
		{`{"fidoProtocol": "FIDO2", "registrationResponse": "{}"}`, true},
		{`{"fidoProtocol": "FIDO2", "registrationResponse": "{}", "requestID": "registration:1"}`, true},
		{`{"fidoProtocol": "FIDO2", "registrationResponse": "{}", "requestID": null}`, true},
		{`{"fidoProtocol": "UAF11", "registrationResponse": "[]", "requestID": null}`, true},
		{`{"fidoProtocol": "FIDO2"}`, false},
		{`{"registrationResponse": "{}"}`, false},
		{`{"fidoProtocol": "FIDO2", "registrationResponse": {}}`, false},
		{`{"fidoProtocol": "FIDO2", "registrationResponse": ""}`, false},
		{`{"fidoProtocol": "FIDO2", "registrationResponse": "{}", "requestID": ""}`, false},
		{`{"fidoProtocol": "FIDO2", "registrationResponse": "{}", "name": "x"}`, false},
		{`{"fidoProtocol": "UAF11", "registrationResponse": "[]", "requestID": "registration:1"}`, false},
	},
	"AuthenticationRequestInput": {
		{`{"fidoProtocol": "FIDO2"}`, true},
		{`{"fidoProtocol": "FIDO2", "userVerification": "required", "authenticationMessage": null}`, true},
		{`{"fidoProtocol": "UAF11", "authenticationMessage": "Pay", "userVerification": null}`, true},
		{`{"fidoProtocol": "FIDO2", "authenticationMessage": "Pay"}`, false},
		{`{"fidoProtocol": "UAF11", "userVerification": "required"}`, false},
		{`{"fidoProtocol": "UAF11", "authenticationMessage": ""}`, false},
		{`{"userVerification": "required"}`, false},
		{`{"fidoProtocol": "FIDO2", "timeout": 1}`, false},
	},
	"LoginInput": {
		{`{"credentials": {"passKey": "x"}}`, true},
		{`{"credentials": {"passKey": "x", "authenticator": null, "fidoAuthenticator": null}, "requestID": null}`, true},
		{`{"credentials": {"authenticator": {"OTP": "123456", "PIN": null}}, "orchestrationDelivery": []}`, true},
		{`{"credentials": {"authenticator": {"OTP": "12345"}}}`, false},
		{`{"credentials": {"authenticator": {"OTP": "123456", "PIN": "1"}}}`, false},
		{`{"credentials": {"passKey": ""}}`, false},
		{`{"credentials": {"passKey": "` + strings.Repeat("x", 256) + `"}}`, false},
		{`{"credentials": {"fidoAuthenticator": {"authenticationResponse": "{}", "fidoProtocol": "FIDO2"}}, "requestID": "a"}`, true},
		{`{"credentials": {"fidoAuthenticator": {"authenticationResponse": "[]", "fidoProtocol": null}}}`, true},
		{`{"orchestrationDelivery": ["pushNotification", "requestMessage"]}`, true},
		{`{"credentials": null, "orchestrationDelivery": ["requestMessage"]}`, true},
		{`{"credentials": {}, "orchestrationDelivery": ["requestMessage"]}`, true},
		{`{"cddc": null, "loginMessage": {}, "credentials": {"passKey": "x"}}`, true},
		{`{"loginMessage": {"title": {"text": "T"}, "subject": "S"}, "cddc": {"browserCDDC": {"fingerprintHash": "h"}}, "credentials": {"passKey": "x"}}`, true},
		{`{"credentials": {"passKey": "x"}, "orchestrationDelivery": ["pushNotification"]}`, true},
		{`{"loginMessage": "x", "credentials": {"passKey": "x"}}`, false},
		{`{"loginMessage": {"title": "T"}, "credentials": {"passKey": "x"}}`, false},
		{`{"cddc": {"browserCDDC": {"fingerprintRaw": {}}}, "credentials": {"passKey": "x"}}`, true},
		{`{"cddc": {"browserCDDC": {"fingerprintRaw": "x"}}, "credentials": {"passKey": "x"}}`, false},
		{`{"loginMessage": {"subject": "` + strings.Repeat("x", 43) + `"}, "credentials": {"passKey": "x"}}`, false},
		{`{"credentials": {"fidoAuthenticator": {"authenticationResponse": "[]", "fidoProtocol": "FIDO2"}}}`, false},
		{`{"credentials": {"fidoAuthenticator": {"authenticationResponse": "x"}}}`, false},
		{`{"objectType": 1, "clientIP": false, "timeout": "x", "unheard": [], "cddc": {}, "credentials": {"passKey": "x"}}`, true},
		{`{}`, false},
		{`{"credentials": {}}`, false},
		{`{"credentials": null, "orchestrationDelivery": []}`, false},
		{`{"credentials": {"passKey": null}}`, false},
		{`{"credentials": {"passKey": 1}}`, false},
		{`{"credentials": {"passKey": "x", "authenticator": {"OTP": "1"}}}`, false},
		{`{"credentials": {"authenticator": {}}}`, false},
		{`{"credentials": {"fidoAuthenticator": {"authenticationResponse": {}}}}`, false},
		{`{"credentials": {"fidoAuthenticator": {"authenticationResponse": "{}", "fidoProtocol": "U2F"}}}`, false},
		{`{"credentials": {"passKey": "x"}, "requestID": ""}`, false},
		{`{"orchestrationDelivery": ["post"]}`, false},
		{`{"orchestrationDelivery": "pushNotification"}`, false},
	},
	"TransactionInput": {
		{`{"data": {"transactionMessage": {"dataFields": [{"key": {"text": "a"}, "value": {"text": "b"}}]}}, "orchestrationDelivery": null}`, true},
		{`{"data": {"transactionMessage": {}}}`, false},
		{`{"data": {"standard": {"dataFields": ["a"], "signature": "123456"}, "fido": null}, "amount": 1}`, true},
		{`{"data": {"standard": {"signature": "123456"}}}`, false},
		{`{"data": {"fido": {"fidoProtocol": "UAF11", "authenticationResponse": "[]"}}}`, true},
		{`{"data": {"fido": {"fidoProtocol": "FIDO2", "authenticationResponse": "{}", "requestID": "a"}}}`, false},
		{`{}`, false},
		{`{"data": null}`, false},
		{`{"data": {}}`, false},
		{`{"data": {"standard": {}, "secureChannel": {}}}`, false},
		{`{"data": {"standard": "x"}}`, false},
		{`{"data": {"fido": {"authenticationResponse": "[]"}}}`, true},
		{`{"data": {"fido": {"fidoProtocol": "UAF11", "authenticationResponse": "[]", "requestID": "a"}}}`, true},
		{`{"data": {"standard": {}}, "orchestrationDelivery": ["post"]}`, false},
	},
	"RegisterUserInput": {
		{`{"userID": "alice"}`, true},
		{`{"userID": "alice@sandbox", "staticPassword": "12345678", "activationType": null, "unheard": 1}`, true},
		{`{"userID": "alice", "domain": "sandbox", "activationType": "fido", "cddc": {}}`, true},
		{`{"userID": "alice", "domain": ""}`, true},
		{`{"userID": null}`, false},
		{`{"userID": ""}`, false},
		{`{"userID": "al ice"}`, false},
		{`{"userID": "alice@sand box"}`, false},
		{`{"userID": "alice", "domain": "sand box"}`, false},
		{`{"userID": "alice", "activationType": "post"}`, false},
		{`{"userID": "alice", "cddc": "x"}`, false},
		{`{"userID": "alice", "staticPassword": 1}`, false},
		{`{"userID": "alice", "mobilePhoneNumber": "0660 1"}`, false},
	},
	"OrchestrationCommand": {
		{`{"command": "00fF"}`, true},
		{`{"command": ""}`, false},
		{`{"command": "0"}`, false},
		{`{"command": "0g"}`, false},
		{`{"command": "00", "x": 1}`, false},
	},
	"SessionChange": {
		{`{"language": "en"}`, true},
		{`{"language": "EN"}`, false},
		{`{"language": null}`, false},
		{`{"language": "en", "name": "x"}`, false},
	},
	"AuthenticatorName": {
		{`{"name": "x"}`, true},
		{`{"name": " My key\t"}`, true},
		{`{"name": "` + strings.Repeat("é", 64) + `"}`, true},
		{`{"name": "` + strings.Repeat("é", 65) + `"}`, false},
		{`{"name": ""}`, false},
		{`{"name": "  "}`, false},
		{`{"name": "a\u0007b"}`, false},
		{`{"name": null}`, false},
		{`{"name": "x", "id": "y"}`, false},
	},
	"SigningPackageInput": {
		{`{"name": "x"}`, true},
		{`{"name": "x", "status": "SENT", "type": "template", "due": null, "roles": [], "documents": null, "unheard": {}}`, true},
		{`{"name": "x", "data": {"mine": 1}, "roles": [{"id": "", "type": "SIGNER", "signers": [{"email": "a@b.example", "phone": ""}]}]}`, true},
		{`{"name": "x", "documents": [{"name": "Lease", "approvals": [{"role": "r", "name": "", "fields": [{"type": "SIGNATURE", "subtype": "CAPTURE_MOBILE", "top": 0}]}]}]}`, true},
		{`{}`, false},
		{`{"name": ""}`, false},
		{`{"name": null}`, false},
		{`{"name": "` + strings.Repeat("é", 256) + `"}`, false},
		{`{"name": "x", "status": "COMPLETED"}`, false},
		{`{"name": "x", "autocomplete": "true"}`, false},
		{`{"name": "x", "data": {"countersign": {}}}`, false},
		{`{"name": "x", "roles": [{"type": "WITNESS"}]}`, false},
		{`{"name": "x", "documents": [{"name": "a/b"}]}`, false},
	},
	"SigningFieldInput": {
		{`{"type": "INPUT", "subtype": "LIST", "validation": {"enum": ["a"], "maxLength": 2147483647, "pattern": ""}}`, true},
		{`{"type": "INPUT", "subtype": "LABEL", "binding": "{signer.name}", "extractAnchor": null, "validation": null}`, true},
		{`{"extractAnchor": {"text": "Sign", "index": 0, "leftOffset": -3, "width": 10}}`, true},
		{`{"type": "STAMP"}`, false},
		{`{"subtype": "SIGNATURE"}`, false},
		{`{"page": -1}`, false},
		{`{"binding": "signer.name"}`, false},
		{`{"validation": {"minLength": -1}}`, false},
		{`{"extractAnchor": {"text": ""}}`, false},
		{`{"extractAnchor": {"text": "Sign", "height": 0}}`, false},
	},
	"SigningCustomFieldInput": {
		{`{"translations": [{"name": "Branch"}]}`, true},
		{`{"id": "branch", "value": "Linz", "required": false, "translations": [{"language": "de", "name": "Filiale"}]}`, true},
		{`{"value": "Linz"}`, false},
		{`{"translations": []}`, false},
		{`{"required": "yes", "translations": [{}]}`, false},
	},
	"SigningProblem": {
		{`{"type": "https://a.example/errors/signing.state", "title": "x", "status": 409, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "signing.state", "retryable": false, "code": 409, "messageKey": "error.countersign.signing.state", "message": "x", "name": "x"}`, true},
		{`{"type": "https://a.example/errors/signing.state", "title": "x", "status": 409, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "signing.state", "retryable": false, "code": 409, "messageKey": "signing.state", "message": "x", "name": "x"}`, false},
		{`{"type": "https://a.example/errors/signing.state", "title": "x", "status": 409, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "signing.state", "retryable": false, "message": "x"}`, false},
		{`{"type": "https://a.example/errors/signing.state", "title": "x", "status": 409, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "signing.state", "retryable": false, "code": 409, "messageKey": "error.a.b", "message": "x", "name": "x", "technical": "x"}`, false},
	},
	"AcceptedLogin": {
		{`{"sessionStatus": "accepted"}`, true},
		{`{"sessionStatus": "accepted", "riskResponseCode": 0, "eventId": "7", "uafStatusCode": null}`, true},
		{`{"sessionStatus": "pending"}`, false},
		{`{"sessionStatus": "accepted", "sessionToken": "short"}`, false},
		{`{"sessionStatus": "accepted", "apiKey": "x"}`, false},
	},
	"PendingLogin": {
		{`{"sessionStatus": "pending", "requestID": "a"}`, true},
		{`{"sessionStatus": "pending"}`, false},
		{`{"sessionStatus": "accepted", "requestID": "a"}`, false},
	},
	"Authenticators": {
		{`{"authenticators": []}`, true},
		{`{"authenticators": [{"id": "a", "name": null, "protocol": "UAF11", "provider": null, "kind": "device-bound", "aaid": "4e4e#4005", "createdAt": null, "lastUsedAt": "2026-11-21T09:30:00Z"}]}`, true},
		{`{"authenticators": [{"id": "a", "name": null, "protocol": "UAF11", "provider": null, "kind": "device-bound", "aaguid": null, "createdAt": null, "lastUsedAt": null}]}`, false},
		{`{"authenticators": [{"id": "a", "name": null, "protocol": "FIDO2", "provider": null, "kind": null, "aaguid": null, "createdAt": "2026-11-21T09:30:00+01:00", "lastUsedAt": null}]}`, false},
		{`{"authenticators": [{"id": "a", "name": null, "protocol": "FIDO2", "provider": null, "kind": null, "aaguid": null, "createdAt": null}]}`, false},
		{`{"authenticators": [{"id": "a", "name": null, "protocol": "FIDO2", "provider": null, "kind": "synced", "aaguid": null, "createdAt": null, "lastUsedAt": null}]}`, true},
		{`{"authenticators": [{"id": "a", "name": null, "protocol": "FIDO2", "provider": null, "kind": "unknown", "aaguid": null, "createdAt": null, "lastUsedAt": null}]}`, false},
		{`{"authenticators": null}`, false},
	},
	"Problem": {
		{`{"type": "https://a.example/errors/request.rate", "title": "x", "status": 429, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "request.rate", "retryable": true}`, true},
		{`{"type": "https://a.example/errors/request.rate", "title": "x", "status": 429, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "request.rate", "retryable": true, "message": "x"}`, false},
		{`{"type": "about:blank", "title": "x", "status": 429, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "request.rate", "retryable": true}`, false},
		{`{"type": "https://a.example/errors/x.y", "title": "x", "status": 429, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "x.y", "retryable": true}`, false},
		{`{"title": "x", "status": 429, "detail": "x", "instance": "kq3Yd0vXn8Lw2RbT", "key": "request.rate", "retryable": true}`, false},
	},
}

func TestSchemasAllowWhatTheRulesDo(t *testing.T) {
	schemas := parsed(t).Components.Schemas
	for name, all := range bodies {
		refused := 0
		for _, b := range all {
			if !b.allowed {
				refused++
			}
			var value any
			if err := json.Unmarshal([]byte(b.text), &value); err != nil {
				t.Fatalf("%s: %v", b.text, err)
			}
			err := schemas[name].Value.VisitJSON(value, openapi3.EnableJSONSchema2020())
			if b.allowed != (err == nil) {
				t.Errorf("%s: %s: allowed %v, but: %v", name, b.text, b.allowed, err)
			}
		}
		if refused == 0 || refused == len(all) {
			t.Errorf("%s is tried with one verdict only", name)
		}
	}
}
