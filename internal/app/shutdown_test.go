package app_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// Clients that hang up while the platform is busy leave nothing behind. A goroutine that
// stays after one of several clients, such as a connection opened in the background
// meanwhile, does not count.
func TestClient_DisconnectLeavesNoGoroutine(t *testing.T) {
	for _, operation := range []string{"listFidoRegistrations", "generateFidoRegistrationRequest"} {
		t.Run(operation, func(t *testing.T) {
			var log logtest.Log
			app := e2etest.BootTo(t, &log)
			c := e2etest.Program(t, app).SignedIn("alice@sandbox")
			e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": operation, "delay": "10m", "times": 0})
			var left error
			for range 10 {
				before := goleak.IgnoreCurrent()
				goesAway(c, operation, &log)
				http.DefaultClient.CloseIdleConnections()
				if left = goleak.Find(before); left == nil {
					return
				}
			}
			t.Error(left)
		})
	}
}

// goesAway hangs up once the platform is asked for operation, and waits until the log
// says so.
func goesAway(c *e2etest.Client, operation string, log *logtest.Log) {
	t, app := c.T, c.App
	t.Helper()
	e2etest.Manage(t, app, "DELETE", "/journal", nil)
	method, path, body := "GET", "/users/me/authenticators", ""
	if operation != "listFidoRegistrations" {
		method, path, body = "POST", "/users/me/generate-fido-registration-request", `{"fidoProtocol":"FIDO2"}`
	}
	ctx, hangUp := context.WithCancel(t.Context())
	request, err := http.NewRequestWithContext(ctx, method, app.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header = c.Header.Clone()
	request.Header.Set("Content-Type", "application/json")
	answered := make(chan error, 1)
	go func() {
		_, err := (&http.Transport{}).RoundTrip(request)
		answered <- err
	}()
	e2etest.Eventually(t, "the platform is called", func() bool { return slices.Contains(e2etest.Journal(t, app), operation) })
	const gone = "key=request.cancelled"
	told := strings.Count(log.String(), gone)
	hangUp()
	if err := <-answered; err == nil {
		t.Error("who went away was answered")
	}
	e2etest.Eventually(t, "the request is given up", func() bool { return strings.Count(log.String(), gone) > told })
}

// closing begins to close app, and returns once it takes no new connection; the channel
// gets the result.
func closing(t *testing.T, app *e2etest.App) <-chan error {
	t.Helper()
	closed := make(chan error, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Minute)
		defer cancel()
		closed <- app.Close(ctx)
	}()
	e2etest.Eventually(t, "nothing new is taken", func() bool {
		conn, err := net.Dial("tcp", strings.TrimPrefix(app.ListenURL(), "http://"))
		if err == nil {
			conn.Close()
		}
		return err != nil
	})
	return closed
}

// Closing lets requests under way finish, and takes no new ones.
func TestClose_RequestsFinish(t *testing.T) {
	app := e2etest.Unopened(t, io.Discard)
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow := beginSignIn(t, app)
	closed := closing(t, app)
	if status := slow.end(); status != http.StatusOK {
		t.Errorf("what was under way ended in %d", status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// slowSignIn is a sign-in whose body is not sent yet.
type slowSignIn struct {
	body            io.Reader
	begun, rest     chan struct{}
	beginning, last sync.Once
	answered        chan int
}

// beginSignIn returns a sign-in for whose body the program waits.
func beginSignIn(t *testing.T, app *e2etest.App) *slowSignIn {
	t.Helper()
	s := &slowSignIn{body: strings.NewReader(e2etest.RightPassword), begun: make(chan struct{}), rest: make(chan struct{}), answered: make(chan int, 1)}
	t.Cleanup(func() { s.last.Do(func() { close(s.rest) }) })
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, app.URL()+"/users/alice@sandbox/login", s)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Countersign-Session", "bearer")
	request.Header.Set("Expect", "100-continue") // the handler asks for the body by reading it
	go func() {
		response, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(request)
		if err != nil {
			s.answered <- 0
			return
		}
		response.Body.Close()
		s.answered <- response.StatusCode
	}()
	<-s.begun
	return s
}

// Read reads the body, whose bytes come when end is called.
func (s *slowSignIn) Read(p []byte) (int, error) {
	s.beginning.Do(func() { close(s.begun) })
	<-s.rest
	return s.body.Read(p)
}

// end sends the body, and returns the status of the answer; 0 if there is none.
func (s *slowSignIn) end() int {
	s.last.Do(func() { close(s.rest) })
	return <-s.answered
}
