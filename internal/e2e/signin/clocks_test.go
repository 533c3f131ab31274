package signin_test

import (
	"net/http"
	"testing"
	"time"

	"countersign/internal/dpop"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// skew is how far the clocks of two nodes are apart.
const skew = 90 * time.Second

// What is begun on one node is finished on another whose clock differs, and no clock that
// jumps signs anybody out.
func TestClocks_DifferBetweenNodes(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string][2]time.Duration{
		"the other node is ahead":  {0, skew},
		"the other node is behind": {skew, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// No clock is behind the machine's, whose time the deadlines of connections are.
			two := &apart{clocks: []*e2etest.Clock{{}, {}}, ahead: ahead}
			two.clocks[0].Advance(ahead[0])
			two.clocks[1].Advance(ahead[1])
			nodes := e2etest.BootNodesApart(t, redistest.Start(t).URL(), two.clocks, "ACCOUNT_CHECK=10s")
			two.here, two.there = nodes[0], nodes[1]
			p := e2etest.Program(t, two.here).SignedIn("bob@sandbox")
			for _, jump := range []time.Duration{0, 2*skew - ahead[1]} {
				two.clocks[1].Advance(jump)
				two.ahead[1] += jump
				two.everything(t)
				p.On(two.there).Send("GET", "/session", nil).Want(http.StatusOK)
				p.Send("GET", "/session", nil).Want(http.StatusOK)
			}
		})
	}
}

// apart are two nodes with clocks of their own.
type apart struct {
	here, there *e2etest.App
	clocks      []*e2etest.Clock
	ahead       [2]time.Duration // of all other clocks
}

func (a *apart) everything(t *testing.T) {
	t.Helper()
	p := e2etest.Program(t, a.here).SignedIn("alice@sandbox")
	p.On(a.there).Send("GET", "/session", nil).Want(http.StatusOK)
	p.Send("GET", "/session", nil).Want(http.StatusOK)
	a.passkey(t, p)
	a.push(t)
	a.device(t)
	p.On(a.there).Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	p.Send("GET", "/session", nil).Want(http.StatusUnauthorized)
}

// passkey registers a passkey begun here and finished there, and signs in in the same way.
func (a *apart) passkey(t *testing.T, p *e2etest.Client) {
	t.Helper()
	passkey := e2etest.NewPasskey(a.here)
	response := p.Create(passkey, p.RequestRegistration().Want(http.StatusOK))
	p.On(a.there).FinishRegistration(response).Want(http.StatusOK)
	p.FinishRegistration(response).Refused(http.StatusConflict, "ceremony.spent")
	outsider := e2etest.Program(t, a.here)
	begun := outsider.RequestSignIn("alice@sandbox")
	outsider.On(a.there).FinishSignIn("alice@sandbox", outsider.Get(passkey, begun)).Want(http.StatusOK)
	for _, one := range p.Authenticators() {
		p.Send("DELETE", "/users/me/authenticators/"+one["id"].(string), nil).Want(http.StatusNoContent)
	}
}

// push signs in by a push that is begun here and polled there.
func (a *apart) push(t *testing.T) {
	t.Helper()
	p := e2etest.Program(t, a.here)
	id := e2etest.Push(p, "bob@sandbox").Text("requestID")
	e2etest.Manage(t, a.here, "POST", "/push/"+id, map[string]string{"decision": "accept"})
	if r := p.On(a.there).Decided(id); r.Text("sessionStatus") != "accepted" {
		t.Errorf("the push is %d %s", r.Status, r.Body)
	}
}

// device signs in with a key and proves it. A proof has the time of its device: where the
// clocks of node and device differ by more than a minute it is refused, and the session is
// there all the same.
func (a *apart) device(t *testing.T) {
	t.Helper()
	key, err := dpop.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	token := ""
	ask := func(on *e2etest.App, ahead time.Duration, method, path, body string) e2etest.Reply {
		proof, err := key.Prove(dpop.Call{Method: method, URL: on.URL() + path, Token: token}, time.Now().Add(ahead))
		if err != nil {
			t.Fatal(err)
		}
		headers := []string{"DPoP", proof}
		if token != "" {
			headers = append(headers, "Authorization", "DPoP "+token)
		}
		return e2etest.Program(t, on).Send(method, path, body, headers...)
	}
	token = ask(a.here, a.ahead[0], "POST", "/users/carol@sandbox/login", e2etest.RightPassword).Want(http.StatusOK).Text("sessionToken")
	ask(a.there, a.ahead[1], "GET", "/session", "").Want(http.StatusOK)
	if a.ahead[0] != a.ahead[1] {
		ask(a.there, a.ahead[0], "GET", "/session", "").Refused(http.StatusUnauthorized, "session.proof")
	}
	ask(a.here, a.ahead[0], "GET", "/session", "").Want(http.StatusOK)
}
