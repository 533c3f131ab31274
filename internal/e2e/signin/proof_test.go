package signin_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alicebob/miniredis/v2"

	"countersign/internal/dpop"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

func TestProof_Requests(t *testing.T) {
	t.Parallel()
	e2etest.Share(t, e2etest.Boot(t), aBoundTokenIsWorthNothingAlone, twoProofsAreOneTooMany, aPreSessionOfACeremonyIsBound, aBrowserProvesNothing)
}

func aBoundTokenIsWorthNothingAlone(t *testing.T, app *e2etest.App) {
	p, thief := newPhone(t, app).signIn("alice@sandbox"), newPhone(t, app)
	thief.token = p.token
	p.call("GET", "/session", nil).Want(http.StatusOK)
	p.call("GET", "/api/packages?from=1&to=10", nil).Want(http.StatusOK)
	p.call("HEAD", "/session", nil).Want(http.StatusOK)
	p.call("PATCH", "/session", `{"language":"de"}`).Want(http.StatusNoContent)

	if page := e2etest.Browser(t, app).SignedIn("carol@sandbox").Page("/people/alice@sandbox").Want(http.StatusOK); !strings.Contains(string(page.Body), "Bound to this device") {
		t.Error("operators do not see that a session is bound")
	}

	unproven(thief.call("GET", "/session", nil), dpop.InvalidToken)
	unproven(p.Send("GET", "/session", nil, "Authorization", bearer(p)), dpop.InvalidProof)
	unproven(p.Send("GET", "/session", nil, "Authorization", bearer(p), "DPoP", p.proof("GET", "/session")), dpop.InvalidToken)
	unproven(p.Send("GET", "/session", nil, "Authorization", "DPoP "+p.token), dpop.InvalidProof)
	unproven(p.Send("GET", "/api/packages", nil, "Authorization", "Basic "+p.token), dpop.InvalidProof)
	unproven(p.Send("GET", "/session", nil, "Cookie", "countersign="+p.token), dpop.InvalidProof)
	unproven(p.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword, "Authorization", bearer(p)), dpop.InvalidProof)
	inBrowser := e2etest.Browser(t, app).Send("GET", "/account", nil, "Cookie", "countersign="+p.token, "Accept", "text/html").Want(http.StatusUnauthorized)
	if !strings.Contains(string(inBrowser.Body), "</html>") {
		t.Errorf("a page of a bound token's cookie: %s", inBrowser.Body)
	}
	unproven(p.Send("DELETE", "/session", nil, "Authorization", bearer(p)), dpop.InvalidProof)
	unproven(p.Send("GET", "/account", nil, "Authorization", bearer(p)), dpop.InvalidProof)
	unproven(p.with(p.proof("GET", "/account"), "GET", "/session", nil), dpop.InvalidProof)
	unproven(p.with(p.proof("GET", "/session")+strings.Repeat("A", 8<<10), "GET", "/session", nil), dpop.InvalidProof)

	unbound := e2etest.Program(t, app)
	unbound.Password("bob@sandbox")
	other := newPhone(t, app)
	other.token = strings.TrimPrefix(unbound.Header.Get("Authorization"), "Bearer ")
	unproven(other.call("GET", "/session", nil), dpop.InvalidToken)
	unproven(other.call("POST", "/users/bob@sandbox/login", e2etest.RightPassword), dpop.InvalidToken)
	unbound.Send("GET", "/session", nil, "DPoP", "of no account").Want(http.StatusOK)

	p.call("DELETE", "/session", nil).Want(http.StatusNoContent)
	over := p.call("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	if got := over.Header.Get("WWW-Authenticate"); got != `DPoP error="invalid_token", `+algorithms {
		t.Errorf("of a session that is over: %s", got)
	}
}

