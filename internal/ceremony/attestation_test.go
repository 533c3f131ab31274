package ceremony_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-webauthn/webauthn/protocol/webauthncbor"

	"countersign/internal/authenticator"
	"countersign/internal/fault"
)

// registrationOver returns a registration whose attestation object is changed, without
// the browser's copies of its content, which would no longer match.
func registrationOver(t testing.TB, tampering authenticator.Tampering) string {
	t.Helper()
	tampering.Credential = func(m map[string]any) {
		response := m["response"].(map[string]any)
		delete(response, "authenticatorData")
		delete(response, "publicKey")
		delete(response, "publicKeyAlgorithm")
	}
	return ceremonies(t, authenticator.Options{Attestation: authenticator.Packed}, tampering).registration
}

func withObject(t testing.TB, change func([]byte) []byte) string {
	t.Helper()
	return registrationOver(t, authenticator.Tampering{AttestationObject: func(b []byte) []byte { return change(bytes.Clone(b)) }})
}

func cborOf(t testing.TB, value any) []byte {
	t.Helper()
	encoded, err := webauthncbor.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}

func TestAttestationObject_InvalidBytes(t *testing.T) {
	t.Parallel()
	entry := append([]byte("\x63fmt"), "\x66packed"...)
	for name, change := range map[string]func([]byte) []byte{
		"a byte more":              func(b []byte) []byte { return append(b, 0) },
		"null after it":            func(b []byte) []byte { return append(b, 0xf6) },
		"a second one":             func(b []byte) []byte { return append(b, b...) },
		"one entry announced more": func(b []byte) []byte { b[0]++; return b },
		"one entry fewer":          func(b []byte) []byte { b[0]--; return b },
		"indefinite length":        func(b []byte) []byte { b[0] = 0xbf; return append(b, 0xff) },
		"two of fmt":               func(b []byte) []byte { b[0]++; return append(b, entry...) },
		"a tag before it":          func(b []byte) []byte { return append([]byte{0xc0}, b...) },
		"self-described CBOR":      func(b []byte) []byte { return append([]byte{0xd9, 0xd9, 0xf7}, b...) },
		"null":                     func([]byte) []byte { return []byte{0xf6} },
		"undefined":                func([]byte) []byte { return []byte{0xf7} },
		"an empty map":             func([]byte) []byte { return []byte{0xa0} },
		"an empty array":           func([]byte) []byte { return []byte{0x80} },
		"a number":                 func([]byte) []byte { return []byte{0x01} },
		"a break":                  func([]byte) []byte { return []byte{0xff} },
		"JSON":                     func([]byte) []byte { return []byte(`{"fmt":"none","attStmt":{},"authData":""}`) },
		"a byte string of itself":  func(b []byte) []byte { return cborOf(t, b) },
		"an array of itself":       func(b []byte) []byte { return append([]byte{0x81}, b...) },
		"a huge map announced":     func([]byte) []byte { return []byte{0xbb, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff} },
		"a huge array announced":   func([]byte) []byte { return []byte{0x9a, 0xff, 0xff, 0xff, 0xff} },
		"a huge string announced":  func([]byte) []byte { return []byte{0x5b, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff} },
		"depth":                    func([]byte) []byte { return append(bytes.Repeat([]byte{0x81}, 50_000), 0x80) },
		"depth of maps":            func([]byte) []byte { return append(bytes.Repeat([]byte{0xa1, 0x61, 0x61}, 50_000), 0xa0) },
		"a map as a key":           func([]byte) []byte { return []byte{0xa1, 0xa0, 0x01} },
		"an array as a key":        func([]byte) []byte { return []byte{0xa1, 0x80, 0x01} },
	} {
		wantKey(t, name, judge(withObject(t, change)), fault.CeremonyMalformed)
	}
}

func TestAttestationObject_Truncated(t *testing.T) {
	t.Parallel()
	var whole int
	withObject(t, func(b []byte) []byte { whole = len(b); return b })
	for n := range whole - 2 { // an ECDSA signature varies by a byte or two
		wantKey(t, "cut", judge(withObject(t, func(b []byte) []byte { return b[:n] })), fault.CeremonyMalformed)
	}
}

