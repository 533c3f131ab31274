package ceremony_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
)

var decoyKey = bytes.Repeat([]byte{7}, 32)

// realAnswers are as different as platforms may write them.
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
	"padded": `{"challenge":"PADDED","allowCredentials":[{"type":"public-key","id":"ID="}],"rpId":"example.org"}`,
}

func realAnswer(t testing.TB, template string) (text string, secrets []string) {
	t.Helper()
	two, id := encode(challenge("two")), encode(challenge("id"))
	padded := base64.URLEncoding.EncodeToString(challenge("challenge"))
	text = strings.NewReplacer("CHALLENGE", encode(challenge("challenge")), "PADDED", padded, "ID", id, "TWO", two).Replace(template)
	return text, []string{two, id, encode(challenge("challenge"))}
}

func shapeOf(t testing.TB, request string) string {
	t.Helper()
	shape, err := ceremony.Shape(request)
	if err != nil {
		t.Fatalf("shape of %s: %v", request, err)
	}
	return shape
}

func decoy(t testing.TB, shape, user string) string {
	t.Helper()
	text, requestID, err := ceremony.NewDecoy(decoyKey, shape, user, rpID)
	if err != nil {
		t.Fatalf("decoy of %s: %v", shape, err)
	}
	if !requestIDForm.MatchString(requestID) {
		t.Errorf("requestID %q", requestID)
	}
	return text
}

var requestIDForm = regexp.MustCompile(`^authentication:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

var (
	bytesForm       = regexp.MustCompile(`"(challenge|id)"(\s*):(\s*)"[A-Za-z0-9_-]+(=*)"`)
	transportsForm  = regexp.MustCompile(`"(usb|nfc|internal|hybrid)"`)
	secondOne       = regexp.MustCompile(`(?s)(\{[^{}]*\}),\s*\{[^{}]*"id"[^{}]*\}`)
	listOfTransport = regexp.MustCompile(`T(,\s*T)+`)
)

// skeleton is an answer without what may differ between two people's: the bytes,
// the transports, and credentials beyond the first.
func skeleton(text string) string {
	text = bytesForm.ReplaceAllString(text, `"$1"$2:$3"B"`)
	text = transportsForm.ReplaceAllString(text, "T")
	text = listOfTransport.ReplaceAllString(text, "T")
	text = strings.ReplaceAll(text, "[]", "[T]")
	return secondOne.ReplaceAllString(text, "$1")
}

// A decoy differs from the real answer in nothing but the bytes in it: order of
// members, white space, spelling and parameters are the same.
func TestDecoyLooksReal(t *testing.T) {
	t.Parallel()
	for name, template := range realAnswers {
		text, _ := realAnswer(t, template)
		shape := shapeOf(t, text)
		for i := range 50 {
			got := decoy(t, shape, fmt.Sprintf("nobody%d@sandbox", i))
			if skeleton(got) != skeleton(text) {
				t.Errorf("%s:\n real  %s\n decoy %s\n in the shape of %s", name, text, got, shape)
				break
			}
			wantReadable(t, got)
		}
	}
}

// wantReadable demands that a client, and we, take the decoy like any other.
func wantReadable(t testing.TB, text string) {
	t.Helper()
	got, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if len(got.Challenge) != 32 || got.AllowCredentials < 1 || got.AllowCredentials > 2 {
		t.Errorf("%s: a challenge of %d bytes, %d credentials", text, len(got.Challenge), got.AllowCredentials)
	}
}

func TestShapeHoldsNothingOfThePerson(t *testing.T) {
	t.Parallel()
	for name, template := range realAnswers {
		text, secrets := realAnswer(t, template)
		shape := shapeOf(t, text)
		for _, secret := range secrets {
			if strings.Contains(shape, secret) {
				t.Errorf("%s: the shape %s holds %s", name, shape, secret)
			}
		}
		if strings.Contains(shape, "usb") {
			t.Errorf("%s: the shape %s holds transports", name, shape)
		}
		if again := shapeOf(t, shape); again != shape {
			t.Errorf("%s: the shape of a shape is %s", name, again)
		}
	}
}

func TestShapeRefuses(t *testing.T) {
	t.Parallel()
	id := encode(challenge("id"))
	for name, text := range map[string]string{
		"nothing": "", "an array": "[]", "null": "null", "cut": `{"challenge":"AAAA"`, "a challenge of number": `{"challenge":1}`,
		"an empty challenge": `{"challenge":""}`, "credentials of text": `{"challenge":"AAAA","allowCredentials":"x"}`,
		"a credential of text":      `{"challenge":"AAAA","allowCredentials":["x"]}`,
		"an ID of number":           `{"challenge":"AAAA","allowCredentials":[{"id":1}]}`,
		"a member of unknown use":   `{"challenge":"AAAA","allowCredentials":[{"id":"` + id + `","name":"Alice's phone"}]}`,
		"an ID in an extension":     `{"challenge":"AAAA","allowCredentials":[{"id":"` + id + `"}],"extensions":{"prf":{"evalByCredential":{"` + id + `":{}}}}}`,
		"transports that are none":  `{"challenge":"AAAA","allowCredentials":[{"id":"` + id + `","transports":"usb"}]}`,
		"a wrapped credential text": `{"publicKey":{"allowCredentials":"x"}}`,
	} {
		if shape, err := ceremony.Shape(text); err == nil {
			t.Errorf("%s: shape %s", name, shape)
		}
	}
}

func TestDecoyWithoutCredentialsStaysSo(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"challenge":"AAAAAAAAAAAAAAAAAAAAAA","rpId":"example.org"}`, `{"challenge":"AAAAAAAAAAAAAAAAAAAAAA","allowCredentials":[ ]}`} {
		got, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, decoy(t, shapeOf(t, text), user))
		if err != nil || got.AllowCredentials != 0 {
			t.Errorf("%s: %d credentials, %v", text, got.AllowCredentials, err)
		}
	}
}