func twoProofsAreOneTooMany(t *testing.T, app *e2etest.App) {
	p := newPhone(t, app).signIn("alice@sandbox")
	unbound := e2etest.Program(t, app)
	unbound.Password("bob@sandbox")
	send := func(method, path, authorization, body string) e2etest.Reply {
		r, err := http.NewRequestWithContext(t.Context(), method, app.URL()+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Countersign-Session": {"bearer"}, "Dpop": {p.proof(method, path), p.proof(method, path)}}
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		return p.Do(r)
	}
	unproven(send("GET", "/session", "DPoP "+p.token, ""), dpop.InvalidProof)
	unproven(send("GET", "/session", unbound.Header.Get("Authorization"), ""), dpop.InvalidProof)
	unproven(send("POST", "/users/alice@sandbox/login", "", e2etest.RightPassword), dpop.InvalidProof)
}

func TestProof_KeyKeptFromPushOn(t *testing.T) {
	t.Parallel()
	app, other := twoNodes(t)
	p, thief := newPhone(t, app), newPhone(t, app)

	// A push begins under a bound pre-session; each poll shows the same key.
	push := p.call("POST", "/users/bob@sandbox/login", `{"orchestrationDelivery":["pushNotification"]}`).Want(http.StatusAccepted)
	p.keep(push)
	thief.token = p.token
	id := push.Text("requestID")
	unproven(thief.call("GET", "/sessions/"+id, nil), dpop.InvalidToken)
	unproven(p.Send("GET", "/sessions/"+id, nil, "Authorization", bearer(p)), dpop.InvalidProof)
	e2etest.Manage(t, app, "POST", "/push/"+id, map[string]any{"decision": "accept"})
	e2etest.Eventually(t, "the push is decided", func() bool {
		r := p.at(other).call("GET", "/sessions/"+id, nil).Want(http.StatusOK)
		if r.Text("sessionStatus") == "accepted" {
			p.keep(r)
		}
		return r.Text("sessionStatus") != "pending"
	})

	// Step-up needs the same key, and keeps it.
	before := oneSession(t, p.call("GET", "/account/sessions", nil))
	thief.token = p.token
	unproven(thief.call("POST", "/users/bob@sandbox/login", e2etest.RightPassword), dpop.InvalidToken)
	p.signIn("bob@sandbox")
	if after := oneSession(t, p.at(other).call("GET", "/account/sessions", nil)); before["id"] != after["id"] || after["bound"] != true {
		t.Errorf("after a step-up: %v, before: %v", after, before)
	}
	unproven(p.Send("GET", "/session", nil, "Authorization", bearer(p)), dpop.InvalidProof)

	// Somebody else in the same app, too.
	p.signIn("alice@sandbox")
	unproven(p.Send("GET", "/session", nil, "Authorization", bearer(p)), dpop.InvalidProof)
	computer := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	if page := computer.Page("/account").Want(http.StatusOK); !strings.Contains(string(page.Body), "Bound to this device") {
		t.Error("the page does not say that a session is bound")
	}
	computer.Send("DELETE", "/account/sessions", nil).Want(http.StatusNoContent) // where no forms are kept
	p.call("GET", "/session", nil).Want(http.StatusUnauthorized)
}

func aPreSessionOfACeremonyIsBound(t *testing.T, app *e2etest.App) {
	p := newPhone(t, app)
	request := p.call("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`).Want(http.StatusOK)
	p.keep(request)
	unproven(p.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword, "Authorization", bearer(p)), dpop.InvalidProof)
	p.signIn("alice@sandbox")
	p.call("GET", "/session", nil).Want(http.StatusOK)

	// An unbound pre-session's login may bind.
	late := newPhone(t, app)
	token := late.Send("POST", "/users/alice@sandbox/generate-fido-authentication-request", `{"fidoProtocol":"FIDO2"}`).Want(http.StatusOK).Text("sessionToken")
	late.keep(late.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword, "Authorization", "Bearer "+token, "DPoP", late.proof("POST", "/users/alice@sandbox/login")).Want(http.StatusOK))
	late.call("GET", "/session", nil).Want(http.StatusOK)
}

func aBrowserProvesNothing(t *testing.T, app *e2etest.App) {
	for _, proof := range []string{"broken", newPhone(t, app).proof("POST", "/users/alice@sandbox/login")} {
		b := e2etest.Browser(t, app)
		r := b.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword, "DPoP", proof).Want(http.StatusOK)
		if r.Header.Get("Set-Cookie") == "" || strings.Contains(string(r.Body), "tokenType") {
			t.Errorf("%v %s", r.Header, r.Body)
		}
		b.Send("GET", "/session", nil, "DPoP", proof).Want(http.StatusOK)
	}
	plain := e2etest.Program(t, app)
	plain.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword, "Countersign-Session", "", "DPoP", "broken").Want(http.StatusOK)
	unproven(plain.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword, "DPoP", "broken"), dpop.InvalidProof)
}

func TestProof_ReplayRefusedOnEveryNode(t *testing.T) {
	t.Parallel()
	app, other := twoNodes(t)
	p := newPhone(t, app)
	login := p.proof("POST", "/users/alice@sandbox/login")
	p.keep(p.with(login, "POST", "/users/alice@sandbox/login", e2etest.RightPassword).Want(http.StatusOK))
	mine := *p
	p.token = ""
	unproven(p.at(other).with(login, "POST", "/users/alice@sandbox/login", e2etest.RightPassword), dpop.InvalidProof)
	p = &mine

	proof := p.proof("GET", "/session")
	nodes := []*phone{p, p.at(other)}
	var taken, refused atomic.Int32
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			switch r := nodes[i%2].with(proof, "GET", "/session", nil); r.Status {
			case http.StatusOK:
				taken.Add(1)
			case http.StatusUnauthorized:
				unproven(r, dpop.InvalidProof)
				refused.Add(1)
			default:
				t.Errorf("%d: %s", r.Status, r.Body)
			}
		})
	}
	all.Wait()
	if taken.Load() != 1 || refused.Load() != 49 {
		t.Errorf("taken %d times, refused %d times", taken.Load(), refused.Load())
	}
	p.call("GET", "/session", nil).Want(http.StatusOK)
}

