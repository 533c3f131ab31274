package decoy_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/decoy"
)

// realAnswers differ as much as platforms may write them.
var realAnswers = map[string]string{
	"the sandbox's": `{"challenge":"CHALLENGE","timeout":180000,"rpId":"example.org","allowCredentials":[{"type":"public-key","id":"ID"}],"userVerification":"preferred"}`,
	"with more":     `{"allowCredentials":[{"transports":["usb"],"id":"ID","type":"public-key"},{"id":"TWO","type":"public-key"}],"extensions":{"uvm":true},"hints":[],"rpId":"example.org","timeout":1.2e5,"challenge":"CHALLENGE"}`,
	"wrapped":       `{"publicKey":{"challenge":"CHALLENGE","allowCredentials":[{"id":"ID","type":"public-key","transports":[]}]},"mediation":"optional"}`,
	"pretty": `{
  "challenge" : "CHALLENGE",
  "rpId" : "example.org",
  "allowCredentials" : [ {
    "type" : "public-key",
    "id" : "ID",
    "transports" : [ "internal" ]
  } ],
  "userVerification" : "required"
}
`,
	"padded":         `{"challenge":"CHALLENGE=","allowCredentials":[{"type":"public-key","id":"ID="}],"rpId":"example.org","extensions":{"appid":"https://example.org/u2f"}}`,
	"with secrets":   `{"challenge":"CHALLENGE","allowCredentials":[{"type":"public-key","id":"ID","name":"Alice's phone"}],"extensions":{"prf":{"evalByCredential":{"ID":{}}}},"user":"alice@sandbox","userVerification":"alice@sandbox"}`,
	"no credentials": `{"challenge":"CHALLENGE","rpId":"example.org","timeout":60000}`,
	"null":           `{"challenge":"CHALLENGE","rpId":"example.org","allowCredentials":null}`,
}

func realAnswer(name string) string {
	return strings.NewReplacer("CHALLENGE", encode(32, 0xa1), "ID", encode(20, 0xa2), "TWO", encode(48, 0xa3)).Replace(realAnswers[name])
}

var (
	credentialForm = regexp.MustCompile(`"allowCredentials":\[.*?\}\]`)
	challengeForm  = regexp.MustCompile(`("challenge":)"[A-Za-z0-9_-]{43}"`)
)

// looks returns a request without its random bytes and without the number of its
// credentials.
func looks(text string) string {
	return credentialForm.ReplaceAllStringFunc(challengeForm.ReplaceAllString(text, "$1"), func(list string) string {
		return fmt.Sprint(strings.Contains(list, "public-key"), strings.Contains(list, "transports"))
	})
}

// Whatever the platform's format, its real requests and the decoys look alike.
func TestDecoy_LooksLikeRealRequest(t *testing.T) {
	t.Parallel()
	for name := range realAnswers {
		s := node(embedded(t))
		shown := real(t, s, fido2, alice, realAnswer(name))
		for i := range 50 {
			if got := made(t, s, fido2, nobody(i)); looks(got) != looks(shown) {
				t.Errorf("%s:\n real  %s\n decoy %s", name, shown, got)
				break
			}
		}
	}
}

// A real request keeps its own credentials and challenge, and loses members that the
// protocol does not define.
func TestRealRequest_KeepsCredentialsAndChallenge(t *testing.T) {
	t.Parallel()
	shown := real(t, node(embedded(t)), fido2, alice, realAnswer("with more"))
	want := `{"challenge":"` + encode(32, 0xa1) + `","timeout":120000,"rpId":"example.org","allowCredentials":[` +
		`{"type":"public-key","id":"` + encode(20, 0xa2) + `","transports":["usb"]},{"type":"public-key","id":"` + encode(48, 0xa3) + `"}],"extensions":{"uvm":true}}`
	if shown != want {
		t.Errorf("shown %s\nwant  %s", shown, want)
	}
	for _, secret := range []string{"Alice", "alice", "prf"} {
		if shown := real(t, node(embedded(t)), fido2, alice, realAnswer("with secrets")); strings.Contains(shown, secret) {
			t.Errorf("%s shows %s", shown, secret)
		}
	}
}

func TestRealRequest_Invalid(t *testing.T) {
	t.Parallel()
	r := recall(t, node(embedded(t)))
	for text, want := range map[string]error{
		"": nil, "[]": nil, "null": nil, `{"challenge":"AAAA"`: nil, `{"challenge":1}`: nil, `{"challenge":"AAAA","allowCredentials":"x"}`: nil,
		`{"challenge":"AAAA","allowCredentials":["x"]}`: nil, `{"challenge":"AAAA","allowCredentials":[{"type":"public-key","id":"*"}]}`: nil,
		`{"challenge":"AAAA","challenge":"AAAA"}`:                                  nil,
		`{"challenge":"AAAA","allowCredentials":[]}`:                               decoy.ErrNoCredentials,
		`{"publicKey":{"challenge":"AAAA","allowCredentials":[]}}`:                 decoy.ErrNoCredentials,
		`{"challenge":"AAAA","allowCredentials":[{"type":"x","id":"AAAAAAAAAA"}]}`: decoy.ErrNoCredentials,
	} {
		shown, err := r.Real(t.Context(), fido2, alice, text)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%q: %s, %v", text, shown, err)
		}
	}
}

