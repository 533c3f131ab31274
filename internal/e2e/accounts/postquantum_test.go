package accounts_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/fxamacker/cbor/v2"

	"countersign/internal/authenticator"
	"countersign/internal/e2e/e2etest"
)

// offered are options as a platform writes them that takes keys of ML-DSA.
const offered = `{"rp":{"id":"cs.example","name":"Example"},"user":{"id":"YWxpY2U","name":"alice","displayName":"Alice"},
 "challenge":"CHALLENGE", "attestation":"direct","timeout":180000, "excludeCredentials":[],
 "pubKeyCredParams":[{"alg":-49,"type":"public-key"},{"type":"public-key", "alg":-48 },{"type":"public-key","alg":-7},{"type":"public-key","alg":-65535}]}`

// recorder is a platform that takes every key: it keeps what it is sent, and judges nothing.
type recorder struct {
	mu                   sync.Mutex
	registered, signedIn []string
	pass                 http.HandlerFunc
	challenge            string
}

func (p *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var in struct {
		RegistrationResponse string
		Credentials          struct {
			FIDOAuthenticator struct{ AuthenticationResponse string }
		}
	}
	_ = json.Unmarshal(body, &in) // reads have no body
	answer := map[string]any{"uafStatusCode": nil, "requestID": "4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f"}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch response := in.Credentials.FIDOAuthenticator.AuthenticationResponse; {
	case strings.HasSuffix(r.URL.Path, "/generate-fido-registration-request"):
		answer["registrationRequest"] = strings.Replace(offered, "CHALLENGE", p.next(), 1)
	case strings.HasSuffix(r.URL.Path, "/register-fido-device"):
		p.registered = append(p.registered, in.RegistrationResponse)
	case strings.HasSuffix(r.URL.Path, "/generate-fido-authentication-request"):
		answer["authenticationRequest"] = `{"challenge":"` + p.next() + `","rpId":"cs.example","timeout":180000}`
	case response != "":
		p.signedIn = append(p.signedIn, response)
		answer = map[string]any{"sessionStatus": "accepted", "riskResponseCode": 0}
	default:
		r.Body = io.NopCloser(bytes.NewReader(body))
		p.pass(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(answer)
}

func (p *recorder) next() string {
	p.challenge = base64.RawURLEncoding.EncodeToString(random(32))
	return p.challenge
}

// Keys that no library here knows pass through, with what they sign and what attests them, as
// they are; so do the options that ask for them.
func TestRegistration_UnknownKeysUnchanged(t *testing.T) {
	app, apart := e2etest.BootApart(t)
	platform := &recorder{pass: apart.Pass}
	apart.Fail(platform.ServeHTTP)
	key := e2etest.NewPasskey(app).With(mldsa65)
	owner := e2etest.Program(t, app).SignedIn("alice@sandbox")
	request := owner.RequestRegistration().Want(http.StatusOK)
	if got, want := request.Text("registrationRequest"), strings.Replace(offered, "CHALLENGE", platform.challenge, 1); got != want {
		t.Errorf("the options became %s", got)
	}
	made := owner.Create(key, request)
	owner.FinishRegistration(made).Want(http.StatusOK)
	c := e2etest.Program(t, app)
	used := c.Get(key, c.RequestSignIn("alice@sandbox"))
	c.FinishSignIn("alice@sandbox", used).Want(http.StatusOK)
	c.Send("GET", "/session", nil).Want(http.StatusOK)
	if platform.registered[0] != made || platform.signedIn[0] != used || len(made) != 16<<10 {
		t.Errorf("the platform was sent %.300s and %.300s", platform.registered[0], platform.signedIn[0])
	}
}

// A response that is longer than any authenticator makes is refused as too large, and its
// ceremony can still be finished.
func TestRegistration_ResponseTooLarge(t *testing.T) {
	app, apart := e2etest.BootApart(t)
	platform := &recorder{pass: apart.Pass}
	apart.Fail(platform.ServeHTTP)
	key := e2etest.NewPasskey(app)
	owner := e2etest.Program(t, app).SignedIn("alice@sandbox")
	made, tail := owner.Create(key, owner.RequestRegistration().Want(http.StatusOK)), strings.Repeat(" ", 256<<10)
	owner.FinishRegistration(made+tail).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
	owner.FinishRegistration(made).Want(http.StatusOK)

	c := e2etest.Program(t, app)
	used := c.Get(key, c.RequestSignIn("alice@sandbox"))
	c.FinishSignIn("alice@sandbox", used+tail).Refused(http.StatusRequestEntityTooLarge, "request.too-large")
	c.FinishSignIn("alice@sandbox", used).Want(http.StatusOK)
	if len(platform.registered) != 1 || len(platform.signedIn) != 1 {
		t.Errorf("the platform was sent %d registrations and %d sign-ins", len(platform.registered), len(platform.signedIn))
	}
}

// mldsa65 gives a key and a signature of ML-DSA-65 (FIPS 204) the form of RFC 9964, and each response
// a length that every relay must take.
var mldsa65 = authenticator.Tampering{
	AuthData: func(d *authenticator.AuthData) {
		if d.Attested == nil {
			return
		}
		encoded, err := cbor.Marshal(map[int64]any{1: 7, 3: -49, -1: random(1952)})
		if err != nil {
			panic(err) // numbers and bytes always encode
		}
		d.Attested.PublicKey = encoded
	},
	Signature: func([]byte) []byte { return random(3309) },
	JSON:      func(text []byte) []byte { return append(text, bytes.Repeat([]byte("\n"), 16<<10-len(text))...) },
}

func random(n int) []byte {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return b
}
