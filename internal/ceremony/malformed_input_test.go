package ceremony_test

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

// either is a response of one of the two ceremonies, with the function that judges it.
type either struct {
	name, text string
	judge      func(string) error
}

func both(t testing.TB, options authenticator.Options, tampering authenticator.Tampering) []either {
	t.Helper()
	p := ceremonies(t, options, tampering)
	return []either{{"registration", p.registration, judge}, {"sign-in", p.assertion, judgeSignIn}}
}

func TestCredential_Malformed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "null", "true", "0", `"x"`, "[]", "{}", "{", "}", "[{}]", "\x00", "\xff", "{}{}", `{"id":}`, `{id:"x"}`, `{'id':'x'}`,
		strings.Repeat("[", 100_000), strings.Repeat(`{"response":`, 20_000), `{"response":null}`, `{"response":[]}`, `{"response":"{}"}`,
		"<html></html>", "%7B%7D", "eyJpZCI6IngifQ",
	} {
		wantKey(t, "registration "+cut(text), judge(text), fault.CeremonyMalformed)
		wantKey(t, "sign-in "+cut(text), judgeSignIn(text), fault.CeremonyMalformed)
	}
}

func cut(text string) string {
	if len(text) > 40 {
		return text[:40]
	}
	return text
}

func TestCredential_SurroundingText(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		wantKey(t, e.name+" in white space", e.judge(" \t\r\n"+e.text+"\n"), "")
		for what, text := range map[string]string{
			"a byte order mark": "\ufeff" + e.text, "more after it": e.text + "x", "a second one": e.text + e.text,
			"a zero byte": e.text + "\x00", "a comma": e.text + ",", "a comment": e.text + "//", "an array around": "[" + e.text + "]",
			"a string around": `"` + strings.ReplaceAll(e.text, `"`, `\"`) + `"`, "a trailing comma": strings.TrimSuffix(e.text, "}") + ",}",
			"a form feed": "\f" + e.text, "a no-break space": "\u00a0" + e.text,
		} {
			wantKey(t, e.name+" with "+what, e.judge(text), fault.CeremonyMalformed)
		}
	}
}

func TestResponse_Truncated(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{Algorithm: authenticator.EdDSA}, authenticator.Tampering{}) {
		for i := range len(e.text) {
			if err := e.judge(e.text[:i]); !fault.Is(err, fault.CeremonyMalformed) {
				t.Fatalf("%s cut to %d bytes: %v", e.name, i, err)
			}
		}
	}
}

func TestMembers_Duplicate(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		for _, name := range []string{"id", "rawId", "type", "response", "clientDataJSON", "clientExtensionResults"} {
			twice := strings.Replace(e.text, `"`+name+`":`, `"`+name+`":"","`+name+`":`, 1)
			wantKey(t, e.name+" with two of "+name, e.judge(twice), fault.CeremonyMalformed)
		}
		escaped := strings.Replace(e.text, `"id":`, `"\u0069d":"","id":`, 1)
		wantKey(t, e.name+" with an id spelled otherwise", e.judge(escaped), fault.CeremonyMalformed)
		deep := strings.Replace(e.text, `"clientExtensionResults":{}`, `"clientExtensionResults":{"a":{"b":1,"b":2}}`, 1)
		wantKey(t, e.name+" with a duplicate in an extension", e.judge(deep), fault.CeremonyMalformed)
	}
}

func TestResponse_InvalidUnicode(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		for _, junk := range []string{"\xff", "\xc0\xaf", "\xed\xa0\x80", `\ud800`, `\udc00\ud800`, "\x01", `\x41`} {
			text := strings.Replace(e.text, `{"`, `{"junk":"`+junk+`","`, 1)
			wantKey(t, e.name+" with "+junk, e.judge(text), fault.CeremonyMalformed)
		}
	}
}

// required are the members that every response must have.
var required = map[string][]string{
	"registration": {"id", "rawId", "type", "response", "response.clientDataJSON", "response.attestationObject"},
	"sign-in":      {"id", "rawId", "type", "response", "response.clientDataJSON", "response.authenticatorData", "response.signature"},
}

func TestRequiredMembers_MissingOrWrong(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		for _, path := range required[e.name] {
			wantKey(t, e.name+" without "+path, e.judge(remove(t, e.text, path)), fault.CeremonyMalformed)
			for _, value := range []any{nil, 1, true, []any{}, map[string]any{}, "", []any{1, 2, 3}} {
				wantKey(t, e.name+" with another "+path, e.judge(set(t, e.text, path, value)), fault.CeremonyMalformed)
			}
			renamed := edit(t, e.text, path, func(object map[string]any, name string) {
				object[strings.ToUpper(name)] = object[name]
				delete(object, name)
			})
			wantKey(t, e.name+" with "+path+" in upper case", e.judge(renamed), fault.CeremonyMalformed)
		}
	}
}

func TestCredentialType_Wrong(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		for _, value := range []string{"Public-Key", "public_key", "password", "public-key ", "webauthn.create"} {
			wantKey(t, e.name+" of type "+value, e.judge(set(t, e.text, "type", value)), fault.CeremonyMalformed)
		}
	}
}

