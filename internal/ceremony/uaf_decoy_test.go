package ceremony_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/uaf"
)

// sealedFor is serverData as many servers write it: a MAC, and the user.
func sealedFor(who string) string { return encode(append(challenge("mac "+who), who...)) }

// realUAF is a request to sign in with alice's key, as the sandbox writes it.
func realUAF(t testing.TB) string {
	t.Helper()
	return keyOf(t, user, aaid, 32)
}

func keyOf(t testing.TB, who string, model uaf.AAID, length int) string {
	t.Helper()
	text, err := uaf.AuthenticationRequest{
		Header:    uaf.NewHeader(uaf.OperationAuthentication, appID, sealedFor(who)),
		Challenge: encode(challenge("of " + who)),
		Policy:    uaf.AuthenticationPolicy([]uaf.KeyReference{{AAID: model, KeyID: bytes.Repeat(challenge("key of "+who), 64)[:length]}}),
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func uafShape(t testing.TB, last, request, who string) string {
	t.Helper()
	status := int64(1200)
	shape, err := ceremony.Shape(ceremony.UAF11, last, ceremony.Offer{Request: request, UAFStatusCode: &status}, who)
	if err != nil {
		t.Fatalf("shape of %s: %v", request, err)
	}
	return shape
}

func uafDecoy(t testing.TB, shape, who string) string {
	t.Helper()
	got, err := ceremony.NewDecoy(ceremony.UAF11, decoyKey, shape, who)
	if err != nil {
		t.Fatalf("decoy of %s: %v", shape, err)
	}
	if got.RequestID != "" || got.UAFStatusCode == nil || *got.UAFStatusCode != 1200 {
		t.Errorf("requestID %q, UAF status %v", got.RequestID, got.UAFStatusCode)
	}
	return got.Request
}

// parsed is a request as its client reads it.
func parsed(t testing.TB, request string) *uaf.AuthenticationRequest {
	t.Helper()
	r, err := uaf.ParseAuthenticationRequest(request)
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	return r
}

func keyIn(t testing.TB, request string) uaf.MatchCriteria {
	t.Helper()
	accepted := parsed(t, request).Policy.Accepted
	if len(accepted) != 1 || len(accepted[0]) != 1 || len(accepted[0][0].KeyIDs) != 1 || len(accepted[0][0].AAIDs) != 1 {
		t.Fatalf("policy of %s", request)
	}
	return accepted[0][0]
}

var uafBytes = regexp.MustCompile(`"(challenge|serverData)"(\s*):(\s*)"[A-Za-z0-9_-]+"|"(keyIDs)"(\s*):(\s*)\[(\s*)"[A-Za-z0-9_-]+(=*)"`)

// Before and after a user has a key, the request for it differs in nothing but
// the bytes in it, each as many as before.
func TestUAFDecoyLooksReal(t *testing.T) {
	t.Parallel()
	shape := uafShape(t, "", realUAF(t), user)
	for _, who := range []string{"bob@sandbox", "a-rather-long-name.indeed@sandbox", user} {
		real := keyOf(t, who, aaid, 32)
		for name, s := range map[string]string{"learnt": shape, "learnt from the other": uafShape(t, shape, real, who)} {
			decoy := uafDecoy(t, s, who)
			if got, want := uafBytes.ReplaceAllString(decoy, ""), uafBytes.ReplaceAllString(real, ""); got != want || len(decoy) != len(real) {
				t.Errorf("%s, %s:\n real  %s\n decoy %s", who, name, real, decoy)
			}
			sealed, err := base64.RawURLEncoding.DecodeString(parsed(t, decoy).Header.ServerData)
			if err != nil || string(sealed[32:]) != who {
				t.Errorf("%s: serverData %q, %v", who, sealed, err)
			}
		}
	}
}

// The request stays as it was written, whatever else is in it.
func TestUAFDecoyKeepsTheForm(t *testing.T) {
	t.Parallel()
	key := encode(challenge("key"))
	for name, real := range map[string]string{
		"pretty": `[ { "header" : { "upv" : { "minor" : 1, "major" : 1 }, "op" : "Auth" },
			"challenge" : "CHALLENGE",
			"policy" : { "accepted" : [ [ { "keyIDs" : [ "KEY" ], "aaid" : [ "ABCD#1234" ], "attachmentHint" : 1 } ] ], "disallowed" : [ { "aaid" : [ "0000#0000" ] } ] } } ]`,
		"without a model": `[{"policy":{"accepted":[[{"keyIDs":["KEY"],"authenticationAlgorithms":[1],"assertionSchemes":["UAFV1TLV"]}]]},` +
			`"header":{"upv":{"major":1,"minor":1},"op":"Auth","serverData":"SEALED"},"challenge":"CHALLENGE"}]`,
		"without keys": `[{"header":{"upv":{"major":1,"minor":1},"op":"Auth"},"challenge":"CHALLENGE","policy":{"accepted":[[{"aaid":["ABCD#1234"]}],[{"aaid":["ABCD#5678"]}]]}}]`,
		"two versions": `[{"header":{"upv":{"major":1,"minor":0},"op":"Auth"},"challenge":"CHALLENGE","policy":{"accepted":[[{"aaid":["ABCD#1234"],"keyIDs":["KEY"]}]]}},` +
			`{"header":{"upv":{"major":1,"minor":1},"op":"Auth"},"challenge":"CHALLENGE","policy":{"accepted":[[{"aaid":["ABCD#1234"],"keyIDs":["KEY"]}]]}}]`,
		"with extensions": `[{"header":{"upv":{"major":1,"minor":1},"op":"Auth","exts":[{"id":"a","data":"true","fail_if_unknown":false},{"id":"b","data":"","fail_if_unknown":false}]},` +
			`"challenge":"CHALLENGE","policy":{"accepted":[[{"aaid":["ABCD#1234"],"keyIDs":["KEY"],"exts":[{"id":"c","data":"1.1","fail_if_unknown":false}]}]]}}]`,
		"with nulls": `[{"header":{"upv":{"major":1,"minor":1},"op":"Auth","serverData":null,"exts":null},"transaction":null,` +
			`"challenge":"CHALLENGE","policy":{"accepted":[[{"aaid":["ABCD#1234"],"keyIDs":["KEY"]}]],"disallowed":null}}]`,
	} {
		real = strings.NewReplacer("CHALLENGE", encode(challenge("x")), "KEY", key, "SEALED", sealedFor("nobody")).Replace(real)
		shape := uafShape(t, "", real, user)
		decoy := uafDecoy(t, shape, user)
		if got, want := uafBytes.ReplaceAllString(decoy, ""), uafBytes.ReplaceAllString(real, ""); got != want {
			t.Errorf("%s:\n real  %s\n decoy %s", name, real, decoy)
		}
		for _, secret := range []string{key, encode(challenge("x")), sealedFor("nobody")} {
			if strings.Contains(decoy, secret) || strings.Contains(shape, secret) {
				t.Errorf("%s: %s is in the shape %s or the decoy %s", name, secret, shape, decoy)
			}
		}
		if _, err := ceremony.FromAuthenticationRequest(ceremony.UAF11, decoy); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestUAFShapeHoldsNothingOfThePerson(t *testing.T) {
	t.Parallel()
	real := strings.Replace(realUAF(t), `"op":"Auth"`, `"op":"Auth","exts":[{"id":"device","data":"Alice's old telephone","fail_if_unknown":false}]`, 1)
	shape := uafShape(t, "", real, user)
	r := parsed(t, realUAF(t))
	for _, secret := range []string{user, "Alice", r.Challenge, r.Header.ServerData, r.Policy.Accepted[0][0].KeyIDs[0]} {
		if strings.Contains(shape, secret) || strings.Contains(uafDecoy(t, shape, "bob@sandbox"), secret) {
			t.Errorf("%q is in the shape %s", secret, shape)
		}
	}
	if got := uafShape(t, "", keyOf(t, "bob@sandbox", aaid, 32), "bob@sandbox"); got != uafShape(t, "", realUAF(t), user) {
		t.Errorf("two people have two shapes, one %s", got)
	}
}

// What a server's own data looks like, decoys' does.
func TestUAFDecoyServerData(t *testing.T) {
	t.Parallel()
	for real, form := range map[string]string{
		"0123456789abcdef0123456789abcdef":        `^[0-9a-f]{32}$`,
		"0123456789ABCDEF0123456789ABCDEF":        `^[0-9A-F]{32}$`,
		"4711":                                    `^[0-9]{4}$`,
		encode(challenge("a")):                    `^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$`,
		encode(challenge("a")) + "." + "Zm9vYmFy": `^[A-Za-z0-9_-]{43}\.[A-Za-z0-9_-]{8}$`,
		base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{0xfb, 0xf0, 0x12, 0x99}, 7)): `^[A-Za-z0-9+/]{38}==$`,
	} {
		request := strings.Replace(realUAF(t), sealedFor(user), real, 1)
		shape := uafShape(t, "", request, user)
		one, two := parsed(t, uafDecoy(t, shape, user)).Header.ServerData, parsed(t, uafDecoy(t, shape, user)).Header.ServerData
		if match := regexp.MustCompile(form).MatchString; !match(one) || !match(two) || one == two || one == real {
			t.Errorf("%s: decoys %s and %s, want %s", real, one, two, form)
		}
	}
}

func TestUAFShapeRefuses(t *testing.T) {
	t.Parallel()
	real := realUAF(t)
	key := parsed(t, real).Policy.Accepted[0][0].KeyIDs[0]
	for name, text := range map[string]string{
		"nothing": "", "an object": "{}", "no dictionary": "[1]", "cut": real[:len(real)-2],
		"a member of unknown use":         strings.Replace(real, `"policy":`, `"username":"alice","policy":`, 1),
		"an unknown member in the header": strings.Replace(real, `"op":`, `"user":"x","op":`, 1),
		"an unknown member in criteria":   strings.Replace(real, `"keyIDs":`, `"name":"Alice's phone","keyIDs":`, 1),
		"an unknown member in the policy": strings.Replace(real, `"accepted":`, `"of":"x","accepted":`, 1),
		"an unknown member in exts":       strings.Replace(real, `"op":`, `"exts":[{"id":"a","of":"x"}],"op":`, 1),
		"a transaction":                   strings.Replace(real, `"policy":`, `"transaction":[{"contentType":"text/plain","content":"eA"}],"policy":`, 1),
		"disallowed keys":                 strings.Replace(real, `"accepted":`, `"disallowed":[{"aaid":["ABCD#1234"],"keyIDs":["`+key+`"]}],"accepted":`, 1),
		"a key in the appID":              strings.Replace(real, appID, appID+"?"+key, 1),
		"the user in the appID":           strings.Replace(real, appID, appID+"?ALICE@sandbox", 1),
		"no AAID":                         strings.Replace(real, string(aaid), "alice", 1),
		"a key that is none":              strings.Replace(real, key, "a key", 1),
		"serverData of number":            strings.Replace(real, `"`+sealedFor(user)+`"`, "1", 1),
	} {
		if shape, err := ceremony.Shape(ceremony.UAF11, "", ceremony.Offer{Request: text}, user); err == nil {
			t.Errorf("%s: shape %s", name, shape)
		}
	}
	for _, accepted := range []string{`[]`, ` [ ] `} {
		text := regexp.MustCompile(`"accepted":.*\]\]`).ReplaceAllString(real, `"accepted":`+accepted)
		if shape, err := ceremony.Shape(ceremony.UAF11, "", ceremony.Offer{Request: text}, user); !errors.Is(err, ceremony.ErrNoCredentials) {
			t.Errorf("%s: shape %s, %v", text, shape, err)
		}
	}
}

// A person's key stays theirs, whoever signs in with what; a model that was not
// seen before becomes that of few, with another key.
func TestUAFDecoyIsStable(t *testing.T) {
	t.Parallel()
	const people, models = 200, 8
	name := func(i int) string { return fmt.Sprintf("nobody%d@sandbox", i) }
	shape, before := "", make([]uaf.MatchCriteria, people)
	for m := range models {
		shape = uafShape(t, shape, keyOf(t, user, uaf.AAID(fmt.Sprintf("ABCD#%04d", m)), 32+m), user)
		again := uafShape(t, shape, keyOf(t, "bob@sandbox", uaf.AAID(fmt.Sprintf("ABCD#%04d", m/2)), 99), "bob@sandbox")
		if m > 0 && again != shape {
			t.Errorf("a model seen before changed the shape from %s to %s", shape, again)
		}
		changed := 0
		for i := range people {
			key := keyIn(t, uafDecoy(t, again, name(i)))
			switch moved := !slices.Equal(key.AAIDs, before[i].AAIDs); {
			case moved == slices.Equal(key.KeyIDs, before[i].KeyIDs):
				t.Errorf("%s: %v, before %v", name(i), key, before[i])
			case moved:
				changed++
			}
			before[i] = key
		}
		if expected := people / (m + 1); m > 0 && (changed < expected/3 || changed > expected*3) {
			t.Errorf("with model %d %d people changed theirs, expected about %d", m, changed, expected)
		}
	}
}

func TestUAFDecoysDiffer(t *testing.T) {
	t.Parallel()
	shape := firstShape(t, ceremony.UAF11, "")
	seen := map[string]bool{}
	for i := range 200 {
		key := keyIn(t, uafDecoy(t, shape, fmt.Sprintf("nobody%d@sandbox", i)))
		if seen[key.KeyIDs[0]] {
			t.Fatalf("key %s twice", key.KeyIDs[0])
		}
		seen[key.KeyIDs[0]] = true
	}
	other, err := ceremony.NewDecoy(ceremony.UAF11, []byte("another key"), shape, "nobody0@sandbox")
	if err != nil || seen[keyIn(t, other.Request).KeyIDs[0]] {
		t.Errorf("the key does not matter, %v", err)
	}
	one, two := parsed(t, uafDecoy(t, shape, user)), parsed(t, uafDecoy(t, shape, user))
	if one.Challenge == two.Challenge || one.Header.ServerData == two.Header.ServerData {
		t.Error("the same challenge or serverData twice")
	}
}

// Until a real answer was seen, a decoy is the sandbox's kind of request.
func TestFirstUAFDecoy(t *testing.T) {
	t.Parallel()
	got := uafDecoy(t, firstShape(t, ceremony.UAF11, ""), user)
	real := keyOf(t, user, softuaf.DemoAAID, 32)
	if uafBytes.ReplaceAllString(got, "") != uafBytes.ReplaceAllString(real, "") || len(got) != len(real) {
		t.Errorf("the sandbox sends %s, the decoy is %s", real, got)
	}
	request, err := ceremony.FromAuthenticationRequest(ceremony.UAF11, got)
	if err != nil || request.AppID != appID || len(request.Challenge) != 32 || len(request.TransactionHash) != 0 {
		t.Errorf("%+v, %v", request, err)
	}
	bare, err := ceremony.DefaultShape(ceremony.UAF11, ceremony.Setting{}, "")
	if err != nil || parsed(t, uafDecoy(t, bare, user)).Header.AppID != "" {
		t.Errorf("without an appID: %s, %v", bare, err)
	}
}

func TestUAFDecoyOfABrokenShape(t *testing.T) {
	t.Parallel()
	for _, request := range []string{"", "{}", "[1]", `[{"header":1}]`, `[{"header":{"serverData":"x"}}]`, `[{"header":{"serverData":{"before":-1}}}]`,
		`[{"header":{"serverData":{"after":999999999}}}]`, `[{"challenge":1}]`, `[{"policy":{"accepted":1}}]`, `[{"policy":{"accepted":[1]}}]`,
		`[{"policy":{"accepted":[[1]]}}]`, `[{"policy":{"accepted":[[{"keyIDs":1}]]}}]`} {
		shape := fmt.Sprintf(`{"authenticationRequest":%q,"models":[{"aaid":"","keyID":-1}]}`, request)
		if got, err := ceremony.NewDecoy(ceremony.UAF11, decoyKey, shape, user); err == nil {
			t.Errorf("%s: decoy %v", shape, got)
		}
	}
}

// Nobody holds the key of a decoy, whatever the authenticator.
func TestNobodyAnswersAUAFDecoy(t *testing.T) {
	t.Parallel()
	a := phone(t, func(o *softuaf.Options) { o.AAID = softuaf.DemoAAID })
	if _, err := a.Register(registrationRequest(t, func(r *uaf.RegistrationRequest) {
		r.Policy = uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{softuaf.DemoAAID}}}}}
	})); err != nil {
		t.Fatal(err)
	}
	if text, err := a.Authenticate(uafDecoy(t, firstShape(t, ceremony.UAF11, ""), user)); !errors.Is(err, softuaf.ErrNoKey) {
		t.Errorf("answered %s, %v", text, err)
	}
}
