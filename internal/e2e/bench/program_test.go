package bench_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/app"
	"countersign/internal/config"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// bench is the program in production's configuration, with a real Redis and the platform,
// each in a process of its own.
type bench struct {
	*e2etest.Process
	redis    *redistest.Server
	redisPID int
	platform *e2etest.Process
	address  string
	// upstream is the URL at which all sides ask the platform.
	upstream string
}

// publicHost is the Host of requests to the program.
const publicHost = "localhost:8080"

func newBench(b *testing.B, settings ...string) *bench {
	b.Helper()
	return newBenchBehind(b, func(sandbox string) string { return sandbox }, settings...)
}

// newBenchBehind is newBench with what front returns before the platform.
func newBenchBehind(b *testing.B, front func(sandbox string) string, settings ...string) *bench {
	b.Helper()
	countersign := build(b)
	redis := redistest.Start(b, "--appendonly", "no")
	platform := countersign.Start(b, "sandbox", "COUNTERSIGN_PUBLIC_ORIGIN=http://"+publicHost, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
	address, upstream := freeAddress(b), front(platform.Sandbox)
	countersign.Log = io.Discard
	program := countersign.Start(b, "", slices.Concat(production(redis, upstream), []string{"COUNTERSIGN_ADDR=" + address}, settings)...)
	return &bench{program, redis, pidOf(b, redis), platform, address, upstream}
}

func pidOf(b *testing.B, server *redistest.Server) int {
	b.Helper()
	info, err := server.Client().Info(context.Background(), "server").Result()
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(info, "process_id:")
	text, _, _ := strings.Cut(rest, "\r\n")
	pid, err := strconv.Atoi(text)
	if err != nil {
		b.Fatal(err)
	}
	return pid
}

// production returns the settings of a production, with limits that are never reached.
func production(redis *redistest.Server, platform string) []string {
	return []string{
		"COUNTERSIGN_PUBLIC_ORIGIN=http://" + publicHost, "COUNTERSIGN_REDIS_URL=" + redis.URL(),
		"COUNTERSIGN_PLATFORM_URL=" + platform, "COUNTERSIGN_IDENTITY_AUTHORIZATION=none",
		"COUNTERSIGN_SESSION_KEYS=" + strings.Repeat("a73c", 16), "COUNTERSIGN_DECOY_KEY=" + strings.Repeat("5ed1", 16),
		"COUNTERSIGN_RATE_SIGN_IN=10000/m", "COUNTERSIGN_RATE_SIGN_IN_ADDRESS=100000/m",
		"COUNTERSIGN_RATE_CEREMONY=100000/m", "COUNTERSIGN_RATE_CEREMONY_ADDRESS=100000/m",
	}
}

// freeAddress returns an address that nobody listens on.
func freeAddress(b testing.TB) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// app returns the App that the harness's clients need.
func (t *bench) app() *e2etest.App {
	origin, err := config.ParseOrigin("http://" + publicHost)
	if err != nil {
		t.T.Fatal(err)
	}
	return &e2etest.App{App: app.New(app.Options{Config: config.Config{PublicOrigin: origin}})}
}

// person returns an app that calls the program by its public name.
func (t *bench) person(b *testing.B) *e2etest.Client {
	b.Helper()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, t.address)
	}
	transport := &http.Transport{DialContext: dial, MaxIdleConnsPerHost: askers}
	b.Cleanup(transport.CloseIdleConnections)
	return &e2etest.Client{T: b, App: t.app(), HTTP: &http.Client{Transport: transport}, Header: http.Header{"Countersign-Session": {"bearer"}}}
}

// holder is a session: its user and its credential, in one of the two headers.
type holder struct{ user, authorization, cookie string }

func (h holder) header() string {
	if h.cookie != "" {
		return "Cookie: " + h.cookie
	}
	return "Authorization: " + h.authorization
}

const (
	// crowdPeople are signed in crowdSessions times each, which is the maximum.
	crowdPeople   = 40
	crowdSessions = 50
)

// crowd signs many people in, each prepared by prepare.
func (t *bench) crowd(b *testing.B, prepare func(*e2etest.Client)) (all []holder) {
	b.Helper()
	c := t.person(b)
	for i := range crowdPeople {
		user := fmt.Sprintf("bench%03d@sandbox", i)
		t.put(b, "users/"+user, fmt.Sprintf(`{"email":"bench%03d@bench.internal"}`, i))
		for session := range crowdSessions {
			signedIn := *c
			signedIn.SignedIn(user)
			if session == 0 {
				prepare(&signedIn)
			}
			all = append(all, holder{user: user, authorization: signedIn.Header.Get("Authorization")})
		}
	}
	return all
}

// put changes a setting of the platform.
func (t *bench) put(b *testing.B, what, body string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodPut, t.platform.Sandbox+"/_manage/"+what, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		b.Fatalf("%s: %s", what, response.Status)
	}
}

// ours returns Countersign as a side, called by all holders in random order for each
// one's path.
func (t *bench) ours(all []holder, path func(user string) string) *side {
	s := newSide("ours", t.Cmd.Process.Pid, t.address, all, path)
	s.allocations = func(b *testing.B) float64 { b.Helper(); return number(b, t.Admin+"/metrics", mallocs) }
	return s
}

// as returns Countersign as a side, called with c's session.
func (t *bench) as(c *e2etest.Client, path string) *side {
	return t.ours([]holder{{authorization: c.Header.Get("Authorization")}}, func(string) string { return path })
}
