package ceremony_test

import (
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

func TestTextsThatAreNoCredential(t *testing.T) {
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

func TestTextAroundACredential(t *testing.T) {
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

func TestEveryTruncation(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{Algorithm: authenticator.EdDSA}, authenticator.Tampering{}) {
		for i := range len(e.text) {
			if err := e.judge(e.text[:i]); !fault.Is(err, fault.CeremonyMalformed) {
				t.Fatalf("%s cut to %d bytes: %v", e.name, i, err)
			}
		}
	}
}

func TestDuplicateMembers(t *testing.T) {
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

func TestInvalidUnicode(t *testing.T) {
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

func TestRequiredMembers(t *testing.T) {
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

func TestCredentialType(t *testing.T) {
	t.Parallel()
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		for _, value := range []string{"Public-Key", "public_key", "password", "public-key ", "webauthn.create"} {
			wantKey(t, e.name+" of type "+value, e.judge(set(t, e.text, "type", value)), fault.CeremonyMalformed)
		}
	}
}

func TestOptionalMembers(t *testing.T) {
	t.Parallel()
	type optional struct {
		path        string
		bad, passes []any
	}
	common := []optional{
		{"authenticatorAttachment", []any{1, true, []any{}, map[string]any{}}, []any{nil, "platform", "telepathy"}},
		{"clientExtensionResults", []any{1, "{}", []any{}, false}, []any{nil, map[string]any{}, map[string]any{"appid": "yes", "x": nil}}},
		{"unknown", nil, []any{nil, 1, "x", []any{map[string]any{}}}},
		{"response.unknown", nil, []any{nil, 1, "x", []any{map[string]any{}}}},
	}
	own := map[string][]optional{
		"registration": {
			{"response.transports", []any{"usb", 1, map[string]any{}, []any{1}}, []any{nil, []any{}, []any{"smoke"}}},
			{"response.publicKey", []any{"", "A", "AA==", "a b", 1, []any{}}, []any{nil, "AAAA"}},
			{"response.publicKeyAlgorithm", []any{"-7", "x", []any{}, true}, []any{nil, -7, -257}},
			{"response.authenticatorData", []any{"", "A", "AAAA", 1, []any{}}, []any{nil}},
		},
		"sign-in": {
			{"response.userHandle", []any{" ", "A", "AA==", "A+/A", 1, []any{}, strings.Repeat("A", 87)}, []any{nil, "", "AAAA", strings.Repeat("A", 86)}},
			{"response.attestationObject", nil, []any{nil, "x"}},
		},
	}
	for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{}) {
		for _, o := range append(own[e.name], common...) {
			wantKey(t, e.name+" without "+o.path, e.judge(remove(t, e.text, o.path)), "")
			for _, value := range o.bad {
				wantKey(t, e.name+" with a bad "+o.path, e.judge(set(t, e.text, o.path, value)), fault.CeremonyMalformed)
			}
			for _, value := range o.passes {
				wantKey(t, e.name+" with an odd "+o.path, e.judge(set(t, e.text, o.path, value)), "")
			}
		}
	}
}

// Each member that holds bytes must be canonical base64url.
func TestBase64URL(t *testing.T) {
	t.Parallel()
	paths := map[string][]string{
		"registration": {"id", "rawId", "response.clientDataJSON", "response.attestationObject", "response.authenticatorData", "response.publicKey"},
		"sign-in":      {"id", "rawId", "response.clientDataJSON", "response.authenticatorData", "response.signature", "response.userHandle"},
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
				if what == "nothing in it" && path == "response.userHandle" {
					continue // the client did not get this one
				}
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

func TestIDs(t *testing.T) {
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
func TestResponsesAreNotInterchangeable(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	wantKey(t, "an assertion as a registration", judge(p.assertion), fault.CeremonyMalformed)
	wantKey(t, "a registration as an assertion", judgeSignIn(p.registration), fault.CeremonyMalformed)
	for _, text := range []string{p.registration, p.assertion} {
		_, err := ceremony.FromRegistrationResponse(ceremony.UAF11, text)
		wantKey(t, "a FIDO2 response as UAF", err, fault.CeremonyMalformed)
	}
}
