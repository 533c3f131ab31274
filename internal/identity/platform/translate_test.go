package platform_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"countersign/internal/fault"
	identityapi "countersign/internal/identity/platform"
	"countersign/internal/upstream"
)

// noObject are those of shapes that are no JSON object.
var noObject = map[string]bool{"cut off": true, "as plain text": true, "as a JSON string": true}

// shapes are the bodies in which the platform's texts come.
var shapes = map[string]func(text string) string{
	"as documented":       func(s string) string { return `{"error":"Conflict","message":` + asJSON(s) + `}` },
	"with all members":    func(s string) string { return `{"timestamp":1,"status":409,"message":` + asJSON(s) + `,"path":"/x"}` },
	"of an older service": func(s string) string { return `{"retCode":-1,"errorMessage":` + asJSON(s) + `}` },
	"of the new service": func(s string) string {
		return `{"errorCategory":"weather","errorCode":1,"message":` + asJSON(s) + `,"command":"00ff","service":"trusted-device"}`
	},
	"in error alone": func(s string) string { return `{"error":` + asJSON(s) + `}` },
	"inside error":   func(s string) string { return `{"error":{"code":409,"message":` + asJSON(s) + `}}` },
	"as a validation error": func(s string) string {
		return `{"message":"Invalid","validationErrors":[{"message":` + asJSON(s) + `}]}`
	},
	"cut off":                   func(s string) string { return `{"message":` + asJSON(s) + `,"path":"/users/al` },
	"said twice":                func(s string) string { return `{"message":"x","message":` + asJSON(s) + `}` },
	"with a byte order mark":    func(s string) string { return "\ufeff" + `{"message":` + asJSON(s) + `}` },
	"in Latin-1":                func(s string) string { return `{"message":` + asJSON(s) + `,"name":"Andr` + "\xe9" + `"}` },
	"as plain text":             func(s string) string { return s },
	"as a JSON string":          asJSON,
	"in words of another space": func(s string) string { return `{"message":` + asJSON(strings.ReplaceAll(s, " ", "\u00a0")+" ") + `}` },
}

func asJSON(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}

func TestTexts_EveryShape(t *testing.T) {
	for name, shape := range shapes {
		for _, status := range []int{400, 404, 409, 410, 500} {
			if (status == 404 || status == 410) && noObject[name] {
				continue
			}
			for text, want := range map[string]fault.Key{
				"Unable to find registration code in Shared Cache": fault.OrchestrationActivationExpired,
				"An unknown error has occurred.":                   fault.OrchestrationActivationOutdated,
				"Failed to encrypt data":                           fault.OrchestrationEncryptionFailed,
			} {
				c, _ := says(t, status, shape(text))
				_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
				if f := fault.From(err); f.Specific != want || f.Untranslated {
					t.Errorf("%d, %s: %v, want %s", status, name, err, want)
				}
			}
		}
	}
}

func TestError_UnknownTextKeepsOperationKey(t *testing.T) {
	for _, body := range []string{
		``, ` `, `null`, `{}`, `[]`, `true`, `0`, `{"message":{"text":"User is locked"}}`,
		`{"message":["User is locked"]}`, `{"message":"User is lock`, `"User is lock`, "User is locked\nUser is locked", "\xff\xfe\x00",
		`{"message":"Nothing we know"}`, `{"errorCode":"x"}`, `{"errorCode":1e99}`, `{"errorCode":{}}`, `{"errorCode":[-8000]}`,
		`{"errorCategory":7}`, `{"uafStatusCode":"high"}`, strings.Repeat("[", 9999), `{"message":"` + strings.Repeat("User is locked ", 5000) + `"}`,
	} {
		c, _ := says(t, 409, body)
		_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
		f := fault.From(err)
		if f.Key != fault.ActivationRefused || f.Specific != "" || !f.Untranslated || f.Command != "" {
			t.Errorf("%.60q: %+v", body, f)
		}
		if _, said := errors.AsType[*upstream.Error](err); !said {
			t.Errorf("%.60q: what the platform said is not in the log", body)
		}
	}
}

