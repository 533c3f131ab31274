package decoy_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/ceremony"
	"countersign/internal/decoy"
	"countersign/internal/uaf"
)

const aaid = uaf.AAID("ABCD#1234")

// sealedFor returns a serverData in the form of many servers: a MAC, and the user.
func sealedFor(user string) string {
	return base64.RawURLEncoding.EncodeToString(append(bytes.Repeat([]byte{0xb1}, 32), user...))
}

// realUAF returns a request to sign in with keys of models, as the sandbox writes it.
func realUAF(t testing.TB, user string, models ...uaf.AAID) string {
	t.Helper()
	var keys []uaf.KeyReference
	for _, model := range models {
		keys = append(keys, uaf.KeyReference{AAID: model, KeyID: bytes.Repeat([]byte(user[:1]), 32)})
	}
	text, err := uaf.AuthenticationRequest{
		Header:    uaf.NewHeader(uaf.OperationAuthentication, appID, sealedFor(user)),
		Challenge: encode(32, 0xb2),
		Policy:    uaf.AuthenticationPolicy(keys),
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var uafBytes = regexp.MustCompile(`"(challenge|serverData|keyIDs)":\[?"[A-Za-z0-9_-]+"`)

// uafLooks returns a request with its random bytes replaced by their length, and with
// only one of its keys.
func uafLooks(text string) string {
	text = regexp.MustCompile(`(\[\{"aaid".*?\}\])(,\[\{"aaid".*?"keyIDs".*?\}\])+`).ReplaceAllString(text, "$1")
	return uafBytes.ReplaceAllStringFunc(text, func(member string) string { return fmt.Sprint(member[:8], len(member)) })
}

// Requests look the same before and after a user has keys, with their serverData.
func TestUAFDecoy_LooksLikeRealRequest(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"", alice, "bo@sandbox"} {
		s := node(embedded(t), aaid)
		if before != "" {
			real(t, s, uaf11, before, realUAF(t, before, aaid))
		}
		for _, user := range []string{"carol@sandbox", "a-rather-long-name.indeed@sandbox", alice} {
			decoyed := made(t, s, uaf11, user)
			shown := real(t, s, uaf11, user, realUAF(t, user, aaid, aaid))
			if uafLooks(decoyed) != uafLooks(shown) {
				t.Errorf("%s:\n real  %s\n decoy %s", user, shown, decoyed)
			}
			request, _ := parsed(t, decoyed)
			if sealed, err := base64.RawURLEncoding.DecodeString(request.Header.ServerData); err != nil || string(sealed[32:]) != user {
				t.Errorf("%s: serverData %q, %v", user, sealed, err)
			}
		}
	}
}

// The members that the platform checks pass unchanged, with all keys; the encoder decides
// the format.
func TestRealUAFRequest_KeepsCheckedMembers(t *testing.T) {
	t.Parallel()
	id, other := encode(32, 0xc1), encode(40, 0xc2)
	for name, text := range map[string]string{
		"two alternatives": `[{"header":HEADER,"challenge":"CHALLENGE","policy":{"accepted":[[{"aaid":["ABCD#1234"],"keyIDs":["` + id + `"]}],[{"aaid":["ABCD#1234"],"keyIDs":["` + other + `"]}]]}}]`,
		"one of two keys":  ` [ { "policy" : { "disallowed":[{"aaid":["0000#0000"]}], "accepted":[[{"keyIDs":["` + id + `","` + other + `"],"aaid":["ABCD#1234"],"attachmentHint":1}]]},"challenge":"CHALLENGE","header":HEADER}]`,
		"with more": `[{"header":{"upv":{"major":1,"minor":0},"op":"Auth"},"challenge":"CHALLENGE","policy":{"accepted":[]}},` +
			`{"header":HEADER,"challenge":"CHALLENGE","user":"alice","transaction":null,"policy":{"of":"alice","disallowed":null,"accepted":[[{"name":"Alice's phone","aaid":["ABCD#1234"],"keyIDs":["` + id + `"]}],[{"aaid":["ABCD#1234"],"keyIDs":["` + other + `"],"exts":[{"id":"a","data":"Alice","fail_if_unknown":false}]}]]}}]`,
	} {
		header := `{"upv":{"major":1,"minor":1},"op":"Auth","appID":"` + appID + `","serverData":"` + sealedFor("x") + `","exts":[{"id":"a","data":"Alice","fail_if_unknown":false}]}`
		text = strings.NewReplacer("HEADER", header, "CHALLENGE", encode(20, 0xc3)).Replace(text)
		shown := real(t, node(embedded(t)), uaf11, alice, text)
		want := `[{"header":{"upv":{"major":1,"minor":1},"op":"Auth","appID":"` + appID + `","serverData":"` + sealedFor("x") + `"},"challenge":"` + encode(20, 0xc3) +
			`","policy":{"accepted":[[{"aaid":["ABCD#1234"],"keyIDs":["` + id + `"]}],[{"aaid":["ABCD#1234"],"keyIDs":["` + other + `"]}]]}}]`
		if shown != want {
			t.Errorf("%s:\nshown %s\nwant  %s", name, shown, want)
		}
	}
}

// Alternatives that name no key stay for everybody.
func TestUAFPolicy_WithoutKeys(t *testing.T) {
	t.Parallel()
	s := node(embedded(t), aaid)
	text := regexp.MustCompile(`"accepted":.*`).ReplaceAllString(realUAF(t, alice, aaid), `"accepted":[[{"aaid":["ABCD#5678"]}],`+
		`[{"userVerification":2,"authenticationAlgorithms":[1],"assertionSchemes":["UAFV1TLV"]},{"aaid":["ABCD#1234"]}]]}}]`)
	shown := real(t, s, uaf11, alice, text)
	if got := made(t, s, uaf11, alice); uafBytes.ReplaceAllString(got, "") != uafBytes.ReplaceAllString(shown, "") {
		t.Errorf("real %s\ndecoy %s", shown, got)
	}
}

// A decoy's serverData has the length of the server's own.
func TestUAFServerData_LengthLikeServers(t *testing.T) {
	t.Parallel()
	for _, sealed := range []string{"", "4711", encode(33, 1), "x." + encode(9, 1), sealedFor("ALICE@Sandbox"), strings.Repeat("A", 1536)} {
		s := node(embedded(t), aaid)
		text := strings.Replace(realUAF(t, alice, aaid), `"serverData":"`+sealedFor(alice)+`"`, `"serverData":"`+sealed+`"`, 1)
		text = strings.Replace(text, `,"serverData":""`, "", 1)
		shown, _ := parsed(t, real(t, s, uaf11, alice, text))
		one, _ := parsed(t, made(t, s, uaf11, alice))
		two, _ := parsed(t, made(t, s, uaf11, alice))
		if shown.Header.ServerData != sealed || len(one.Header.ServerData) != len(sealed) || sealed != "" && one.Header.ServerData == two.Header.ServerData {
			t.Errorf("%q is shown as %q, decoys %q and %q", sealed, shown.Header.ServerData, one.Header.ServerData, two.Header.ServerData)
		}
		if decoded, _ := base64.RawURLEncoding.DecodeString(one.Header.ServerData); strings.Contains(sealed, "QUxJQ0U") && !bytes.HasSuffix(decoded, []byte(alice)) {
			t.Errorf("without the user: %q", decoded)
		}
	}
}

func TestRealUAFRequest_Invalid(t *testing.T) {
	t.Parallel()
	r := recall(t, node(embedded(t)))
	text := realUAF(t, alice, aaid)
	accepted := func(list string) string {
		return regexp.MustCompile(`"accepted":.*\]\]`).ReplaceAllString(text, `"accepted":`+list)
	}
	for request, want := range map[string]error{
		"": nil, "{}": nil, "[1]": nil, text[:len(text)-2]: nil, strings.Replace(text, `"Auth"`, `"Reg"`, 1): nil,
		strings.Replace(text, encode(32, 0xb2), "AAAA", 1):                                                                  nil,
		accepted(`[[{"keyIDs":["` + encode(32, 1) + `"],"authenticationAlgorithms":[1],"assertionSchemes":["UAFV1TLV"]}]]`): nil,
		accepted(`[[{"aaid":["ABCD#1234"],"keyIDs":["` + encode(32, 1) + `"]},{"aaid":["ABCD#5678"]}]]`):                    nil,
		accepted(`[[{"aaid":["alice"],"keyIDs":["` + encode(32, 1) + `"]}]]`):                                               nil,
		accepted(`[[{"aaid":["ABCD#1234"],"keyIDs":["a key"]}]]`):                                                           nil,
		accepted(`[]`): decoy.ErrNoCredentials, accepted(` [ ] `): decoy.ErrNoCredentials,
	} {
		shown, err := r.Real(t.Context(), uaf11, alice, request)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %s, %v", request, shown, err)
		}
	}
}

