package ceremony_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/authenticator"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
)

const (
	rpID   = "example.org"
	origin = "https://login.example.org"
	user   = "alice@sandbox"
)

var party = ceremony.RelyingParty{Origins: []string{"https://example.org", origin}, Facets: []string{facet}}

// challenge returns a distinct challenge for each name.
func challenge(name string) []byte {
	sum := sha256.Sum256([]byte(name))
	return sum[:]
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func creation(c []byte) string {
	return fmt.Sprintf(`{"rp":{"id":%q,"name":"Example","icon":null},"user":{"id":"YWxpY2U","name":"alice","displayName":"Alice"},`+
		`"challenge":%q,"pubKeyCredParams":[{"type":"public-key","alg":-7},{"type":"public-key","alg":-257},{"type":"public-key","alg":-8}],`+
		`"timeout":180000,"attestation":"direct"}`, rpID, encode(c))
}

func request(c []byte, id string) string {
	return fmt.Sprintf(`{"challenge":%q,"timeout":180000,"rpId":%q,"allowCredentials":[{"type":"public-key","id":%q}],`+
		`"userVerification":"preferred"}`, encode(c), rpID, id)
}

// pair is an authenticator with the challenges of its two ceremonies and its responses.
type pair struct {
	registration, assertion string
	id                      string
}

// ceremonies carries through a registration and a sign-in, with the same tampering.
func ceremonies(t testing.TB, options authenticator.Options, tampering authenticator.Tampering) pair {
	t.Helper()
	if options.Origin == "" {
		options.Origin = origin
	}
	honest := authenticator.NewFIDO2(options)
	created, err := honest.Create(creation(challenge("registration")))
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	id := member(t, created, "id")
	forger := honest.With(tampering)
	registration, err := forger.Create(creation(challenge("registration")))
	if err != nil {
		t.Fatalf("create: %v", err)
	}
	assertion, err := forger.Get(request(challenge("sign-in"), id))
	if err != nil {
		t.Fatalf("get: %v", err)
	}
	return pair{registration, assertion, id}
}

func member(t testing.TB, text, name string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(text), &members); err != nil {
		t.Fatal(err)
	}
	value, ok := members[name].(string)
	if !ok {
		t.Fatalf("no string %s in %s", name, text)
	}
	return value
}

// edit changes a JSON text at a path such as "response.signature".
func edit(t testing.TB, text, path string, change func(object map[string]any, name string)) string {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		t.Fatal(err)
	}
	object, names := root, strings.Split(path, ".")
	for _, name := range names[:len(names)-1] {
		object = object[name].(map[string]any)
	}
	change(object, names[len(names)-1])
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func set(t testing.TB, text, path string, value any) string {
	t.Helper()
	return edit(t, text, path, func(object map[string]any, name string) { object[name] = value })
}

func remove(t testing.TB, text, path string) string {
	t.Helper()
	return edit(t, text, path, func(object map[string]any, name string) { delete(object, name) })
}

func pendingRegistration() (*ceremony.Pending, ceremony.ClientClaims) {
	return &ceremony.Pending{
			Kind: ceremony.Registration, Protocol: ceremony.FIDO2, RequestID: "registration:1", User: user,
			Challenge: challenge("registration"), RPID: rpID,
		}, ceremony.ClientClaims{
			Kind: ceremony.Registration, Protocol: ceremony.FIDO2, User: user, RequestID: "registration:1",
		}
}

func pendingSignIn() (*ceremony.Pending, ceremony.ClientClaims) {
	return &ceremony.Pending{
			Kind: ceremony.SignIn, Protocol: ceremony.FIDO2, RequestID: "authentication:1", User: user,
			Challenge: challenge("sign-in"), RPID: rpID,
		}, ceremony.ClientClaims{
			Kind: ceremony.SignIn, Protocol: ceremony.FIDO2, User: user, RequestID: "authentication:1",
		}
}

// judge reads and checks a registration response as the relay would.
func judge(text string) error {
	r, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, text)
	if err != nil {
		return err
	}
	pending, got := pendingRegistration()
	return party.Check(pending, got, r)
}

// judgeSignIn does so with an authentication response.
func judgeSignIn(text string) error {
	r, err := ceremony.FromAuthenticationResponse(ceremony.FIDO2, text)
	if err != nil {
		return err
	}
	pending, got := pendingSignIn()
	return party.Check(pending, got, r)
}

// wantKey checks that err is the fault key; "" requires success.
func wantKey(t testing.TB, what string, err error, key fault.Key) {
	t.Helper()
	switch {
	case key == "" && err != nil:
		t.Errorf("%s: %v, want it to pass", what, err)
	case key != "" && err == nil:
		t.Errorf("%s: it passed, want %s", what, key)
	case key != "" && !fault.Is(err, key):
		t.Errorf("%s: %v, want %s", what, err, key)
	}
}