// A person's credentials stay the same, on any node, whatever was asked, answered or lost
// meanwhile; the challenge changes.
func TestCredentials_StayPerUser(t *testing.T) {
	t.Parallel()
	client := embedded(t)
	s := node(client)
	first := decode(t, made(t, s, fido2, "nobody@sandbox"))
	ids := func(o options) string {
		var all []string
		for _, c := range o.AllowCredentials {
			all = append(all, c.ID)
		}
		return fmt.Sprint(all)
	}
	for name := range realAnswers {
		real(t, s, fido2, alice, realAnswer(name))
		if strings.HasPrefix(name, "n") {
			client.FlushDB(t.Context())
			s = node(client)
		}
		for _, q := range []decoy.Question{fido2, {Protocol: fido2.Protocol, UserVerification: "required"}} {
			o := decode(t, made(t, s, q, "nobody@sandbox"))
			if ids(o) != ids(first) {
				t.Errorf("after %q: %v, first %v", name, ids(o), ids(first))
			}
			if o.Challenge == first.Challenge {
				t.Error("the same challenge twice")
			}
		}
		real(t, s, fido2, alice, realAnswer("the sandbox's"))
	}
}

// One person's credentials without transports do not change anybody else's.
func TestTransports_StayForOtherUsers(t *testing.T) {
	t.Parallel()
	s := node(embedded(t))
	real(t, s, fido2, alice, realAnswer("pretty"))
	before := decode(t, made(t, s, fido2, "nobody@sandbox")).AllowCredentials
	real(t, s, fido2, "bob@sandbox", realAnswer("the sandbox's"))
	after := decode(t, made(t, s, fido2, "nobody@sandbox")).AllowCredentials
	if len(before[0].Transports) == 0 || fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("%v, before %v", after, before)
	}
}

// Decoys vary in number and kind like people's credentials.
func TestCredentials_VaryBetweenUsers(t *testing.T) {
	t.Parallel()
	s := node(embedded(t))
	real(t, s, fido2, alice, realAnswer("pretty"))
	r := recall(t, s)
	const people = 600
	seen, lengths, transports, counts := map[string]bool{}, map[int]int{}, map[string]int{}, map[int]int{}
	for i := range people {
		text, err := r.Decoy(fido2, nobody(i))
		if err != nil {
			t.Fatal(err)
		}
		o := decode(t, text)
		counts[len(o.AllowCredentials)]++
		for _, c := range o.AllowCredentials {
			if seen[c.ID] {
				t.Fatalf("credential %s twice", c.ID)
			}
			seen[c.ID] = true
			lengths[len(c.ID)]++
			transports[fmt.Sprint(c.Transports)]++
		}
	}
	if counts[1] < people/2 || counts[2] < people/8 || counts[3] < people/12 || len(counts) != 3 || len(lengths) != 5 || len(transports) != 4 {
		t.Errorf("counts %v, lengths %v, transports %v", counts, lengths, transports)
	}
	other := decoy.New(decoy.Options{Redis: embedded(t), Key: []byte("another key")})
	for _, c := range decode(t, made(t, other, fido2, nobody(0))).AllowCredentials {
		if seen[c.ID] {
			t.Error("the key does not matter")
		}
	}
}

// Each question has its own parameters; a question never answered takes those without a
// preference, with the preference put in, and before any answer the settings'.
func TestDecoy_FollowsRequestParameters(t *testing.T) {
	t.Parallel()
	s := node(embedded(t))
	asking := func(verification string) decoy.Question {
		return decoy.Question{Protocol: fido2.Protocol, UserVerification: verification}
	}
	want := func(when, verification string, timeout float64, shown string) {
		o := decode(t, made(t, s, asking(verification), "nobody@sandbox"))
		if o.Timeout != timeout || o.UserVerification != shown || o.RPID != rpID {
			t.Errorf("%s, asked for %q: %+v", when, verification, o)
		}
	}
	want("first", "", 180_000, "preferred")
	want("first", "required", 180_000, "required")
	real(t, s, asking(""), alice, strings.Replace(realAnswer("the sandbox's"), "180000", "90000", 1))
	want("answered", "", 90_000, "preferred")
	want("answered", "discouraged", 90_000, "discouraged")
	real(t, s, asking("required"), alice, realAnswer("pretty"))
	want("answered", "required", 0, "required")
	want("answered", "discouraged", 90_000, "discouraged")
	real(t, s, asking(""), alice, realAnswer("no credentials"))
	want("without the member", "discouraged", 60_000, "")
}

// The requestID belongs to the challenge, and reveals nothing about it.
func TestRequestID_BelongsToChallenge(t *testing.T) {
	t.Parallel()
	one, two := node(embedded(t)), node(embedded(t))
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var seen []string
	for _, challenge := range []string{"", "a", "b", "alice@sandbox"} {
		id := one.RequestID([]byte(challenge))
		if !form.MatchString(id) || id != two.RequestID([]byte(challenge)) || slices.Contains(seen, id) {
			t.Errorf("%q: %s, %v", challenge, id, seen)
		}
		seen = append(seen, id)
	}
	other := decoy.New(decoy.Options{Redis: embedded(t), Key: []byte("another key")})
	if slices.Contains(seen, other.RequestID([]byte("a"))) {
		t.Error("the key does not matter")
	}
}

// No authenticator has the credentials of a decoy.
func TestDecoy_MatchesNoAuthenticator(t *testing.T) {
	t.Parallel()
	a := authenticator.NewFIDO2(authenticator.Options{Origin: "https://example.org", Discoverable: true})
	if _, err := a.Create(`{"challenge":"AAAAAAAAAAAAAAAAAAAAAA","rp":{"id":"example.org","name":"x"},"user":{"id":"AAAA","name":"a","displayName":"a"},"pubKeyCredParams":[{"type":"public-key","alg":-7}]}`); err != nil {
		t.Fatal(err)
	}
	if text, err := a.Get(made(t, node(embedded(t)), fido2, alice)); err == nil {
		t.Errorf("answered %s", text)
	}
}
