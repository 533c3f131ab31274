package app_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
	"countersign/internal/redisdb/redistest"
)

// A node that starts without its Redis logs that, and logs each change once, with no
// probes and with many.
func TestReadiness_ChangeLoggedOnce(t *testing.T) {
	server := redistest.Start(t)
	server.Kill()
	var log logtest.Log
	app := e2etest.BootTo(t, &log, "REDIS_URL="+server.URL())
	away, there := `level=WARN msg="not ready: Redis is away" cause=`, `level=INFO msg="ready: Redis is there"`
	told := func(times int, what string) {
		t.Helper()
		e2etest.Eventually(t, what, func() bool { return strings.Count(log.String(), what) == times })
	}
	told(1, away)
	server.Restart()
	told(1, there)
	server.Kill()
	told(2, away)
	for range 5 {
		if r := e2etest.Asked(t, app, "/readyz"); r.Status != http.StatusServiceUnavailable || string(r.Body) != "not ready\n" {
			t.Errorf("without Redis: %d %q", r.Status, r.Body)
		}
	}
	if metrics := e2etest.Asked(t, app, "/metrics").Body; !e2etest.Has(metrics, "\ncountersign_ready 0\n") {
		t.Error("the metrics lack countersign_ready 0")
	}
	server.Restart()
	told(2, there)
	e2etest.Eventually(t, "ready with Redis", func() bool { // whether it takes writes is asked once a second
		r := e2etest.Asked(t, app, "/readyz")
		return r.Status == http.StatusOK && string(r.Body) == "ready\n"
	})
	if metrics := e2etest.Asked(t, app, "/metrics").Body; !e2etest.Has(metrics, "\ncountersign_ready 1\n") {
		t.Error("the metrics lack countersign_ready 1")
	}
	if strings.Count(log.String(), away) != 2 {
		t.Errorf("it was told again:\n%s", log.String())
	}
}

// A load balancer that names no host is answered; one that names another host is not.
func TestProbe_WithoutHost(t *testing.T) {
	app := e2etest.Boot(t)
	for request, want := range map[string]string{
		"GET /readyz HTTP/1.0\r\n\r\n":                            "HTTP/1.0 200 OK",
		"GET /healthz HTTP/1.0\r\n\r\n":                           "HTTP/1.0 200 OK",
		"GET /readyz HTTP/1.0\r\nHost:\r\n\r\n":                   "HTTP/1.0 200 OK",
		"GET /readyz HTTP/1.0\r\nHost: evil.example\r\n\r\n":      "HTTP/1.0 421 Misdirected Request",
		"GET /readyz HTTP/1.1\r\nHost: evil.example:9090\r\n\r\n": "HTTP/1.1 421 Misdirected Request",
		"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n":         "HTTP/1.1 200 OK",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(app.AdminURL(), "http://"))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(conn, request)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if conn.Close(); err != nil || strings.TrimSpace(line) != want {
			t.Errorf("%q is answered %q, %v; want %q", request, line, err, want)
		}
	}
}

// A probe that hangs up logs nothing about Redis.
func TestReadiness_ProbeDisconnects(t *testing.T) {
	var log logtest.Log
	app := e2etest.BootTo(t, &log)
	e2etest.Eventually(t, "ready", func() bool { return strings.Contains(log.String(), "ready: Redis is there") })
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	if err := app.CheckReadiness(gone); err == nil {
		t.Error("who hung up was answered")
	}
	if strings.Contains(log.String(), "not ready") {
		t.Errorf("the log says:\n%s", log.String())
	}
}

// From the moment it is told to stop, a node is not ready, and /readyz answers while
// requests finish.
func TestReadiness_NotReadyWhileClosing(t *testing.T) {
	var log logtest.Log
	app := e2etest.Unopened(t, &log)
	if err := app.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	slow := beginSignIn(t, app)
	closed := closing(t, app)
	if r := e2etest.Asked(t, app, "/readyz"); r.Status != http.StatusServiceUnavailable || string(r.Body) != "not ready\n" {
		t.Errorf("stopping: %d %q", r.Status, r.Body)
	}
	if metrics := e2etest.Asked(t, app, "/metrics").Body; !e2etest.Has(metrics, "\ncountersign_ready 0\n") {
		t.Error("the metrics lack countersign_ready 0")
	}
	if said := log.String(); !strings.Contains(said, "msg=stopping") || strings.Contains(said, "msg=stopped") {
		t.Errorf("while it stops, the log says:\n%s", said)
	}
	if status := slow.end(); status != http.StatusOK {
		t.Errorf("what was under way ended in %d", status)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	for _, line := range []string{"msg=stopping", "msg=stopped"} {
		if n := strings.Count(log.String(), line); n != 1 {
			t.Errorf("%s stands %d times in the log:\n%s", line, n, log.String())
		}
	}
}

// The calls to the platform and its circuit are among the metrics.
func TestMetrics_PlatformCallsAndCircuit(t *testing.T) {
	app, platform := e2etest.BootApart(t)
	c := e2etest.Program(t, app).SignedIn("alice@sandbox")
	e2etest.Manage(t, app, "POST", "/faults", e2etest.Fault{"operation": "generateFidoRegistrationRequest", "status": 401})
	c.RequestRegistration().Refused(http.StatusBadGateway, "platform.failed")
	metrics := e2etest.Asked(t, app, "/metrics").Body
	for _, line := range []string{
		`countersign_platform_call_duration_seconds_count{operation="login",outcome="200",service="identity"} 1`,
		`countersign_platform_call_duration_seconds_count{operation="generateFidoRegistrationRequest",outcome="401",service="identity"} 1`,
		`countersign_platform_circuit{service="identity",state="closed"} 1`,
		`countersign_platform_circuit{service="identity",state="open"} 0`,
		`go_build_info{`,
	} {
		if !e2etest.Has(metrics, "\n"+line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	platform.Fail(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	e2etest.Eventually(t, "the circuit is open", func() bool {
		c.Send("GET", "/users/me/authenticators", nil)
		return e2etest.Has(e2etest.Asked(t, app, "/metrics").Body, `countersign_platform_circuit{service="identity",state="open"} 1`)
	})
}