// If the settings list the models that the platform accepts, a person's keys stay the
// same whatever was asked, answered or lost meanwhile.
func TestUAFKeys_StayPerUser(t *testing.T) {
	t.Parallel()
	models := []uaf.AAID{"ABCD#0001", "ABCD#0002", "abcd#0003"}
	client := embedded(t)
	s := node(client, models...)
	const people = 50
	before := make([]string, people)
	for round := range models {
		for i := range people {
			request, keys := parsed(t, made(t, s, uaf11, nobody(i)))
			if got := fmt.Sprint(keys); before[i] != "" && before[i] != got {
				t.Fatalf("%s: %s, before %s", nobody(i), got, before[i])
			}
			before[i] = fmt.Sprint(keys)
			if again, _ := parsed(t, made(t, s, uaf11, nobody(i))); again.Challenge == request.Challenge || again.Header.ServerData == request.Header.ServerData {
				t.Fatal("the same challenge or serverData twice")
			}
		}
		real(t, s, uaf11, alice, realUAF(t, alice, models[round], models[0]))
		if round == 1 {
			client.FlushDB(t.Context())
			s = node(client, models...)
		}
	}
}

// A model that the settings do not list becomes the model of a few people, with other
// keys; everybody else keeps theirs.
func TestUAFDecoy_UnlistedModel(t *testing.T) {
	t.Parallel()
	const people = 200
	s := node(embedded(t), "ABCD#0000", "ABCD#0001", "ABCD#0002")
	before := make([][]uaf.MatchCriteria, people)
	for i := range people {
		_, before[i] = parsed(t, made(t, s, uaf11, nobody(i)))
	}
	real(t, s, uaf11, alice, realUAF(t, alice, "ABCD#0003"))
	changed := 0
	for i := range people {
		_, keys := parsed(t, made(t, s, uaf11, nobody(i)))
		if len(keys) != len(before[i]) {
			t.Fatalf("%s: %d keys, before %d", nobody(i), len(keys), len(before[i]))
		}
		for k, got := range keys {
			was := before[i][k]
			if moved := got.AAIDs[0] != was.AAIDs[0]; moved != (got.KeyIDs[0] != was.KeyIDs[0]) || moved && got.AAIDs[0] != "ABCD#0003" {
				t.Errorf("%s: %v, before %v", nobody(i), got, was)
			} else if moved {
				changed++
			}
		}
	}
	if changed < people/6 || changed > people/2 {
		t.Errorf("%d keys of %d people changed", changed, people)
	}
}

