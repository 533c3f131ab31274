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

// answered is a real answer in FIDO2, as the platform gives it.
func answered(request string) ceremony.Offer {
	return ceremony.Offer{Request: request, RequestID: "authentication:4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f"}
}

func shapeOf(t testing.TB, request string) string {
	t.Helper()
	shape, err := ceremony.Shape(ceremony.FIDO2, "", answered(request), user)
	if err != nil {
		t.Fatalf("shape of %s: %v", request, err)
	}
	return shape
}

// requestIn is the request that a shape holds.
func requestIn(t testing.TB, shape string) string {
	t.Helper()
	return member(t, shape, "authenticationRequest")
}

func firstShape(t testing.TB, p ceremony.Protocol, userVerification string) string {
	t.Helper()
	shape, err := ceremony.DefaultShape(p, ceremony.Setting{RPID: rpID, AppID: appID}, userVerification)
	if err != nil {
		t.Fatal(err)
	}
	return shape
}

func decoy(t testing.TB, shape, user string) string {
	t.Helper()
	got, err := ceremony.NewDecoy(ceremony.FIDO2, decoyKey, shape, user)
	if err != nil {
		t.Fatalf("decoy of %s: %v", shape, err)
	}
	if !requestIDForm.MatchString(got.RequestID) || got.UAFStatusCode != nil {
		t.Errorf("requestID %q, UAF status %v", got.RequestID, got.UAFStatusCode)
	}
	return got.Request
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
		if again := shapeOf(t, requestIn(t, shape)); again != shape {
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
		"the user by name":          `{"challenge":"AAAA","extensions":{"of":"\u0061lice@sandbox"}}`,
	} {
		if shape, err := ceremony.Shape(ceremony.FIDO2, "", answered(text), "alice@sandbox"); err == nil {
			t.Errorf("%s: shape %s", name, shape)
		}
	}
	if shape, err := ceremony.Shape(ceremony.FIDO2, "", ceremony.Offer{Request: `{"challenge":"AAAA"}`, RequestID: "alice@sandbox:" + uuids[0]}, "alice@sandbox"); err == nil {
		t.Errorf("the user in the requestID: shape %s", shape)
	}
	if shape, err := ceremony.Shape("FIDO1", "", answered(`{"challenge":"AAAA"}`), user); err == nil {
		t.Errorf("another protocol: shape %s", shape)
	}
}