func TestAttestationObject_Members(t *testing.T) {
	t.Parallel()
	deep := any(map[string]any{})
	for range 8 {
		deep = []any{deep}
	}
	wide := make([]any, 2000)
	for name, c := range map[string]struct {
		member string
		value  any
		want   fault.Key
	}{
		"as it is":                      {"", nil, ""},
		"more than is known":            {"epAtt", true, ""},
		"fmt we do not know":            {"fmt", "made-up", ""},
		"fmt empty":                     {"fmt", "", fault.CeremonyMalformed},
		"fmt of bytes":                  {"fmt", []byte("none"), fault.CeremonyMalformed},
		"fmt null":                      {"fmt", nil, fault.CeremonyMalformed},
		"fmt number":                    {"fmt", 1, fault.CeremonyMalformed},
		"attStmt of garbage":            {"attStmt", map[string]any{"sig": 1, "alg": "x", "x5c": []any{nil}}, ""},
		"attStmt empty":                 {"attStmt", map[string]any{}, ""},
		"attStmt with a large number":   {"attStmt", map[string]any{"n": uint64(1<<64 - 1)}, ""},
		"attStmt null":                  {"attStmt", nil, fault.CeremonyMalformed},
		"attStmt array":                 {"attStmt", []any{}, fault.CeremonyMalformed},
		"attStmt text":                  {"attStmt", "none", fault.CeremonyMalformed},
		"attStmt too deep":              {"attStmt", map[string]any{"x": deep}, fault.CeremonyMalformed},
		"attStmt too wide":              {"attStmt", map[string]any{"x": wide}, fault.CeremonyMalformed},
		"attStmt with a key of a float": {"attStmt", map[float64]any{1.5: 1}, ""},
		"authData text":                 {"authData", strings.Repeat("a", 200), fault.CeremonyMalformed},
		"authData null":                 {"authData", nil, fault.CeremonyMalformed},
		"authData empty":                {"authData", []byte{}, fault.CeremonyMalformed},
		"authData array of numbers":     {"authData", slices.Repeat([]int{1}, 200), fault.CeremonyMalformed},
	} {
		text := registrationOver(t, authenticator.Tampering{Attestation: func(m map[string]any) {
			if c.member != "" {
				m[c.member] = c.value
			}
		}})
		wantKey(t, name, judge(text), c.want)
	}
	for _, name := range []string{"fmt", "attStmt", "authData"} {
		for what, change := range map[string]func(m map[string]any){
			"missing":       func(m map[string]any) { delete(m, name) },
			"in upper case": func(m map[string]any) { m[strings.ToUpper(name)] = m[name]; delete(m, name) },
		} {
			wantKey(t, name+" "+what, judge(registrationOver(t, authenticator.Tampering{Attestation: change})), fault.CeremonyMalformed)
		}
	}
}

func TestAttestation_Compound(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		statement any
		want      fault.Key
	}{
		"an array": {[]any{map[string]any{"fmt": "none", "attStmt": map[string]any{"x5c": []any{[]byte{1}}}}}, ""},
		"a map":    {map[string]any{}, fault.CeremonyMalformed},
	} {
		text := registrationOver(t, authenticator.Tampering{Attestation: func(m map[string]any) {
			m["fmt"], m["attStmt"] = "compound", c.statement
		}})
		wantKey(t, what, judge(text), c.want)
	}
}

func TestAttestation_DuplicateMembers(t *testing.T) {
	t.Parallel()
	// {"fmt": "packed", "attStmt": {"alg": 1, "alg": 2}, "authData": …}
	statement := append([]byte{0xa2}, "\x63alg\x01\x63alg\x02"...)
	text := withObject(t, func(b []byte) []byte {
		var object map[string]any
		if err := webauthncbor.Unmarshal(b, &object); err != nil {
			t.Fatal(err)
		}
		out := append([]byte{0xa3}, "\x63fmt\x66packed\x67attStmt"...)
		out = append(append(out, statement...), "\x68authData"...)
		return append(out, cborOf(t, object["authData"])...)
	})
	wantKey(t, "duplicate in attStmt", judge(text), fault.CeremonyMalformed)
}

