package bench_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/app"
	"countersign/internal/config"
	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// What the benchmarks report are ratios: Countersign against the bare thing that
// it stands in for, each in a process of its own, asked in turn for slices of a
// quarter of a second, so that whatever else the machine does falls on both.
// docs/benchmarks.md says what is compared with what.

const (
	slice = 250 * time.Millisecond
	// rounds is how often each of the two has its slice. One op of a benchmark is
	// all of them, so that the figures do not depend on -benchtime.
	rounds = 24
	// askers is how many keep-alive connections ask at once.
	askers = 16
)

// side is one of the two: its process, and what it is asked.
type side struct {
	pid     int
	address string
	request []byte
	conns   []*bufio.ReadWriter
}

func newSide(b *testing.B, pid int, address, path string, headers ...string) *side {
	b.Helper()
	request := "GET " + path + " HTTP/1.1\r\n" + strings.Join(append(headers, "Host: "+publicHost, "Accept-Language: de-DE,de;q=0.9,en;q=0.8"), "\r\n") + "\r\n\r\n"
	s := &side{pid: pid, address: address, request: []byte(request)}
	for range askers {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		s.conns = append(s.conns, bufio.NewReadWriter(bufio.NewReader(conn), bufio.NewWriter(conn)))
	}
	return s
}

// ask is one exchange. It reads no more of the answer than it has to: what the
// client costs would blur what the server does.
func (s *side) ask(conn *bufio.ReadWriter) (body []byte, err error) {
	if _, err = conn.Write(s.request); err != nil {
		return nil, err
	}
	if err = conn.Flush(); err != nil {
		return nil, err
	}
	status, length := "", -1
	for {
		line, err := conn.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		switch {
		case status == "":
			status = string(line[9:12])
		case len(line) == len("\r\n"):
			body = make([]byte, max(0, length))
			if _, err = io.ReadFull(conn, body); err == nil && (status != "200" || length < 0) {
				err = fmt.Errorf("status %s, length %d: %s", status, length, body)
			}
			return body, err
		case bytes.HasPrefix(line, contentLength):
			if length, err = strconv.Atoi(string(line[len(contentLength) : len(line)-2])); err != nil {
				return nil, err
			}
		}
	}
}

var contentLength = []byte("Content-Length: ")

// result is what a side did in one slice.
type result struct {
	rate float64 // answers a second
	p99  float64 // in seconds
	cpu  float64 // of the process, in seconds for each answer
}

// run has every connection ask until the slice is over.
func (s *side) run(b *testing.B, long time.Duration) result {
	b.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var wait sync.WaitGroup
	begin, cpu := time.Now(), cpuOf(b, s.pid)
	for _, conn := range s.conns {
		wait.Go(func() {
			var own []time.Duration
			for at := begin; at.Sub(begin) < long; {
				if _, err := s.ask(conn); err != nil {
					b.Error(err)
					return
				}
				now := time.Now()
				own = append(own, now.Sub(at))
				at = now
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, own...)
		})
	}
	wait.Wait()
	took, cpu := time.Since(begin), cpuOf(b, s.pid)-cpu
	if len(all) == 0 {
		b.Fatal("no answer")
	}
	slices.Sort(all)
	n := float64(len(all))
	return result{rate: n / took.Seconds(), p99: all[len(all)*99/100].Seconds(), cpu: cpu.Seconds() / n}
}