// Who asks for any discoverable credential names none; who names those that will
// do and has none gives it away.
func TestDecoyWithoutCredentialsStaysSo(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"challenge":"AAAAAAAAAAAAAAAAAAAAAA","rpId":"example.org"}`,
		`{"challenge":"AAAAAAAAAAAAAAAAAAAAAA","allowCredentials" : null}`,
	} {
		made := decoy(t, shapeOf(t, text), user)
		got, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, made)
		if err != nil || got.AllowCredentials != -1 || skeleton(made) != skeleton(text) {
			t.Errorf("%s: %s, %d credentials, %v", text, made, got.AllowCredentials, err)
		}
	}
	if shape, err := ceremony.Shape(ceremony.FIDO2, "", answered(`{"challenge":"AAAA","allowCredentials":[ ]}`), user); !errors.Is(err, ceremony.ErrNoCredentials) {
		t.Errorf("of no credential: shape %s, %v", shape, err)
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
		d := decode(t, decoy(t, firstShape(t, ceremony.FIDO2, ""), fmt.Sprintf("nobody%d@sandbox", i)))
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
	other, err := ceremony.NewDecoy(ceremony.FIDO2, []byte("another key"), firstShape(t, ceremony.FIDO2, ""), "nobody0@sandbox")
	if err != nil {
		t.Fatal(err)
	}
	if seen[decode(t, other.Request).AllowCredentials[0].ID] {
		t.Error("the key does not matter")
	}
}

func TestDefaultShape(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{"": "preferred", "required": "required", "discouraged": "discouraged"} {
		text := decoy(t, firstShape(t, ceremony.FIDO2, asked), user)
		wantReadable(t, text)
		if d := decode(t, text); d.RPID != rpID || d.UserVerification != want {
			t.Errorf("asked %q: %s", asked, text)
		}
	}
}

func TestWithUserVerification(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		`{"challenge":"AAAA","userVerification":"preferred","rpId":"x"}`: `{"challenge":"AAAA","userVerification":"required","rpId":"x"}`,
		`{"challenge":"AAAA","rpId":"x"}`:                                `{"challenge":"AAAA","rpId":"x"}`,
		`{"publicKey":{"userVerification" : "preferred"}}`:               `{"publicKey":{"userVerification" : "required"}}`,
	} {
		got, err := ceremony.WithUserVerification(shapeOf(t, request), "required")
		if err != nil || requestIn(t, got) != want {
			t.Errorf("%s: %s, %v", request, got, err)
		}
	}
	for _, shape := range []string{"", "[", `{"authenticationRequest":"["}`} {
		if got, err := ceremony.WithUserVerification(shape, "required"); err == nil {
			t.Errorf("of %s: %s", shape, got)
		}
	}
	if got, err := ceremony.WithUserVerification(shapeOf(t, `{"challenge":"AAAA","userVerification":"x"}`), "\xff"); err == nil {
		t.Errorf("no text: %s", got)
	}
}

func TestDecoyOfABrokenShape(t *testing.T) {
	t.Parallel()
	requests := []string{"{", "[]", `{"challenge":1}`, `{"challenge":""}`, `{"allowCredentials":{}}`, `{"allowCredentials":[1]}`, `{"allowCredentials":[]}`,
		`{"allowCredentials":[{"id":1}]}`, `{"allowCredentials":[{"transports":1}]}`}
	shapes := []string{"", "{", "[]", "null"}
	for _, request := range requests {
		text, err := json.Marshal(ceremony.Offer{Request: request})
		if err != nil {
			t.Fatal(err)
		}
		shapes = append(shapes, string(text))
	}
	for _, shape := range shapes {
		if got, err := ceremony.NewDecoy(ceremony.FIDO2, decoyKey, shape, user); err == nil {
			t.Errorf("%s: decoy %v", shape, got)
		}
	}
	if got, err := ceremony.NewDecoy("FIDO1", decoyKey, firstShape(t, ceremony.FIDO2, ""), user); err == nil {
		t.Errorf("another protocol: decoy %v", got)
	}
}

// Nobody holds the credentials of a decoy.
func TestNobodyAnswersADecoy(t *testing.T) {
	t.Parallel()
	a := authenticator.NewFIDO2(authenticator.Options{Origin: origin, Discoverable: true})
	if _, err := a.Create(creation(challenge("registration"))); err != nil {
		t.Fatal(err)
	}
	if text, err := a.Get(decoy(t, firstShape(t, ceremony.FIDO2, ""), user)); err == nil {
		t.Errorf("answered %s", text)
	}
}

var uuids = []string{"4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f", "0F8C1D2E-3B4A-4596-A7B8-C9D0E1F2A3B4", "01890a5d-ac96-774b-bcce-b302099a8057"}

func requestIDIn(t testing.TB, shape string) string {
	t.Helper()
	var offer struct {
		RequestID string `json:"requestID"`
	}
	if err := json.Unmarshal([]byte(shape), &offer); err != nil {
		t.Fatal(err)
	}
	return offer.RequestID
}

// The requestID of a decoy is of the make of the last real one: the same words
// and separators, the rest in the same alphabet and different each time.
func TestDecoyRequestID(t *testing.T) {
	t.Parallel()
	const hex = `[0-9a-f]`
	for real, form := range map[string]string{
		"":                           `^$`,
		"authentication:":            `^authentication:$`,
		"authentication:" + uuids[0]: `^authentication:` + hex + `{8}-` + hex + `{4}-4` + hex + `{3}-[89ab]` + hex + `{3}-` + hex + `{12}$`,
		uuids[0]:                     `^` + hex + `{8}-` + hex + `{4}-4` + hex + `{3}-[89ab]` + hex + `{3}-` + hex + `{12}$`,
		"urn:uuid:" + uuids[1]:       `^urn:uuid:[0-9A-F]{8}-[0-9A-F]{4}-4[0-9A-F]{3}-[89AB][0-9A-F]{3}-[0-9A-F]{12}$`,
		uuids[2] + "/eu":             `^` + hex + `{8}-` + hex + `{4}-7` + hex + `{3}-[89ab]` + hex + `{3}-` + hex + `{12}/eu$`,
		"100234":                     `^[0-9]{6}$`,
		"auth-4711-100234":           `^auth-[0-9]{4}-[0-9]{6}$`,
		"fidoAuth.9f00c1d2":          `^fidoAuth\.[0-9a-f]{8}$`,
		"REQ_9F00C1D2":               `^REQ_[0-9A-F]{8}$`,
		"sign-in:7qx0p2m1":           `^sign-in:[0-9a-z]{8}$`,
		"sign-in:QXZKTW":             `^sign-in:[A-Z]{6}$`,
		"Auth-Kq3x9ZpLw0":            `^Auth-[0-9A-Za-z]{10}$`,
		"t:Kq3x9ZpLw0_-aGh5T2b":      `^t:[0-9A-Za-z_-]{19}$`,
	} {
		shape, err := ceremony.Shape(ceremony.FIDO2, "", ceremony.Offer{Request: `{"challenge":"AAAA"}`, RequestID: real}, user)
		if err != nil {
			t.Errorf("%q: %v", real, err)
			continue
		}
		var made []string
		for range 3 {
			offer, err := ceremony.NewDecoy(ceremony.FIDO2, decoyKey, shape, user)
			if err != nil || !regexp.MustCompile(form).MatchString(offer.RequestID) {
				t.Errorf("%q: decoy %q, want %s, %v", real, offer.RequestID, form, err)
			}
			made = append(made, offer.RequestID)
		}
		if slices.Sort(made); len(slices.Compact(made)) != 3 && strings.ContainsAny(real, "0123456789Q") {
			t.Errorf("%q: decoys %v", real, made)
		}
		if requestIDIn(t, shape) == real && strings.ContainsAny(real, "0123456789Q") {
			t.Errorf("%q is remembered", real)
		}
		again, err := ceremony.Shape(ceremony.FIDO2, "", ceremony.Offer{Request: `{"challenge":"AAAA"}`, RequestID: made[0]}, user)
		if err != nil || again != shape && strings.HasPrefix(form, "^authentication:") {
			t.Errorf("%q: the decoy %q has the shape %s, not %s", real, made[0], again, shape)
		}
	}
}

// Every character is as likely as any other.
func TestDecoyRequestIDsAreEven(t *testing.T) {
	t.Parallel()
	const real = "auth:Kq3x9ZpLw0aGh5T2bKq3x9ZpLw0aGh5T2b"
	shape, err := ceremony.Shape(ceremony.FIDO2, "", ceremony.Offer{Request: `{"challenge":"AAAA"}`, RequestID: real}, user)
	if err != nil {
		t.Fatal(err)
	}
	counts, total := map[rune]int{}, 0
	for range 2000 {
		offer, err := ceremony.NewDecoy(ceremony.FIDO2, decoyKey, shape, user)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range strings.TrimPrefix(offer.RequestID, "auth:") {
			counts[c]++
			total++
		}
	}
	want := total / 62
	for c, n := range counts {
		if n < want*8/10 || n > want*12/10 {
			t.Errorf("%c: %d of %d, want about %d", c, n, total, want)
		}
	}
	if len(counts) != 62 {
		t.Errorf("%d characters", len(counts))
	}
}
