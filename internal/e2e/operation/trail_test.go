package operation_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/audit"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// trail is an App with a readable audit trail.
type trail struct {
	*e2etest.App
	t    *testing.T
	file string
	log  *logtest.Log
	read int // number of events already checked
}

func bootTrail(t *testing.T, settings ...string) *trail {
	t.Helper()
	file := filepath.Join(t.TempDir(), "audit.log")
	log := &logtest.Log{}
	return &trail{App: e2etest.BootTo(t, log, append(settings, "AUDIT_LOG="+file)...), t: t, file: file, log: log}
}

// events returns the events in the file.
func (l *trail) events() []audit.Event {
	l.t.Helper()
	return e2etest.AuditTrail(l.t, l.file)
}

// did stops the test unless the events since the last call are exactly the wanted ones,
// of which only non-empty members are compared. Every event must have its address and
// time.
func (l *trail) did(wanted ...audit.Event) {
	l.t.Helper()
	all := l.events()
	fresh := all[l.read:]
	l.read = len(all)
	if len(fresh) != len(wanted) {
		l.t.Fatalf("%d events, want %d: %+v", len(fresh), len(wanted), fresh)
	}
	for i, want := range wanted {
		got := fresh[i]
		if got.At.IsZero() || got.Address == "" || got.Device == "" || got.Request == "" {
			l.t.Errorf("%s lacks when or where: %+v", got.Kind, got)
		}
		if (want.Session == "") != (got.Session == "") {
			l.t.Errorf("%s: session %q", got.Kind, got.Session)
		}
		want.At, want.Address, want.Device, want.Request, want.Session = got.At, got.Address, got.Device, got.Request, got.Session
		if want.Subject == some && got.Subject != "" {
			want.Subject = got.Subject
		}
		if got != want {
			l.t.Errorf("event %+v\nwant  %+v", got, want)
		}
	}
}

// some stands for any subject or session.
const some = "*"

func event(kind audit.Kind, person string) audit.Event {
	return audit.Event{Kind: kind, Person: person, Session: some}
}

const alice, bob, carol = "alice@sandbox", "bob@sandbox", "carol@sandbox"

type members = map[string]any

// Every kind of event comes from a flow that people go through, and the document lists
// all kinds.
func TestAuditTrail_EveryEvent(t *testing.T) {
	l := bootTrail(t)
	l.signIns()
	l.sessions()
	l.authenticators()
	l.transactions()
	l.packages()
	l.verifications()
	l.proofs()
	l.counted()
	l.secretless()
	l.shown()
	l.proxied()
	l.notified()
	l.people()
	var seen []audit.Kind
	for _, e := range l.events() {
		seen = append(seen, e.Kind)
	}
	// the tests of accounts, sign-ins and packages try them
	elsewhere := []audit.Kind{audit.AccountEnded, audit.SessionBound, audit.SessionUnproven, audit.RetentionAnnounced}
	for _, kind := range audit.Kinds() {
		if !slices.Contains(elsewhere, kind) && !slices.Contains(seen, kind) {
			t.Errorf("no flow here is %s", kind)
		}
	}
	for _, kind := range seen {
		if !slices.Contains(audit.Kinds(), kind) {
			t.Errorf("%s is not among the kinds", kind)
		}
	}
}

// The metrics have counted the events.
func (l *trail) counted() {
	l.t.Helper()
	text := string(e2etest.Asked(l.t, l.App, "/metrics").Want(http.StatusOK).Body)
	for _, line := range []string{
		`countersign_sign_ins_total{method="password",outcome="refused"} 2`,
		`countersign_sign_ins_total{method="push",outcome="accepted"} 1`,
		`countersign_sign_ins_total{method="push",outcome="refused"} 2`,
		`countersign_registrations_total{outcome="accepted",protocol="FIDO2"} 1`,
		`countersign_registrations_total{outcome="refused",protocol="FIDO2"} 1`,
		`countersign_audit_events_total{event="session.signed-out"} 1`,
		`countersign_audit_events_lost_total 0`,
		`countersign_event_streams 0`,
		`countersign_uploads_in_flight 0`,
		`countersign_redis_pool_timeouts_total 0`,
	} {
		if !strings.Contains(text, line+"\n") {
			l.t.Errorf("/metrics lacks %s", line)
		}
	}
	for _, pattern := range []string{
		`countersign_redis_call_duration_seconds_count\{outcome="ok"\} [1-9]`,
		`countersign_redis_connections\{state="(idle|used)"\} [1-9]`,
	} {
		if !regexp.MustCompile(pattern).MatchString(text) {
			l.t.Errorf("/metrics lacks %s", pattern)
		}
	}
}

// A person sees the actions on their account on its page, in words, and nobody else's.
func (l *trail) shown() {
	l.t.Helper()
	a, b := e2etest.Browser(l.t, l.App), e2etest.Browser(l.t, l.App)
	a.Header.Set("User-Agent", "the-phone-of-alice")
	b.Header.Set("User-Agent", "the-desk-of-bob")
	a.SignedIn(alice)
	b.SignedIn(bob)
	var page e2etest.Reply
	e2etest.Eventually(l.t, "what was done is shown", func() bool {
		page = a.Page("/account").Want(http.StatusOK)
		return strings.Count(string(page.Body), "the-phone-of-alice") == 2 // in the session and in the event
	})
	for _, text := range []string{"Recent activity", "Signed in", "A sign-in was refused", "Passkey added", "Passkey removed", "Transaction confirmed"} {
		if !e2etest.Has(page.Body, text) {
			l.t.Errorf("alice's page lacks %q", text)
		}
	}
	if e2etest.Has(page.Body, "the-desk-of-bob") {
		l.t.Error("alice's page shows what bob did")
	}
	e2etest.Eventually(l.t, "what bob did is shown", func() bool { return e2etest.Has(b.Page("/account").Body, "Signed out") })
	if page := b.Page("/account"); e2etest.Has(page.Body, "the-phone-of-alice") || e2etest.Has(page.Body, "Passkey added") {
		l.t.Error("bob's page shows what alice did")
	}
}

// The log shows a trusted proxy's request id and trace next to our own id.
func (l *trail) proxied() {
	l.t.Helper()
	c := e2etest.Browser(l.t, l.App)
	r := c.Send("GET", "/login", nil, "X-Request-Id", "of-the-proxy", "Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	if id := r.Header.Get("X-Request-Id"); id == "of-the-proxy" || id == "" {
		l.t.Errorf("the answer is named %q", id)
	}
	e2etest.Eventually(l.t, "the request is in the log", func() bool {
		return strings.Contains(l.log.String(), "proxyRequest=of-the-proxy trace=4bf92f3577b34da6a3ce929d0e0e4736")
	})
}

// The trail contains no secret.
func (l *trail) secretless() {
	l.t.Helper()
	text, err := os.ReadFile(l.file)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, secret := range []string{"Sandbox-1!", "not it", "Bearer", "countersign="} {
		if strings.Contains(string(text), secret) {
			l.t.Errorf("the trail tells %q", secret)
		}
	}
}