// duel measures the two in turn and reports the medians of their ratios.
func duel(b *testing.B, ours, bare *side) {
	b.Helper()
	for _, s := range []*side{ours, bare} {
		s.run(b, 2*slice) // connections, scripts, caches
	}
	figures := map[string][]float64{}
	note := func(name string, value float64) { figures[name] = append(figures[name], value) }
	for b.Loop() {
		for round := range rounds {
			var a, z result
			if round%2 == 0 {
				a, z = ours.run(b, slice), bare.run(b, slice)
			} else {
				z, a = bare.run(b, slice), ours.run(b, slice)
			}
			note("rate-ratio", a.rate/z.rate)
			note("p99-ratio", a.p99/z.p99)
			note("cpu-ratio", a.cpu/z.cpu)
			note("ours/s", a.rate)
			note("bare/s", z.rate)
			note("ours-p99-µs", a.p99*1e6)
			note("bare-p99-µs", z.p99*1e6)
			note("ours-cpu-µs", a.cpu*1e6)
			note("bare-cpu-µs", z.cpu*1e6)
		}
	}
	b.ReportMetric(0, "ns/op")
	for name, values := range figures {
		b.ReportMetric(median(values), name)
	}
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// cpuOf is the processor time that a process has used, user and system, all its
// threads: the time they really ran, in nanoseconds, which ticks would round.
func cpuOf(b *testing.B, pid int) (total time.Duration) {
	b.Helper()
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", pid, task.Name()))
		if err != nil {
			continue // a thread that has ended
		}
		ran, _, _ := strings.Cut(string(text), " ")
		nanoseconds, err := strconv.ParseInt(ran, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		total += time.Duration(nanoseconds)
	}
	return total
}

// bench is the program as it runs in production, with a real Redis, and with the
// platform: each a process of its own.
type bench struct {
	*e2etest.Process
	redis    *redistest.Server
	redisPID int
	platform *e2etest.Process
	address  string
}

// publicHost is what requests call the program.
const publicHost = "localhost:8080"

func newBench(b *testing.B, settings ...string) *bench {
	b.Helper()
	countersign := build(b)
	redis := redistest.Start(b, "--appendonly", "no")
	platform := countersign.Start(b, "sandbox", "COUNTERSIGN_PUBLIC_ORIGIN=http://"+publicHost, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
	address := freeAddress(b)
	program := countersign.Start(b, "", slices.Concat(production(redis, platform.Sandbox), []string{"COUNTERSIGN_ADDR=" + address}, settings)...)
	return &bench{program, redis, pidOf(b, redis), platform, address}
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

// production is the settings of a production, with limits that nobody reaches.
func production(redis *redistest.Server, platform string) []string {
	return []string{
		"COUNTERSIGN_PUBLIC_ORIGIN=http://" + publicHost, "COUNTERSIGN_REDIS_URL=" + redis.URL(),
		"COUNTERSIGN_PLATFORM_URL=" + platform, "COUNTERSIGN_IDENTITY_AUTHORIZATION=none",
		"COUNTERSIGN_SESSION_KEYS=" + strings.Repeat("a73c", 16), "COUNTERSIGN_DECOY_KEY=" + strings.Repeat("5ed1", 16),
		"COUNTERSIGN_RATE_SIGN_IN=10000/m", "COUNTERSIGN_RATE_SIGN_IN_ADDRESS=100000/m",
		"COUNTERSIGN_RATE_CEREMONY=100000/m", "COUNTERSIGN_RATE_CEREMONY_ADDRESS=100000/m",
	}
}

// freeAddress is one that nobody listens on.
func freeAddress(b testing.TB) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// app is what the harness's clients need to know of the program.
func (t *bench) app() *e2etest.App {
	origin, err := config.ParseOrigin("http://" + publicHost)
	if err != nil {
		t.T.Fatal(err)
	}
	return &e2etest.App{App: app.New(app.Options{Config: config.Config{PublicOrigin: origin}})}
}

// person has an app that calls the program by its public name.
func (t *bench) person(b *testing.B) *e2etest.Client {
	b.Helper()
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, t.address)
	}
	transport := &http.Transport{DialContext: dial, MaxIdleConnsPerHost: askers}
	b.Cleanup(transport.CloseIdleConnections)
	return &e2etest.Client{T: b, App: t.app(), HTTP: &http.Client{Transport: transport}, Header: http.Header{"Countersign-Session": {"bearer"}}}
}

// ours is a signed-in person asking for path.
func (t *bench) ours(b *testing.B, path string) *side {
	b.Helper()
	return t.as(b, t.person(b).SignedIn("alice@sandbox"), path)
}

// as is Countersign, asked by whoever is signed in with c.
func (t *bench) as(b *testing.B, c *e2etest.Client, path string) *side {
	b.Helper()
	return newSide(b, t.Cmd.Process.Pid, t.address, path, "Authorization: "+c.Header.Get("Authorization"))
}
