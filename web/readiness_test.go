package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/logtest"
	"countersign/internal/redisdb"
	"countersign/internal/redisdb/redistest"
)

// watched is a Readiness that watches a Redis, queried over its admin endpoint.
type watched struct {
	t     *testing.T
	admin http.Handler
	log   *logtest.Log
}

func watch(t *testing.T, options redisdb.Options) *watched {
	t.Helper()
	w := &watched{t: t, log: &logtest.Log{}}
	options.Logger, options.Timeout = slog.New(slog.DiscardHandler), time.Minute // these tests do not measure how soon Redis answers
	db, err := redisdb.Open(options)
	if err != nil {
		t.Fatal(err)
	}
	metrics := NewMetrics("test")
	readiness := NewReadiness(metrics, slog.New(slog.NewTextHandler(w.log, nil)), db, func() error { return nil })
	w.admin = Admin(metrics, readiness)
	ctx, cancel := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() { readiness.Watch(ctx) })
	t.Cleanup(func() {
		cancel()
		watching.Wait()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *watched) get(path string) (status int, body string) {
	r := httptest.NewRecorder()
	w.admin.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "http://localhost"+path, nil))
	return r.Code, r.Body.String()
}

// becomes waits for an answer of /readyz, and for these metrics.
func (w *watched) becomes(status int, body string, metrics ...string) {
	w.t.Helper()
	redistest.Eventually(w.t, strings.TrimSpace(body), func() bool {
		gotStatus, gotBody := w.get("/readyz")
		_, numbers := w.get("/metrics")
		for _, line := range metrics {
			if !strings.Contains(numbers, "\n"+line+"\n") {
				return false
			}
		}
		return gotStatus == status && gotBody == body
	})
}

// told waits until each line has been logged so many times.
func (w *watched) told(times int, lines ...string) {
	w.t.Helper()
	for _, line := range lines {
		redistest.Eventually(w.t, line, func() bool { return strings.Count(w.log.String(), line) == times })
	}
}

const noWrites = "ready, but Redis refuses writes\n"

// A Redis that refuses writes leaves a node ready, and is reported once: in the body,
// the log and a metric.
func TestReadiness_WithoutWrites(t *testing.T) {
	server := redistest.Start(t)
	w := watch(t, redisdb.Options{URL: server.URL()})
	w.becomes(http.StatusOK, "ready\n", "countersign_ready 1", "countersign_redis_writable 1")
	for round := range 2 {
		configure(t, server, "maxmemory", "1")
		w.becomes(http.StatusOK, noWrites, "countersign_ready 1", "countersign_redis_writable 0")
		w.told(round+1, `level=WARN msg="Redis refuses writes" cause=`)
		configure(t, server, "maxmemory", "0")
		w.becomes(http.StatusOK, "ready\n", "countersign_ready 1", "countersign_redis_writable 1")
		w.told(round+1, `level=INFO msg="Redis takes writes again"`)
	}
	w.told(0, "not ready")
}

// A node is not ready while its user may not do what is needed, which the log says once.
func TestReadiness_WithoutPermission(t *testing.T) {
	server := redistest.Start(t)
	allow := func(rule string) {
		t.Helper()
		args := []any{"acl", "setuser", "default", "resetkeys", "nocommands", "+@all"}
		for word := range strings.FieldsSeq(rule) {
			args = append(args, word)
		}
		if err := server.Client().Do(t.Context(), args...).Err(); err != nil {
			t.Fatal(err)
		}
	}
	allow("~* -@scripting")
	w := watch(t, redisdb.Options{URL: server.URL()})
	if status, body := w.get("/readyz"); status != http.StatusServiceUnavailable || body != "not ready\n" {
		t.Errorf("at the first question: %d %q", status, body)
	}
	for round := range 2 {
		allow("~* -@scripting")
		w.becomes(http.StatusServiceUnavailable, "not ready\n", "countersign_ready 0")
		w.told(round+1, `level=WARN msg="not ready: Redis refuses what is needed" cause=`)
		allow("~*")
		w.becomes(http.StatusOK, "ready\n", "countersign_ready 1")
	}
}

// However often /readyz is requested, a write is tried once a second.
func TestReadiness_WritesOncePerSecond(t *testing.T) {
	server := redistest.Start(t)
	begin := time.Now()
	w := watch(t, redisdb.Options{URL: server.URL()})
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for range 100 {
				w.get("/readyz")
			}
		})
	}
	asking.Wait()
	redistest.Eventually(t, "a write is tried", func() bool { return calls(t, server, "set") > 0 })
	written := calls(t, server, "set")                                          // read before the time, which goes on
	if most := 2 * (1 + int(time.Since(begin)/time.Second)); written > most+1 { // one for the write, one for the permission, which the first question asks too
		t.Errorf("written %d times, want %d at most", written, most)
	}
	if asked := calls(t, server, "exists"); asked < 400 {
		t.Errorf("read %d times by 400 questions", asked)
	}
}

func configure(t *testing.T, server *redistest.Server, name, value string) {
	t.Helper()
	if err := server.Client().ConfigSet(t.Context(), name, value).Err(); err != nil {
		t.Fatal(err)
	}
}

// calls returns how often server has run command.
func calls(t *testing.T, server *redistest.Server, command string) int {
	t.Helper()
	stats, err := server.Client().Info(t.Context(), "commandstats").Result()
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`cmdstat_` + command + `:calls=(\d+)`).FindStringSubmatch(stats)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}