// A page is nobody's answer, whatever it says; of a 404 and a 410 the platform's own object
// alone says that something is missing.
func TestGateway_PageIsNoRefusal(t *testing.T) {
	const page, unknown = `<html><body>User account not found</body></html>`, `User account not found`
	for status, bodies := range map[int][]string{
		400: {page}, 403: {page, unknown, ``, `["` + unknown + `"]`}, 409: {page}, 422: {page},
		404: {page, unknown, asJSON(unknown), ``, ` `, `null`, `[]`, `{}`, `{"status":404,"path":"/x"}`, `{"message":"` + unknown},
		410: {page, unknown, ``, `{}`},
	} {
		for _, body := range bodies {
			for name, call := range methods {
				c, _ := says(t, status, body)
				if err := call(t, c); !fault.Is(err, fault.PlatformFailed) || fault.From(err).Specific != "" {
					t.Errorf("%s: %d %s: %v", name, status, body, err)
				}
			}
		}
	}
}

// The platform's texts often repeat a person's input, which must not count as the
// platform's words.
func TestTexts_UserInputIgnored(t *testing.T) {
	for _, message := range []string{
		`Cannot find user 'User is locked'`, `User is locked@sandbox does not exist`, `Invalid value: Static password has expired!`,
	} {
		c, _ := says(t, 409, `{"error":"Conflict","message":`+asJSON(message)+`}`)
		_, err := c.GenerateFIDORegistrationRequest(t.Context(), alice, identityapi.RegistrationRequestInput{FIDOProtocol: identityapi.FIDO2})
		if f := fault.From(err); f.Specific != "" || !f.Untranslated || f.Key != fault.PlatformRefused {
			t.Errorf("%q: %+v", message, f)
		}
	}
}

func TestNumbers_WithCategories(t *testing.T) {
	for body, want := range map[string]fault.Key{
		`{"errorCode":-8006,"message":"m"}`:                                     fault.OrchestrationTransactionError,
		`{"errorCode":"-8000"}`:                                                 fault.OrchestrationUnknownError,
		`{"retCode":-8000}`:                                                     fault.OrchestrationUnknownError,
		`{"returnCode":-8006,"readableMessage":"m"}`:                            fault.OrchestrationTransactionError,
		`{"code":409,"errorCode":-1250}`:                                        fault.OrchestrationProvisioningError,
		`{"errorCategory":"session","errorCode":-1401,"message":"m"}`:           fault.OrchestrationSessionError,
		`{"errorCategory":"risk","message":"m"}`:                                fault.OrchestrationRiskError,
		`{"errorCategory":"system","errorCode":-1001,"message":"m"}`:            fault.OrchestrationInputInvalid,
		`{"errorCategory":"system","errorCode":-1000,"message":"m"}`:            fault.OrchestrationSystemError,
		`{"errorCategory":"user","errorCode":-1300,"message":"User is locked"}`: fault.AccountLocked,
	} {
		for _, status := range []int{400, 409, 500} {
			c, _ := says(t, status, body)
			_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
			if f := fault.From(err); f.Specific != want || f.Untranslated {
				t.Errorf("%d %s: %v, want %s", status, body, err, want)
			}
		}
	}
}

