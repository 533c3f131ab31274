package signin_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

const (
	alice     = "alice@sandbox"
	registers = "/session/binding"
	renews    = "/session/binding/refresh"
	bound     = "countersign-bound"
)

type members = map[string]any

// browser is a browser that binds, with a key of its own.
type browser struct {
	*e2etest.Client
	key       *ecdsa.PrivateKey
	challenge string // of its sign-in
	id        string // of its session, once it is bound
}

// signedIn signs alice in.
func signedIn(t *testing.T, app *e2etest.App) *browser {
	t.Helper()
	b := &browser{Client: e2etest.Browser(t, app), key: newKey(t)}
	b.challenge = offered(b.Password(alice))
	return b
}

// boundBrowser signs alice in and binds her session.
func boundBrowser(t *testing.T, app *e2etest.App) *browser {
	t.Helper()
	b := signedIn(t, app)
	b.bind()
	return b
}

// bind registers the key.
func (b *browser) bind() {
	b.T.Helper()
	b.id = b.register(b.proof(b.challenge, nil, nil)).Want(http.StatusOK).Text("session_identifier")
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

var registration = regexp.MustCompile(`^\(ES256\);path="/session/binding";challenge="([A-Za-z0-9_-]+)"$`)

// offered returns the challenge of an answer that asks to bind; "" for one that does not.
func offered(r e2etest.Reply) string {
	found := registration.FindStringSubmatch(r.Header.Get("Secure-Session-Registration"))
	if found == nil {
		return ""
	}
	return found[1]
}

func (b *browser) register(proof string) e2etest.Reply {
	b.T.Helper()
	return b.Send("POST", registers, nil, "Secure-Session-Response", proof)
}

func (b *browser) renew(proof string) e2etest.Reply {
	b.T.Helper()
	return b.Send("POST", renews, nil, "Sec-Secure-Session-Id", b.id, "Secure-Session-Response", proof)
}

var renewal = regexp.MustCompile(`^"([A-Za-z0-9_-]+)";id="([A-Za-z0-9_-]+)"$`)

// asked returns the challenge of an answer that asks for a proof.
func (b *browser) asked(r e2etest.Reply) string {
	b.T.Helper()
	found := renewal.FindStringSubmatch(r.Want(http.StatusForbidden).Header.Get("Secure-Session-Challenge"))
	if found == nil || found[2] != b.id {
		b.T.Fatalf("the challenge is %v", r.Header)
	}
	return found[1]
}

// renewed renews the bound cookie.
func (b *browser) renewed() {
	b.T.Helper()
	b.renew(b.proof(b.asked(b.renew("")), members{"jwk": nil}, nil)).Want(http.StatusOK)
}

// proof returns a JWT of the key for a challenge, with other members of its header and its payload:
// nil leaves a member out.
func (b *browser) proof(challenge string, header, payload members) string {
	b.T.Helper()
	point, err := b.key.PublicKey.Bytes()
	if err != nil {
		b.T.Fatal(err)
	}
	jwk := members{"kty": "EC", "crv": "P-256", "x": base64url(point[1:33]), "y": base64url(point[33:])}
	input := b.part(members{"alg": "ES256", "typ": "dbsc+jwt", "jwk": jwk}, header) + "." + b.part(members{"jti": challenge}, payload)
	hash := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, b.key, hash[:])
	if err != nil {
		b.T.Fatal(err)
	}
	return input + "." + base64url(append(r.FillBytes(make([]byte, 32)), s.FillBytes(make([]byte, 32))...))
}

// part encodes a part of a JWT, changed.
func (b *browser) part(usual, changes members) string {
	b.T.Helper()
	for name, value := range changes {
		if usual[name] = value; value == nil {
			delete(usual, name)
		}
	}
	text, err := json.Marshal(usual)
	if err != nil {
		b.T.Fatal(err)
	}
	return base64url(text)
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// changes sends what changes something.
func (b *browser) changes(headers ...string) e2etest.Reply {
	b.T.Helper()
	return b.Send("PATCH", "/session", members{"language": "de"}, headers...)
}

// without returns the Cookie header without the bound cookie.
func (b *browser) without() string {
	var kept []string
	for one := range strings.SplitSeq(e2etest.CookieOf(b.Client), "; ") {
		if !strings.HasPrefix(one, bound+"=") {
			kept = append(kept, one)
		}
	}
	return strings.Join(kept, "; ")
}

// thief is somebody who copied the session's cookie.
func (b *browser) thief() *browser {
	b.T.Helper()
	other := &browser{Client: e2etest.Browser(b.T, b.App), key: b.key, challenge: b.challenge, id: b.id}
	other.HTTP.Jar = nil
	other.Header = other.Header.Clone()
	other.Header.Set("Cookie", b.without())
	return other
}
