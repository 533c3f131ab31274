package signin_test

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// Where browsers are not asked to bind, there is nothing of it.
func TestBinding_OffByDefault(t *testing.T) {
	app := e2etest.Boot(t)
	b := signedIn(t, app)
	if b.challenge != "" {
		t.Error("a browser is asked to bind")
	}
	b.Send("POST", registers, nil).Refused(http.StatusNotFound, "request.not-found")
	b.Send("POST", renews, nil).Refused(http.StatusNotFound, "request.not-found")
	b.changes().Want(http.StatusNoContent)
	for _, path := range []string{"/", "/account", "/authenticators", "/packages"} {
		page := b.Page(path).Want(http.StatusOK)
		for name := range page.Header {
			if strings.Contains(name, "Secure-Session") {
				t.Errorf("%s has the header %s", path, name)
			}
		}
		if cookies := page.Header.Values("Set-Cookie"); strings.Contains(string(page.Body), "made-alone") || strings.Contains(strings.Join(cookies, " "), "-bound") {
			t.Errorf("%s has something of passkeys that are made alone, or of a binding: %q", path, cookies)
		}
	}
}

// A browser binds its session after the sign-in. From then on a client with the session's cookie
// alone reads, and changes nothing.
func TestBoundSession_CookieAloneReadsOnly(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "BROWSER_SESSIONS=bound")
	b := signedIn(t, app)
	b.changes().Want(http.StatusNoContent) // a browser that cannot bind is let in
	r := b.register(b.proof(b.challenge, nil, nil)).Want(http.StatusOK)
	b.id = r.Text("session_identifier")
	if cookie := r.Header.Get("Set-Cookie"); !strings.HasPrefix(cookie, bound+"=") || !strings.Contains(cookie, "Max-Age=600") || r.Text("refresh_url") != renews {
		t.Errorf("bound with %s: %s", cookie, r.Body)
	}
	if !strings.Contains(string(r.Body), `"attributes":"Path=/; HttpOnly; SameSite=Strict"`) {
		t.Errorf("told of another cookie: %s", r.Body)
	}
	b.changes().Want(http.StatusNoContent)

	thief := b.thief()
	thief.Send("GET", "/session", nil).Want(http.StatusOK)
	thief.changes().Refused(http.StatusUnauthorized, "session.proof")
	thief.Send("POST", "/users/alice@sandbox/login", e2etest.RightPassword).Refused(http.StatusUnauthorized, "session.proof")
	for _, acts := range []string{
		"/packages/p/sign", "/packages/p/sign?live=yes", "/verifications/v/continue", "/sessions/push",
		"/api/packages/p/roles/r/signingUrl", "/api/packages/p/roles/r/signingUrl/", "/api/packages/p/roles/r/signing%55rl/?x=y",
	} {
		if got, own := thief.Send("GET", acts, nil).Status, b.Send("GET", acts, nil).Status; got != http.StatusUnauthorized || own != http.StatusNotFound {
			t.Errorf("%s: %d for the cookie alone, %d for its browser", acts, got, own)
		}
	}
	_, after, _ := strings.Cut(b.without(), "countersign=")
	token, _, _ := strings.Cut(after, ";")
	program := e2etest.Program(t, app)
	program.Header.Set("Authorization", "Bearer "+token)
	program.Send("PATCH", "/session", members{"language": "de"}).Refused(http.StatusUnauthorized, "session.proof")

	clock.Advance(11 * time.Minute)
	b.Header.Set("Cookie", e2etest.CookieOf(b.Client))
	b.changes().Refused(http.StatusUnauthorized, "session.proof")
	b.Header.Del("Cookie")
	b.renewed()
	b.changes().Want(http.StatusNoContent)
	b.renewed() // before the ten minutes are over

	again := b.Password(alice) // a step-up keeps the binding
	if offered(again) != "" {
		t.Error("a bound browser is asked to bind")
	}
	b.thief().changes().Refused(http.StatusUnauthorized, "session.proof")
	b.changes().Want(http.StatusNoContent)
	b.renewed()
	b.thief().Send("DELETE", "/session", nil).Want(http.StatusNoContent) // leaving needs none
	b.renew("").Refused(http.StatusUnauthorized, "session.required")
}