func TestAppSessions_ProofRequired(t *testing.T) {
	t.Parallel()
	redis := "REDIS_URL=redis://" + miniredis.RunT(t).Addr()
	before, _ := e2etest.BootApart(t, redis)
	app := e2etest.InFrontOf(t, before.SandboxURL(), redis, "APP_SESSIONS=bound")
	older := e2etest.Program(t, before)
	older.Password("alice@sandbox")
	older.Send("GET", "/api/packages", nil, "Authorization", strings.Replace(older.Header.Get("Authorization"), "Bearer", "Basic", 1)).Want(http.StatusNotFound) // signing is not in use

	older.App, older.HTTP = app, e2etest.Program(t, app).HTTP
	older.Send("GET", "/session", nil).Want(http.StatusOK)
	older.Send("GET", "/api/packages", nil, "Authorization", strings.Replace(older.Header.Get("Authorization"), "Bearer", "Basic", 1)).Refused(http.StatusUnauthorized, "session.required")
	older.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword).Refused(http.StatusBadRequest, "session.proof-required")

	c := e2etest.Program(t, app)
	for path, body := range map[string]string{
		"/users/alice@sandbox/login": e2etest.RightPassword, "/users/bob@sandbox/login": `{"orchestrationDelivery":["pushNotification"]}`,
		"/users/alice@sandbox/generate-fido-authentication-request": `{"fidoProtocol":"FIDO2"}`,
	} {
		c.Send("POST", path, body).Refused(http.StatusBadRequest, "session.proof-required")
	}
	newPhone(t, app).signIn("alice@sandbox").call("GET", "/session", nil).Want(http.StatusOK)
	b := e2etest.Browser(t, app).SignedIn("alice@sandbox")
	b.Send("GET", "/session", nil).Want(http.StatusOK)
}

func TestNonce_Required(t *testing.T) {
	t.Parallel()
	app, other := twoNodes(t, "DPOP_NONCE=on")
	p := newPhone(t, app)
	asked := p.call("POST", "/users/alice@sandbox/login", e2etest.RightPassword)
	unproven(asked, dpop.UseNonce)
	p.nonce = asked.Header.Get("DPoP-Nonce")
	p.signIn("alice@sandbox")
	ok := p.at(other).call("GET", "/session", nil).Want(http.StatusOK)
	if ok.Header.Get("DPoP-Nonce") == "" {
		t.Error("a success does not tell the newest nonce")
	}
	p.nonce = p.nonce[:len(p.nonce)-2] + "AA"
	wrong := p.at(other).call("GET", "/session", nil)
	unproven(wrong, dpop.UseNonce)
	p.nonce = wrong.Header.Get("DPoP-Nonce")
	p.call("GET", "/session", nil).Want(http.StatusOK)
	if off := newPhone(t, e2etest.Boot(t)).call("POST", "/users/alice@sandbox/login", e2etest.RightPassword).Want(http.StatusOK); off.Header.Get("DPoP-Nonce") != "" {
		t.Error("there is a nonce although none is asked for")
	}
}

// Nothing of a proof is logged, of good and of bad ones, and none reaches the platform.
func TestProofs_NotLogged(t *testing.T) {
	t.Parallel()
	log := &logtest.Log{}
	app := e2etest.BootTo(t, log, "LOG_LEVEL=debug")
	p := newPhone(t, app).signIn("alice@sandbox")
	proofs := []string{p.proof("GET", "/session"), changed(p.proof("GET", "/session")), p.proof("PUT", "/session"), "x.y.z"}
	for _, proof := range append(proofs, proofs[0]) {
		p.with(proof, "GET", "/session", nil)
	}
	e2etest.Eventually(t, "the log has the last line", func() bool { return strings.Count(log.String(), "route=/session") >= 5 })
	text := log.String()
	for _, proof := range proofs[:3] {
		for part := range strings.SplitSeq(proof, ".") {
			if strings.Contains(text, part[:16]) {
				t.Errorf("the log has a part of a proof: %s", part)
			}
		}
	}
	if strings.Contains(text, p.token) || !strings.Contains(text, "session.proof") || !strings.Contains(text, "the jti was used before") {
		t.Errorf("the log: %s", text)
	}
}

// Without Redis a good proof is not refused: it is 503, whichever command it breaks at.
func TestProof_WithoutRedis(t *testing.T) {
	t.Parallel()
	line := e2etest.NewRedisLine(t, miniredis.RunT(t).Addr())
	app := e2etest.BootPatiently(t, "REDIS_URL="+line.URL())
	p := newPhone(t, app).signIn("alice@sandbox")
	for passed := range 2 {
		line.BreakAfter(passed, e2etest.Breakage{})
		r := p.call("GET", "/session", nil)
		if line.Mend() {
			r.Unavailable(fmt.Sprintf("after %d commands", passed), "session.unavailable", false)
		}
		e2etest.Eventually(t, "Redis is back", func() bool { return p.call("GET", "/session", nil).Status == http.StatusOK })
	}
	p.token = ""
	line.BreakAfter(0, e2etest.Breakage{})
	r := p.call("POST", "/users/alice@sandbox/login", e2etest.RightPassword)
	line.Mend()
	if r.Status != http.StatusServiceUnavailable {
		t.Errorf("a login: %d %s", r.Status, r.Body)
	}
}