func TestError_CommandUnchanged(t *testing.T) {
	for body, want := range map[string]string{
		`{"message":"m","command":"00fF1a"}`: "00fF1a", `{"message":"m","command":""}`: "", `{"message":"m","command":"xyz"}`: "",
		`{"message":"m","command":"0"}`: "", `{"message":"m","command":7}`: "", `{"message":"m","command":"00ff`: "",
	} {
		c, _ := says(t, 409, body)
		_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
		if got := fault.From(err).Command; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	c, _ := says(t, 409, `{"message":"m","command":"00ff"}`)
	_, err := c.Login(t.Context(), alice, identityapi.LoginInput{})
	if got := fault.From(err).Command; got != "" {
		t.Errorf("a login's error carries %q", got)
	}
}

func TestNumbers_ByRelease(t *testing.T) {
	for release, want := range map[fault.Release]fault.Key{fault.R3: fault.OrchestrationTransactionError, fault.R4: "", "": ""} {
		c := ofRelease(t, release, 409, `{"message":"-8006"}`)
		_, err := c.OrchestrationCommands(t.Context(), identityapi.OrchestrationCommand{Command: "00"})
		if f := fault.From(err); f.Specific != want || f.Untranslated != (want == "") {
			t.Errorf("%q: %+v, want %s", release, f, want)
		}
	}
}

func ofRelease(t *testing.T, release fault.Release, status int, body string) *identityapi.Client {
	t.Helper()
	return clientOf(t, &platform{status: status, body: body}, identityapi.Options{Release: string(release)})
}

// A failure without a reason is the platform's; only a failure with an unknown reason
// counts as untranslated.
func TestFailure_WithoutReason(t *testing.T) {
	for body, untranslated := range map[string]bool{
		``: false, `<html>`: false, `{"message":"Internal error"}`: true, `{"error":"Internal Server Error","message":"Internal Server Error"}`: false, `Internal Server Error`: false,
		`{"error":"Internal Server Error","message":"Bad Gateway"}`: true,
	} {
		c, _ := says(t, 500, body)
		_, err := c.User(t.Context(), alice)
		if f := fault.From(err); f.Key != fault.PlatformFailed || f.Specific != "" || f.Untranslated != untranslated {
			t.Errorf("%q: %+v", body, f)
		}
	}
}

func TestValidateTransaction_KeyByStatus(t *testing.T) {
	for body, want := range map[string]fault.Key{
		`{"sessionStatus":"refused"}`: fault.AuthenticationDeclined, `{"sessionStatus":"timeout"}`: fault.AuthenticationTimedOut,
		`{"sessionStatus":"failed"}`: "", `{"sessionStatus":"unknown"}`: "", `{"sessionStatus":"refused","uafStatusCode":1498}`: fault.UAFUnacceptableContent,
		`{"sessionStatus":"accepted","uafStatusCode":1493}`: fault.UAFRevokedAuthenticator,
	} {
		c, _ := says(t, 200, body)
		_, err := c.ValidateTransaction(t.Context(), alice, identityapi.TransactionInput{})
		if f := fault.From(err); f.Key != fault.TransactionRefused || f.Specific != want {
			t.Errorf("%s: %+v, want %s", body, f, want)
		}
	}
}

// A signed-in person requests a transaction; its refusal is not that of a sign-in.
func TestTransactionRequest_OwnRefusal(t *testing.T) {
	for body, want := range map[string][2]fault.Key{
		`{"message":"No authenticators available"}`: {fault.TransactionRefused, fault.AuthenticationNoAuthenticator},
		`{"message":"User is locked"}`:              {fault.TransactionRefused, fault.AccountLocked},
	} {
		c, _ := says(t, 409, body)
		_, err := c.GenerateFIDOAuthenticationRequest(t.Context(), alice, identityapi.AuthenticationRequestInput{
			FIDOProtocol: identityapi.UAF11, AuthenticationMessage: "Pay 10 EUR",
		})
		if f := fault.From(err); f.Key != want[0] || f.Specific != want[1] {
			t.Errorf("%s: %+v", body, f)
		}
	}
}

func TestRegisterUser_PasswordByActivationType(t *testing.T) {
	for kind, wanted := range map[string]bool{"": true, "onlineMDL": true, "offlineMDL": false, "fido": false} {
		c, _ := says(t, 200, `{"activationPassword":null,"registrationID":"r"}`)
		out, err := c.RegisterUser(t.Context(), identityapi.RegisterUserInput{UserID: "alice", ActivationType: kind})
		if wanted != fault.Is(err, fault.PlatformFailed) || !wanted && out.RegistrationID != "r" {
			t.Errorf("%q: %+v, %v", kind, out, err)
		}
	}
}