// No way out needs a bound cookie; the end of another session does.
func TestSignOut_BoundSession(t *testing.T) {
	app := e2etest.Boot(t, "BROWSER_SESSIONS=bound")
	other := boundBrowser(t, app)
	left := boundBrowser(t, app)
	left.thief().Send("DELETE", "/account/sessions/"+other.id, nil).Refused(http.StatusUnauthorized, "session.proof")
	left.thief().Send("DELETE", "/account/sessions", nil).Refused(http.StatusUnauthorized, "session.proof")
	left.thief().Send("DELETE", "/account/sessions/"+left.id, nil).Want(http.StatusNoContent)
	left = boundBrowser(t, app)
	left.thief().Post("/account", "action", "end-session", "id", other.id).Want(http.StatusUnauthorized)
	left.thief().Post("/account", "action", "end-session", "id", left.id).Want(http.StatusSeeOther)
	left.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
	other.Send("GET", "/session", nil).Want(http.StatusOK)
	thief := boundBrowser(t, app).thief()
	thief.Post("/account", "action", "language", "language", "de").Want(http.StatusUnauthorized)
	thief.Post("/account", "action", "sign-out").Want(http.StatusSeeOther)
	thief.Send("GET", "/session", nil).Refused(http.StatusUnauthorized, "session.required")
}

// What does not show a key for the challenge of this very sign-in binds nothing, and loses
// nothing.
func TestBinding_Refused(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "BROWSER_SESSIONS=bound")
	b, other := signedIn(t, app), signedIn(t, app)
	good := b.proof(b.challenge, nil, nil)
	for name, proof := range map[string]string{
		"none":                    "",
		"no challenge":            b.proof("", nil, nil),
		"another challenge":       b.proof("AAAA", nil, nil),
		"another session's":       b.proof(other.challenge, nil, nil),
		"another key's signature": good[:strings.LastIndex(good, ".")] + other.proof(b.challenge, nil, nil)[strings.LastIndex(good, "."):],
	} {
		if r := b.register(proof); r.Status != http.StatusUnauthorized || r.Text("key") != "session.proof" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	thief := e2etest.Browser(t, app)
	thief.Send("POST", registers, nil, "Secure-Session-Response", good).Refused(http.StatusUnauthorized, "session.required")
	b.Send("POST", registers, nil, "Secure-Session-Response", good, "Origin", "https://evil.example").Refused(http.StatusForbidden, "request.cross-origin")
	b.changes().Want(http.StatusNoContent)
	b.bind()
	b.register(good).Refused(http.StatusUnauthorized, "session.proof") // once alone
	clock.Advance(6 * time.Minute)
	other.register(other.proof(other.challenge, nil, nil)).Refused(http.StatusUnauthorized, "session.proof")
}

