package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/logtest"
)

// A request becomes a span of the trace that a trusted proxy names, with the calls to
// Redis and the platform below it; the collector receives it as OTLP.
func TestTracesOfARequest(t *testing.T) {
	var mu sync.Mutex
	var exported []string
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		exported = append(exported, r.Method+" "+r.URL.Path+" "+r.Header.Get("Content-Type")+" "+r.Header.Get("Api-Key")+" "+string(body))
	}))
	defer collector.Close()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var out, log logtest.Log
	ended := make(chan int, 1)
	go func() {
		ended <- command{environ: []string{
			"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0", "COUNTERSIGN_LOG_FORMAT=json",
			"COUNTERSIGN_TRUSTED_PROXIES=127.0.0.0/8", "OTEL_EXPORTER_OTLP_ENDPOINT=" + collector.URL + "/", "OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20key",
		}, stdout: &out, stderr: &log}.run(ctx, nil)
	}()
	var started struct{ Msg, Origin string }
	e2etest.Eventually(t, "the program has started", func() bool {
		for line := range strings.Lines(log.String()) {
			if json.Unmarshal([]byte(line), &started) == nil && started.Msg == "started" {
				return true
			}
		}
		return false
	})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, started.Origin+"/users/alice@sandbox/login", strings.NewReader(`{"credentials":{"passKey":"not it"}}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	e2etest.Plain(t).Do(r).Want(http.StatusConflict)
	end()
	if status := <-ended; status != 0 {
		t.Fatalf("it ended with %d: %s", status, log.String())
	}
	mu.Lock()
	defer mu.Unlock()
	told := strings.Join(exported, "\n")
	for _, part := range []string{
		"POST /v1/traces application/json a key {", `"name":"POST /users/:user/login"`, `"name":"redis `, `"name":"platform login"`, `"stringValue":"identity"`,
		`"traceId":"4bf92f3577b34da6a3ce929d0e0e4736"`, `"parentSpanId":"00f067aa0ba902b7"`, `"stringValue":"countersign"`, `"intValue":"409"`,
	} {
		if !strings.Contains(told, part) {
			t.Errorf("the collector is not told %s", part)
		}
	}
	for _, secret := range []string{"alice", "not it", "cs:"} {
		if strings.Contains(told, secret) {
			t.Errorf("the collector is told %q", secret)
		}
	}
}
