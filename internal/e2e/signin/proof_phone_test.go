package signin_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"countersign/internal/dpop"
	"countersign/internal/e2e/e2etest"
)

const algorithms = `algs="ES256 ES384 EdDSA Ed25519 PS256"`

// phone is an app with a key. Its token, once it has one, goes with every request.
type phone struct {
	*e2etest.Client
	key   *dpop.Key
	token string
	nonce string
}

func newPhone(t *testing.T, app *e2etest.App) *phone {
	t.Helper()
	key, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return &phone{Client: e2etest.Program(t, app), key: key}
}

// at returns the phone as a client of another node.
func (p *phone) at(app *e2etest.App) *phone {
	other := *p
	other.Client = e2etest.Program(p.T, app)
	return &other
}

// proof returns a new proof for a request.
func (p *phone) proof(method, path string) string {
	p.T.Helper()
	proof, err := p.key.Prove(dpop.Call{Method: method, URL: p.App.URL() + path, Token: p.token, Nonce: p.nonce}, time.Now())
	if err != nil {
		p.T.Fatal(err)
	}
	return proof
}

// call sends a request with a new proof.
func (p *phone) call(method, path string, body any) e2etest.Reply {
	p.T.Helper()
	return p.with(p.proof(method, path), method, path, body)
}

// with sends a request with this proof.
func (p *phone) with(proof, method, path string, body any) e2etest.Reply {
	p.T.Helper()
	headers := []string{"DPoP", proof}
	if p.token != "" {
		headers = append(headers, "Authorization", "DPoP "+p.token)
	}
	return p.Send(method, path, body, headers...)
}

// signIn signs in with the password, and keeps the token.
func (p *phone) signIn(user string) *phone {
	p.T.Helper()
	p.keep(p.call("POST", "/users/"+user+"/login", e2etest.RightPassword).Want(http.StatusOK))
	return p
}

// keep keeps the token of an answer, which must be bound.
func (p *phone) keep(r e2etest.Reply) {
	p.T.Helper()
	if r.Text("tokenType") != "DPoP" || r.Text("sessionToken") == "" || r.Header.Get("Set-Cookie") != "" {
		p.T.Fatalf("%s: %s", r.What, r.Body)
	}
	p.token = r.Text("sessionToken")
}

// unproven checks that an answer refuses a token for want of a good proof.
func unproven(r e2etest.Reply, code dpop.Code) {
	r.T.Helper()
	r.Refused(http.StatusUnauthorized, "session.proof")
	if got, want := r.Header.Get("WWW-Authenticate"), `DPoP error="`+string(code)+`", `+algorithms; got != want {
		r.T.Errorf("%s: WWW-Authenticate %s, want %s", r.What, got, want)
	}
}

// twoNodes boots two nodes of one installation.
func twoNodes(t *testing.T, settings ...string) (one, other *e2etest.App) {
	t.Helper()
	settings = append([]string{"REDIS_URL=redis://" + miniredis.RunT(t).Addr()}, settings...)
	one, _ = e2etest.BootApart(t, settings...)
	return one, e2etest.InFrontOf(t, one.SandboxURL(), settings...)
}

func bearer(p *phone) string { return "Bearer " + p.token }

// changed returns text with another digit in the middle of its last part.
func changed(text string) string {
	at := strings.LastIndex(text, ".") + 10
	digit := "A"
	if text[at] == 'A' {
		digit = "B"
	}
	return text[:at] + digit + text[at+1:]
}