// A refusal that ends the binding is for what is not the bound session, or not its key; what is
// old or used gets another challenge.
func TestRenewal_Refused(t *testing.T) {
	app, clock := e2etest.BootWithClock(t, "BROWSER_SESSIONS=bound")
	b, other := boundBrowser(t, app), boundBrowser(t, app)
	unbound := signedIn(t, app)
	unbound.Send("POST", renews, nil, "Sec-Secure-Session-Id", b.id).Refused(http.StatusUnauthorized, "session.proof")
	b.Send("POST", renews, nil).Refused(http.StatusUnauthorized, "session.proof")
	b.Send("POST", renews, nil, "Sec-Secure-Session-Id", other.id).Refused(http.StatusUnauthorized, "session.proof")

	challenge := b.asked(b.renew(""))
	for name, proof := range map[string]string{
		"no JWT":            "x",
		"another key":       other.proof(challenge, nil, nil),
		"another type":      b.proof(challenge, members{"typ": "JWT"}, nil),
		"another algorithm": b.proof(challenge, members{"alg": "none"}, nil),
	} {
		if r := b.renew(proof); r.Status != http.StatusUnauthorized || r.Text("key") != "session.proof" {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
	for _, wrong := range []string{"AAAA", b.challenge, other.asked(other.renew(""))} {
		b.asked(b.renew(b.proof(wrong, nil, nil)))
	}
	good := b.proof(challenge, members{"jwk": nil}, nil)
	b.renew(`"` + good + `"`).Want(http.StatusOK)
	b.asked(b.renew(good)) // used
	late := b.asked(b.renew(""))
	clock.Advance(5 * time.Minute)
	b.asked(b.renew(b.proof(late, nil, nil)))
	b.renewed()
}

// A Redis that is away ends no binding.
func TestRenewal_WithoutRedis(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no")
	app := e2etest.Boot(t, "BROWSER_SESSIONS=bound", "REDIS_URL="+server.URL())
	b := boundBrowser(t, app)
	challenge := b.asked(b.renew(""))
	server.Kill()
	b.renew("").Refused(http.StatusServiceUnavailable, "session.unavailable")
	b.renew(b.proof(challenge, nil, nil)).Refused(http.StatusServiceUnavailable, "session.unavailable")
}

// Nor does one that refuses writes, and what it could not do can be asked again.
func TestBinding_RedisTakesNoWrites(t *testing.T) {
	server := redistest.Start(t, "--appendonly", "no")
	app := e2etest.Boot(t, "BROWSER_SESSIONS=bound", "REDIS_URL="+server.URL())
	b, late := boundBrowser(t, app), signedIn(t, app)
	challenge := b.asked(b.renew(""))
	client := server.Client()
	writes := func(minimum string) {
		t.Helper()
		if err := client.ConfigSet(t.Context(), "min-replicas-to-write", minimum).Err(); err != nil {
			t.Fatal(err)
		}
	}
	writes("1")
	b.renew(b.proof(challenge, nil, nil)).Refused(http.StatusServiceUnavailable, "session.unavailable")
	late.register(late.proof(late.challenge, nil, nil)).Refused(http.StatusServiceUnavailable, "session.unavailable")
	late.changes().Refused(http.StatusServiceUnavailable, "session.unavailable") // and not unproven
	writes("0")
	b.renew(b.proof(challenge, nil, nil)).Want(http.StatusOK)
	late.bind()
}

// People see which of their sessions are bound, also after a change of them.
func TestSessionList_ShowsBoundSessions(t *testing.T) {
	app := e2etest.Boot(t, "BROWSER_SESSIONS=bound")
	other := signedIn(t, app)
	b := boundBrowser(t, app)
	list := other.Sessions()
	if len(list) != 2 || !slices.Contains(list, e2etest.Session{ID: b.id, Bound: true}) {
		t.Errorf("%s is bound: %v", b.id, list)
	}
	page := func() string { return string(b.Page("/account").Want(http.StatusOK).Body) }
	if said := strings.Count(page(), "Bound to this device"); said != 1 {
		t.Errorf("the page says it %d times", said)
	}
	b.renew("x").Refused(http.StatusUnauthorized, "session.proof")
	const refused = "A session could not prove its device"
	e2etest.Eventually(t, "the page tells of the refusal", func() bool { return strings.Contains(page(), refused) })
	b.changes().Want(http.StatusNoContent)
	b.Password(alice)
	if list = b.Sessions(); len(list) != 2 || !slices.Contains(list, e2etest.Session{ID: b.id, Current: true, Bound: true}) {
		t.Errorf("after a step-up: %v", list)
	}
}

// What browsers prove, and do not, is recorded and counted; nothing of it is secret.
func TestBinding_RecordedAndCounted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "trail")
	app := e2etest.Boot(t, "BROWSER_SESSIONS=bound", "AUDIT_LOG="+file, "RATE_CEREMONY=2/h")
	b := signedIn(t, app)
	b.register(b.proof("AAAA", nil, nil)).Refused(http.StatusUnauthorized, "session.proof")
	b.register("x").Refused(http.StatusUnauthorized, "session.proof")
	b.bind()
	b.register(b.proof(b.challenge, nil, nil)).Refused(http.StatusUnauthorized, "session.proof")
	b.renewed()
	b.asked(b.renew(b.proof("AAAA", nil, nil)))
	for range 3 { // the third of them is not recorded
		b.renew("x").Refused(http.StatusUnauthorized, "session.proof")
	}
	b.thief().changes().Refused(http.StatusUnauthorized, "session.proof")

	var trail []string
	for _, e := range e2etest.AuditTrail(t, file) {
		if e.Kind == audit.SessionBound || e.Kind == audit.SessionUnproven {
			trail = append(trail, strings.Join([]string{string(e.Kind), e.Person, e.Session, e.Reason}, " "))
		}
	}
	unproven := "session.unproven " + alice + " " + b.id + " session.proof"
	if want := []string{"session.bound " + alice + " " + b.id + " ", unproven, unproven}; !slices.Equal(trail, want) {
		t.Errorf("the audit trail has %q", trail)
	}
	metrics := string(e2etest.Asked(t, app, "/metrics").Body)
	for labels, count := range map[string]string{
		`outcome="registered",reason=""`: "1", `outcome="refreshed",reason=""`: "1", `outcome="refused",reason="challenge"`: "2",
		`outcome="refused",reason="proof"`: "4", `outcome="refused",reason="session"`: "1", `outcome="refused",reason="cookie"`: "1",
	} {
		if want := "countersign_browser_bindings_total{" + labels + "} " + count + "\n"; !strings.Contains(metrics, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
}

// Two tabs that refresh at once both get a good cookie, also with one proof each for one
// challenge: the second of those is asked once more.
func TestRenewal_TwoAtOnce(t *testing.T) {
	app := e2etest.Boot(t, "BROWSER_SESSIONS=bound")
	b := boundBrowser(t, app)
	first, second := b.proof(b.asked(b.renew("")), nil, nil), b.proof(b.asked(b.renew("")), nil, nil)
	var wait sync.WaitGroup
	tabs := []*browser{b.thief(), b.thief()}
	answers := make([]e2etest.Reply, len(tabs))
	for i, proof := range []string{first, second} {
		wait.Go(func() { answers[i] = tabs[i].renew(proof) })
	}
	wait.Wait()
	for i, tab := range tabs {
		cookie, _, _ := strings.Cut(answers[i].Want(http.StatusOK).Header.Get("Set-Cookie"), ";")
		tab.Header.Set("Cookie", b.without()+"; "+cookie)
		tab.changes().Want(http.StatusNoContent)
	}
	b.asked(b.renew(first))
	b.renewed()
	b.changes().Want(http.StatusNoContent)
}

// A bound cookie is good for its session alone, while that lasts; and no other way of asking goes
// around it.
func TestBoundCookie_OfOtherSession(t *testing.T) {
	app := e2etest.Boot(t, "BROWSER_SESSIONS=bound")
	b, same := boundBrowser(t, app), boundBrowser(t, app) // both of alice
	cookieOf := func(of *browser) string {
		_, after, _ := strings.Cut(e2etest.CookieOf(of.Client), bound+"=")
		value, _, _ := strings.Cut(after, ";")
		return bound + "=" + value
	}
	own, others := cookieOf(b), cookieOf(same)
	b.renewed()
	for name, tc := range map[string]struct {
		cookies string
		status  int
	}{
		"the one before":       {own, http.StatusNoContent},
		"another session's":    {others, http.StatusUnauthorized},
		"a bad one first":      {others + "; " + own, http.StatusUnauthorized},
		"none":                 {bound + "=", http.StatusUnauthorized},
		"a registration's":     {bound + "=" + b.challenge, http.StatusUnauthorized},
		"a refresh's":          {bound + "=" + b.asked(b.renew("")), http.StatusUnauthorized},
		"padded":               {own + "=", http.StatusUnauthorized},
		"under the other name": {"__Host-" + own, http.StatusUnauthorized},
	} {
		tab := b.thief()
		tab.Header.Set("Cookie", b.without()+"; "+tc.cookies)
		if got := tab.changes().Status; got != tc.status {
			t.Errorf("with %s: %d, want %d", name, got, tc.status)
		}
	}
	thief := b.thief()
	for _, acts := range []string{"/packages/p/sign", "/verifications/v/continue", "/api/packages/p/roles/r/signingUrl"} {
		if got := thief.Send("HEAD", acts, nil).Status; got != http.StatusUnauthorized {
			t.Errorf("HEAD %s: %d", acts, got)
		}
	}
	for _, method := range []string{"OPTIONS", "TRACE", "PROPFIND"} {
		if got := thief.Send(method, "/session", nil, "X-HTTP-Method-Override", "PATCH").Status; got != http.StatusMethodNotAllowed {
			t.Errorf("%s: %d", method, got)
		}
	}
	b.Send("POST", renews, nil, "Sec-Secure-Session-Id", `"`+b.id+`"`).Want(http.StatusForbidden) // a text of a structured header
	b.Send("DELETE", "/session", nil).Want(http.StatusNoContent)
	next := signedIn(t, app)
	next.Header.Set("Cookie", e2etest.CookieOf(next.Client)+"; "+own)
	next.bind()
	next.changes().Refused(http.StatusUnauthorized, "session.proof")
}