// People have one or two keys, all of them different.
func TestUAFKeys_VaryBetweenUsers(t *testing.T) {
	t.Parallel()
	r := recall(t, node(embedded(t), "ABCD#0001", "ABCD#0002"))
	const people = 400
	seen, counts, models := map[string]bool{}, map[int]int{}, map[uaf.AAID]int{}
	for i := range people {
		text, err := r.Decoy(uaf11, nobody(i))
		if err != nil {
			t.Fatal(err)
		}
		_, keys := parsed(t, text)
		counts[len(keys)]++
		for _, k := range keys {
			if seen[k.KeyIDs[0]] {
				t.Fatalf("key %s twice", k.KeyIDs[0])
			}
			seen[k.KeyIDs[0]] = true
			models[k.AAIDs[0]]++
		}
	}
	if counts[1] < people/2 || counts[2] < people/4 || len(counts) != 2 || models["ABCD#0001"] < people/3 || models["ABCD#0002"] < people/3 {
		t.Errorf("counts %v, models %v", counts, models)
	}
}

// If no model is known at all, decoys name an invented one, the same in every decoy of an
// installation, and after a real answer that answer's.
func TestUAFDecoy_NoKnownModel(t *testing.T) {
	t.Parallel()
	s := node(embedded(t))
	first := map[uaf.AAID]bool{}
	for i := range 20 {
		_, keys := parsed(t, made(t, s, uaf11, nobody(i)))
		first[keys[0].AAIDs[0]] = true
	}
	other := decoy.New(decoy.Options{Redis: embedded(t), Key: []byte("another key")})
	if _, keys := parsed(t, made(t, other, uaf11, alice)); len(first) != 1 || first[softuaf.DemoAAID] || first[keys[0].AAIDs[0]] {
		t.Errorf("models %v, of another installation %v", first, keys[0].AAIDs)
	}
	real(t, s, uaf11, alice, realUAF(t, alice, aaid))
	if _, keys := parsed(t, made(t, s, uaf11, nobody(0))); keys[0].AAIDs[0] != aaid {
		t.Errorf("model %v", keys[0].AAIDs)
	}
}

// No authenticator has the key of a decoy.
func TestUAFDecoy_MatchesNoAuthenticator(t *testing.T) {
	t.Parallel()
	a, err := softuaf.New(softuaf.Options{AAID: softuaf.DemoAAID, Algorithm: uaf.AlgorithmP256DER, FacetID: "https://example.org"})
	if err != nil {
		t.Fatal(err)
	}
	request, err := uaf.RegistrationRequest{
		Header: uaf.NewHeader(uaf.OperationRegistration, appID, ""), Challenge: encode(32, 1), Username: alice,
		Policy: uaf.Policy{Accepted: [][]uaf.MatchCriteria{{{AAIDs: []uaf.AAID{softuaf.DemoAAID}}}}},
	}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Register(request); err != nil {
		t.Fatal(err)
	}
	if text, err := a.Authenticate(made(t, node(embedded(t), softuaf.DemoAAID), uaf11, alice)); !errors.Is(err, softuaf.ErrNoKey) {
		t.Errorf("answered %s, %v", text, err)
	}
}

// Every real request that can be shown can be parsed, and so can the decoys that follow
// it.
func FuzzReal(f *testing.F) {
	for name := range realAnswers {
		f.Add(realAnswer(name))
	}
	f.Add(realUAF(f, alice, aaid))
	f.Fuzz(func(t *testing.T, text string) {
		for _, q := range []decoy.Question{fido2, uaf11} {
			if _, err := ceremony.FromAuthenticationRequest(q.Protocol, text); err != nil {
				continue
			}
			s := node(embedded(t))
			if shown, err := recall(t, s).Real(t.Context(), q, alice, text); err == nil {
				readable(t, q, shown)
				made(t, s, q, alice)
			}
		}
	})
}