// Whatever an optional member holds, it does not shut a passkey out.
func TestOptionalMembers_AnyValue(t *testing.T) {
	t.Parallel()
	common := []string{"authenticatorAttachment", "clientExtensionResults", "unknown", "response.unknown"}
	own := map[string][]string{
		"registration": {
			"response.transports", "response.publicKey", "response.publicKeyAlgorithm", "response.authenticatorData",
			"response.signature", "response.userHandle",
		},
		"sign-in": {"response.userHandle", "response.attestationObject", "response.publicKey", "response.transports"},
	}
	values := []any{
		nil, "", " ", "A", "AA==", "A+/A", "AAAA", "a b", "\r\n", "usb", strings.Repeat("A", 86), strings.Repeat("A", 87), strings.Repeat("A", 400),
		true, false, 0, 1, -7, 1.5, 1e300, []any{}, []any{1, nil}, []any{"usb", []any{}}, map[string]any{}, map[string]any{"appid": "yes", "x": nil},
	}
	for _, e := range both(t, authenticator.Options{Discoverable: true}, authenticator.Tampering{}) {
		for _, path := range append(own[e.name], common...) {
			wantKey(t, e.name+" without "+path, e.judge(remove(t, e.text, path)), "")
			for _, value := range values {
				wantKey(t, fmt.Sprintf("%s with %v as %s", e.name, value, path), e.judge(set(t, e.text, path, value)), "")
			}
		}
	}
}

// A user handle that is none reads as absent.
func TestUserHandle_InvalidReadsAsAbsent(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	for value, want := range map[any]string{
		nil: "", "": "", "AAAA": "\x00\x00\x00", "AA==": "", "A+/A": "", " ": "", "A": "", 1: "", true: "",
		strings.Repeat("A", 86): strings.Repeat("\x00", 64), strings.Repeat("A", 87): "",
	} {
		r, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, set(t, p.assertion, "response.userHandle", value))
		if err != nil {
			t.Errorf("%v: %v", value, err)
		} else if string(r.UserHandle) != want {
			t.Errorf("%v reads as %q, want %q", value, r.UserHandle, want)
		}
	}
}

// Each required member that holds bytes must be canonical base64url.
func TestMembers_CanonicalBase64URL(t *testing.T) {
	t.Parallel()
	paths := map[string][]string{
		"registration": {"id", "rawId", "response.clientDataJSON", "response.attestationObject"},
		"sign-in":      {"id", "rawId", "response.clientDataJSON", "response.authenticatorData", "response.signature"},
	}
	for _, e := range both(t, authenticator.Options{Discoverable: true}, authenticator.Tampering{}) {
		for _, path := range paths[e.name] {
			for what, spoil := range map[string]func(string) string{
				"padding":          func(s string) string { return s + "=" },
				"more padding":     func(s string) string { return s + "==" },
				"a space":          func(s string) string { return s + " " },
				"a space before":   func(s string) string { return " " + s },
				"a line feed":      func(s string) string { return s[:2] + "\n" + s[2:] },
				"a line feed last": func(s string) string { return s + "\n" },
				"a return":         func(s string) string { return s[:2] + "\r" + s[2:] },
				"a plus":           func(s string) string { return "+" + s[1:] },
				"a slash":          func(s string) string { return "/" + s[1:] },
				"a percent sign":   func(s string) string { return s + "%3D" },
				"a letter beyond":  func(s string) string { return "é" + s[1:] },
				"trailing bits":    withTrailingBits,
				"nothing in it":    func(string) string { return "" },
				"only line feeds":  func(string) string { return "\r\n" },
				"only padding":     func(string) string { return "====" },
			} {
				text := edit(t, e.text, path, func(object map[string]any, name string) { object[name] = spoil(object[name].(string)) })
				wantKey(t, e.name+" with "+what+" in "+path, e.judge(text), fault.CeremonyMalformed)
			}
		}
	}
}

// withTrailingBits spells the same bytes with other unused bits, or appends a lone
// character if there are no unused bits.
func withTrailingBits(s string) string {
	if len(s)%4 == 0 {
		return s + "A"
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
	last := strings.IndexByte(alphabet, s[len(s)-1])
	return s[:len(s)-1] + string(alphabet[last|1])
}

func TestCredentialID_Mismatch(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		other := encode(challenge("another id"))
		wantKey(t, e.name+" with another id", e.judge(set(t, e.text, "id", other)), fault.CeremonyMalformed)
		wantKey(t, e.name+" with another rawId", e.judge(set(t, e.text, "rawId", other)), fault.CeremonyMalformed)
	}
	registration := both(t, authenticator.Options{}, authenticator.Tampering{})[0].text
	other := set(t, set(t, registration, "id", "AAAA"), "rawId", "AAAA")
	wantKey(t, "a registration of another credential than it attests", judge(other), fault.CeremonyMalformed)
}

// A response of one ceremony is not accepted as the other's.
func TestResponse_OfOtherCeremony(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	wantKey(t, "an assertion as a registration", judge(p.assertion), fault.CeremonyMalformed)
	wantKey(t, "a registration as an assertion", judgeSignIn(p.registration), fault.CeremonyMalformed)
	for _, text := range []string{p.registration, p.assertion} {
		_, err := ceremony.FromRegistrationResponse(ceremony.UAF11, text)
		wantKey(t, "a FIDO2 response as UAF", err, fault.CeremonyMalformed)
	}
}
