package bench_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/redis/go-redis/v9"

	"countersign/internal/e2e/e2etest"
)

// BenchmarkRelayedGet is GET /users/me/authenticators: a session from Redis, one
// call of the platform, an answer. Bare is httputil.ReverseProxy to the same call
// of the same platform, after one GET of a value of a session's size from the
// same Redis.
func BenchmarkRelayedGet(b *testing.B) {
	t := newBench(b)
	c := t.person(b).SignedIn("alice@sandbox")
	for range 2 {
		c.Register(e2etest.NewPasskey(t.app()))
	}
	duel(b, t.ours(b, "/users/me/authenticators"), t.bare(b, "/users/alice@sandbox/fido-registrations", nil))
}

// BenchmarkSession is GET /session: a session from Redis, an answer. Bare is a gin
// handler that gives the same answer after one GET of a value of a session's size.
func BenchmarkSession(b *testing.B) {
	t := newBench(b)
	ours := t.ours(b, "/session")
	body, err := ours.ask(ours.conns[0])
	if err != nil {
		b.Fatal(err)
	}
	duel(b, ours, t.bare(b, "/session", body))
}

// role makes this test binary the bare program.
const role = "TEST_BINARY_ROLE"

var _ = func() bool {
	if os.Getenv(role) == "bare" {
		bare()
	}
	return true
}()

// What the bare program is told.
const (
	bareRedis    = "BARE_REDIS"
	barePlatform = "BARE_PLATFORM"
	bareAnswer   = "BARE_ANSWER"
)

// bare starts the bare program.
func (t *bench) bare(b *testing.B, path string, answer []byte) *side {
	b.Helper()
	client := t.redis.Client()
	if err := client.Set(context.Background(), "bare", strings.Repeat("x", 350), 0).Err(); err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), os.Args[0])
	cmd.Env = []string{role + "=bare", bareRedis + "=" + t.redis.Addr, barePlatform + "=" + t.platform.Sandbox, bareAnswer + "=" + string(answer)}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		b.Fatal(err)
	}
	return newSide(b, cmd.Process.Pid, address, path)
}

// bare is a program of its own: a server without any middleware, with the clients
// of Redis and HTTP as they come, but for the idle connections that a default
// transport would not keep.
func bare() {
	if err := serveBare(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serveBare() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	platform, err := url.Parse(os.Getenv(barePlatform))
	if err != nil {
		return err
	}
	client := redis.NewClient(&redis.Options{Addr: os.Getenv(bareRedis)})
	var handler http.Handler
	if answer := os.Getenv(bareAnswer); answer != "" {
		handler = bareHandler(client, []byte(answer))
	} else {
		handler = bareProxy(client, platform)
	}
	fmt.Println(listener.Addr())
	return http.Serve(listener, handler)
}

func bareHandler(client *redis.Client, answer []byte) http.Handler {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.GET("/session", func(c *gin.Context) {
		if err := client.Get(c.Request.Context(), "bare").Err(); err != nil {
			c.AbortWithStatus(http.StatusServiceUnavailable)
			return
		}
		c.Data(http.StatusOK, "application/json", answer)
	})
	return engine
}

func bareProxy(client *redis.Client, platform *url.URL) http.Handler {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 512
	transport.DisableCompression = true
	proxy := &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(platform) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := client.Get(r.Context(), "bare").Err(); err != nil {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		proxy.ServeHTTP(w, r)
	})
}