// The flags of authenticator data determine its length; a missing or extra byte is
// refused.
func TestAuthenticatorData_LengthByFlags(t *testing.T) {
	t.Parallel()
	extension := cborOf(t, map[string]any{"credProtect": 2, "x": map[string]any{"y": []byte{1}}})
	const attested, extended = authenticator.FlagAttested, authenticator.FlagExtensions
	for name, c := range map[string]struct {
		change               func(*authenticator.AuthData)
		registration, signIn fault.Key
	}{
		"reserved flags":     {func(d *authenticator.AuthData) { d.Flags |= 0x22 }, "", ""},
		"backed up":          {func(d *authenticator.AuthData) { d.Flags |= authenticator.FlagBackedUp }, "", ""},
		"no presence":        {func(d *authenticator.AuthData) { d.Flags &^= authenticator.FlagUserPresent }, "", ""},
		"counter at its end": {func(d *authenticator.AuthData) { d.SignCount = 1<<32 - 1 }, "", ""},
		"extensions":         {extend(extension), "", ""},
		"no extension in it": {extend([]byte{0xa0}), "", ""},
		"extensions unannounced": {func(d *authenticator.AuthData) { d.Extensions = extension },
			fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions missing":     {func(d *authenticator.AuthData) { d.Flags |= extended }, fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions null":        {extend([]byte{0xf6}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions undefined":   {extend([]byte{0xf7}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions array":       {extend([]byte{0x80}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions bytes":       {extend([]byte{0x40}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions cut":         {extend(extension[:len(extension)-1]), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions and more":    {extend(append(bytes.Clone(extension), 0)), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"two maps of extensions": {extend([]byte{0xa0, 0xa0}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions twice":       {extend([]byte{0xa2, 0x61, 0x61, 0x01, 0x61, 0x61, 0x02}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions by number":   {extend([]byte{0xa1, 0x01, 0x01}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"extensions indefinite":  {extend([]byte{0xbf, 0xff}), fault.CeremonyMalformed, fault.CeremonyMalformed},
		"attestation missing": {func(d *authenticator.AuthData) { d.Attested, d.Flags = nil, d.Flags|attested },
			fault.CeremonyMalformed, fault.CeremonyMalformed},
		"attestation unannounced": {func(d *authenticator.AuthData) { d.Attested, d.Flags = someCredential(t), d.Flags&^attested },
			fault.CeremonyMalformed, fault.CeremonyMalformed},
		"no attestation": {func(d *authenticator.AuthData) { d.Attested, d.Flags = nil, d.Flags&^attested }, fault.CeremonyMalformed, ""},
		"an attestation of another": {func(d *authenticator.AuthData) { d.Attested, d.Flags = someCredential(t), d.Flags|attested },
			fault.CeremonyMalformed, fault.CeremonyMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{AuthData: c.change})
			wantKey(t, "registration", judge(p.registration), c.registration)
			wantKey(t, "sign-in", judgeSignIn(p.assertion), c.signIn)
		})
	}
}

func extend(extensions []byte) func(*authenticator.AuthData) {
	return func(d *authenticator.AuthData) {
		d.Flags |= authenticator.FlagExtensions
		d.Extensions = extensions
	}
}

func someCredential(t testing.TB) *authenticator.AttestedCredential {
	t.Helper()
	return &authenticator.AttestedCredential{ID: []byte{1, 2, 3}, PublicKey: cborOf(t, map[int]any{1: 1, 3: -8, -1: 6, -2: make([]byte, 32)})}
}

func TestAuthenticatorData_TruncatedOrPadded(t *testing.T) {
	t.Parallel()
	lengths := map[string]int{}
	ceremonies(t, authenticator.Options{}, authenticator.Tampering{AuthDataBytes: func(b []byte) []byte {
		lengths[map[bool]string{true: "registration", false: "sign-in"}[len(b) > 37]] = len(b)
		return b
	}})
	for name, whole := range lengths {
		for n := range whole + 3 {
			if n == whole {
				continue
			}
			for _, e := range both(t, authenticator.Options{}, authenticator.Tampering{AuthDataBytes: func(b []byte) []byte {
				return append(bytes.Clone(b), make([]byte, whole+3)...)[:n]
			}}) {
				if e.name == name {
					wantKey(t, e.name, e.judge(e.text), fault.CeremonyMalformed)
				}
			}
		}
	}
}

// A credential ID has 1 to 1023 bytes (Web Authentication section 5.1); a wrong length in
// front of it is refused, be it too large or too small.
func TestCredentialID_Length(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		length int
		want   fault.Key
	}{{0, fault.CeremonyMalformed}, {1, ""}, {16, ""}, {255, ""}, {256, ""}, {1023, ""}, {1024, fault.CeremonyMalformed}, {65535, fault.CeremonyMalformed}} {
		id := bytes.Repeat([]byte{7}, c.length)
		text := ceremonies(t, authenticator.Options{}, authenticator.Tampering{
			AuthData: func(d *authenticator.AuthData) {
				if d.Attested != nil {
					d.Attested.ID = id
				}
			},
			Credential: func(m map[string]any) { m["id"], m["rawId"] = encode(id), encode(id) },
		}).registration
		wantKey(t, fmt.Sprintf("an ID of %d bytes", c.length), judge(text), c.want)
	}
	for _, announced := range []uint16{0, 1, 31, 33, 1024, 65535} {
		text := registrationOver(t, authenticator.Tampering{AuthDataBytes: func(b []byte) []byte {
			out := bytes.Clone(b)
			if len(out) > 55 {
				binary.BigEndian.PutUint16(out[53:], announced)
			}
			return out
		}})
		wantKey(t, "a wrong length announced", judge(text), fault.CeremonyMalformed)
	}
}

func TestCredential_CopiesOfAuthenticatorData(t *testing.T) {
	t.Parallel()
	p := ceremonies(t, authenticator.Options{}, authenticator.Tampering{})
	wantKey(t, "equal", judge(p.registration), "")
	other := bytes.Repeat([]byte{1}, 37)
	wantKey(t, "another authenticatorData", judge(set(t, p.registration, "response.authenticatorData", encode(other))), fault.CeremonyMalformed)
	for _, unread := range []string{encode(other[1:]), encode(other) + "==", base64.StdEncoding.EncodeToString(other)} {
		wantKey(t, "an authenticatorData that nobody can read", judge(set(t, p.registration, "response.authenticatorData", unread)), "")
	}
}
