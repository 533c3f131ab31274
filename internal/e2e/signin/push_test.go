package signin_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// listeningPlatform knows alice and bob, with any password and any one-time password
// except 123456, and records requests.
type listeningPlatform struct {
	mu     sync.Mutex
	bodies []string
}

func (p *listeningPlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Method == http.MethodPost {
		p.mu.Lock()
		p.bodies = append(p.bodies, string(body))
		p.mu.Unlock()
	}
	answer, status := `{"sessionStatus":"accepted"}`, http.StatusOK
	switch known := strings.Contains(r.URL.Path, "/alice@") || strings.Contains(r.URL.Path, "/bob@"); {
	case !known, strings.Contains(string(body), `"123456"`):
		answer, status = `{"message":"User account not found"}`, http.StatusNotFound
	case r.Method == http.MethodGet:
		answer = `{"userID":"alice","domain":"sandbox"}`
	case strings.Contains(string(body), "pushNotification"):
		answer = `{"sessionStatus":"pending","requestID":"4b2fae0c-97c3-4d52-9fd1-5a0b1c2d3e4f"}`
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// last returns the last body, decoded.
func (p *listeningPlatform) last(t *testing.T) (members map[string]any) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := json.Unmarshal([]byte(p.bodies[len(p.bodies)-1]), &members); err != nil {
		t.Fatal(err)
	}
	return members
}

// Texts on a person's phone, and the data by which the platform judges a sign-in, come
// only from the signed-in person, whatever others send in any spelling.
func TestNobodyElseWritesOnAPhone(t *testing.T) {
	platform := &listeningPlatform{}
	server := httptest.NewServer(platform)
	t.Cleanup(server.Close)
	app := e2etest.InFrontOf(t, server.URL)
	owner, other := e2etest.Program(t, app).SignedIn("alice@sandbox"), e2etest.Program(t, app).SignedIn("bob@sandbox")
	const own = `"loginMessage":{"title":{"text":"Your prize"},"subject":"Tap here"},"sessionID":"s","cddc":{"browserCDDC":{"fingerprintHash":"x"}},"requestID":"0f8c1d2e-3b4a-4596-a7b8-c9d0e1f2a3b4"`
	for _, ask := range []string{
		`{"orchestrationDelivery":["pushNotification"],` + own + `}`,
		`{` + own + `,"credentials":{"passKey":"x"},"orchestrationDelivery":["pushNotification","pushNotification"]}`,
		`{` + own + `,"relationshipRef":"r","credentials":{"authenticator":{"OTP":"123456"}}}`,
	} {
		for _, c := range []*e2etest.Client{e2etest.Program(t, app), e2etest.Browser(t, app), other} {
			for _, user := range []string{"alice@sandbox", "ALICE@Sandbox", "nobody@sandbox"} {
				c.Elsewhere().Send("POST", "/users/"+user+"/login", ask)
				for name := range platform.last(t) {
					if slices.Contains([]string{"loginMessage", "sessionID", "cddc", "requestID"}, name) {
						t.Errorf("%s for %s sent %s: %v", ask, user, name, platform.last(t))
					}
				}
			}
		}
	}
	r := owner.Elsewhere().Send("POST", "/users/Alice@sandbox/login", `{"orchestrationDelivery":["pushNotification"],`+own+`}`).Want(http.StatusAccepted)
	for _, name := range []string{"loginMessage", "sessionID", "cddc"} {
		if platform.last(t)[name] == nil {
			t.Errorf("the owner's %s was not sent", name)
		}
	}
	if platform.last(t)["requestID"] != nil {
		t.Error("a requestID was sent that the session does not hold")
	}
	owner.Elsewhere().Send("POST", "/users/me/login", `{"credentials":{"authenticator":{"OTP":"1"}},"requestID":"`+r.Text("requestID")+`"}`).Want(http.StatusOK)
	if platform.last(t)["requestID"] != r.Text("requestID") {
		t.Errorf("the session's requestID was not sent: %v", platform.last(t))
	}
}

const passwordAndPush = `{"credentials":{"passKey":"Sandbox-1!"},"orchestrationDelivery":["pushNotification"]}`

// One push of an address waits at a time, even if two come at once, for any account in
// any spelling; an answer, or another address, lets the next one pass.
func TestOnePushWaitsAtATime(t *testing.T) {
	app := e2etest.Boot(t)
	for _, user := range []string{"alice", "nobody", "dave", "erin"} {
		c := e2etest.Program(t, app).Elsewhere()
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		answers := make([]e2etest.Reply, 8)
		var wait sync.WaitGroup
		for i := range answers {
			wait.Go(func() {
				spelled := []string{user, strings.ToUpper(user)}[i%2]
				answers[i] = c.Send("POST", "/users/"+spelled+"@sandbox/login", e2etest.PushedSignIn)
			})
		}
		wait.Wait()
		accepted := 0
		for _, r := range answers {
			if r.Status == http.StatusAccepted {
				accepted++
				continue
			}
			r.Refused(http.StatusTooManyRequests, "request.rate")
			if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err != nil || seconds < 30 || seconds > 60 {
				t.Errorf("%s: Retry-After %q", user, r.Header.Get("Retry-After"))
			}
		}
		if got := e2etest.Journal(t, app); accepted != 1 || !slices.Equal(got, []string{"login"}) {
			t.Errorf("%s: %d were accepted, the platform was asked for %v", user, accepted, got)
		}
		c.Send("POST", "/users/"+user+"@sandbox/login", passwordAndPush).Refused(http.StatusTooManyRequests, "request.rate")
		c.Elsewhere().Send("POST", "/users/"+user+"@sandbox/login", e2etest.PushedSignIn).Want(http.StatusAccepted)
	}
	c := e2etest.Program(t, app).Elsewhere()
	for _, decision := range []string{"refuse", "accept", "refuse"} {
		r := c.Send("POST", "/users/carol@sandbox/login", e2etest.PushedSignIn).Want(http.StatusAccepted)
		waiting := *c
		waiting.Carry(r)
		e2etest.Manage(t, app, "POST", "/push/"+r.Text("requestID"), map[string]any{"decision": decision})
		waiting.Decided(r.Text("requestID")).Want(http.StatusOK)
	}
}

// With a limit of three an hour, three pushes reach an account from any address, with a
// password or without; an unknown account counts like an existing one.
func TestPushesPerMinute(t *testing.T) {
	app := e2etest.Boot(t, "RATE_PUSH=3/h")
	for _, user := range []string{"alice", "nobody", "erin"} {
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		for i := range 6 {
			ask := []string{e2etest.PushedSignIn, passwordAndPush}[i/5] // the last with a password
			r := e2etest.Program(t, app).Elsewhere().Send("POST", "/users/"+user+"@sandbox/login", ask)
			if (r.Status == http.StatusTooManyRequests) != (i >= 3) || r.Status == http.StatusTooManyRequests && r.Header.Get("Retry-After") == "" {
				t.Errorf("%s, push %d: %d %s", user, i, r.Status, r.Body)
			}
		}
		if got := e2etest.Journal(t, app); len(got) != 3 {
			t.Errorf("%s: the platform was asked for %v", user, got)
		}
	}
}

// However often and by however many clients a push is polled, be it real, decoy or a
// transaction, the platform is asked once a second, by the clock of the embedded Redis,
// which may be slightly ahead.
func TestPollsReachThePlatformOnceASecond(t *testing.T) {
	app := e2etest.Boot(t)
	signedIn := e2etest.Program(t, app).SignedIn("alice@sandbox")
	transaction := signedIn.Send("POST", "/users/me/transactions/validate", e2etest.PushedTransaction).Want(http.StatusAccepted).Text("requestID")
	polls := map[string]*e2etest.Client{transaction: signedIn}
	for _, user := range []string{"alice", "nobody", "dave"} {
		c := e2etest.Program(t, app)
		polls[e2etest.Push(c, user+"@sandbox").Text("requestID")] = c
	}
	for id, c := range polls {
		e2etest.Manage(t, app, "DELETE", "/journal", nil)
		began := time.Now()
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				for range 25 {
					if r := c.Send("GET", "/sessions/"+id, nil); r.Status != http.StatusOK || r.Text("sessionStatus") != "pending" {
						t.Errorf("a poll: %d %s", r.Status, r.Body)
					}
				}
			})
		}
		wait.Wait()
		if n, most := len(e2etest.Journal(t, app)), int(2*time.Since(began)/time.Second)+1; n < 1 || n > most {
			t.Errorf("the platform was asked %d times, %d at most", n, most)
		}
	}
}