type decoded struct {
	Challenge        string `json:"challenge"`
	RPID             string `json:"rpId"`
	UserVerification string `json:"userVerification"`
	AllowCredentials []struct {
		ID         string   `json:"id"`
		Transports []string `json:"transports"`
	} `json:"allowCredentials"`
}

func decode(t testing.TB, text string) (d decoded) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// A person's decoy keeps its credentials, whosoever's answer was the last real
// one; its challenge is new each time.
func TestDecoyIsStable(t *testing.T) {
	t.Parallel()
	var first decoded
	for i, name := range []string{"pretty", "with more", "pretty"} {
		text, _ := realAnswer(t, realAnswers[name])
		d := decode(t, decoy(t, shapeOf(t, text), user))
		if i == 0 {
			first = d
			continue
		}
		if fmt.Sprint(d.AllowCredentials) != fmt.Sprint(first.AllowCredentials) {
			t.Errorf("credentials %v, before %v", d.AllowCredentials, first.AllowCredentials)
		}
		if d.Challenge == first.Challenge {
			t.Error("the same challenge twice")
		}
	}
}

func TestDecoysDiffer(t *testing.T) {
	t.Parallel()
	seen, lengths, counts := map[string]bool{}, map[int]int{}, map[int]int{}
	const people = 400
	for i := range people {
		d := decode(t, decoy(t, "", fmt.Sprintf("nobody%d@sandbox", i)))
		counts[len(d.AllowCredentials)]++
		for _, c := range d.AllowCredentials {
			if seen[c.ID] {
				t.Fatalf("credential %s twice", c.ID)
			}
			seen[c.ID] = true
			lengths[base64.RawURLEncoding.DecodedLen(len(c.ID))]++
		}
	}
	if len(lengths) < 4 || counts[1] < people/2 || counts[2] == 0 || len(counts) != 2 {
		t.Errorf("lengths %v, counts %v: too much alike", lengths, counts)
	}
	other, _, err := ceremony.NewDecoy([]byte("another key"), "", "nobody0@sandbox", rpID)
	if err != nil {
		t.Fatal(err)
	}
	if seen[decode(t, other).AllowCredentials[0].ID] {
		t.Error("the key does not matter")
	}
}

func TestDefaultShape(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{"": "preferred", "required": "required", "discouraged": "discouraged", "\"\xff": "preferred"} {
		text := decoy(t, ceremony.DefaultShape(asked), user)
		wantReadable(t, text)
		if d := decode(t, text); d.RPID != rpID || d.UserVerification != want {
			t.Errorf("asked %q: %s", asked, text)
		}
	}
}

func TestWithUserVerification(t *testing.T) {
	t.Parallel()
	for shape, want := range map[string]string{
		`{"userVerification":"preferred","rpId":"x"}`: `{"userVerification":"required","rpId":"x"}`,
		`{"rpId":"x"}`: `{"rpId":"x"}`,
		`{"publicKey":{"userVerification" : "preferred"}}`: `{"publicKey":{"userVerification" : "required"}}`,
	} {
		if got, err := ceremony.WithUserVerification(shape, "required"); err != nil || got != want {
			t.Errorf("%s: %s, %v", shape, got, err)
		}
	}
	if got, err := ceremony.WithUserVerification("[", "required"); err == nil {
		t.Errorf("of no shape: %s", got)
	}
}

func TestDecoyOfABrokenShape(t *testing.T) {
	t.Parallel()
	for _, shape := range []string{"{", "[]", `{"challenge":1}`, `{"challenge":""}`, `{"allowCredentials":{}}`, `{"allowCredentials":[1]}`,
		`{"allowCredentials":[{"id":1}]}`, `{"allowCredentials":[{"transports":1}]}`} {
		if text, _, err := ceremony.NewDecoy(decoyKey, shape, user, rpID); err == nil {
			t.Errorf("%s: decoy %s", shape, text)
		}
	}
}

// Nobody holds the credentials of a decoy.
func TestNobodyAnswersADecoy(t *testing.T) {
	t.Parallel()
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin, Discoverable: true})
	if _, err := a.Create(creation(challenge("registration"))); err != nil {
		t.Fatal(err)
	}
	if text, err := a.Get(decoy(t, "", user)); err == nil {
		t.Errorf("answered %s", text)
	}
}
