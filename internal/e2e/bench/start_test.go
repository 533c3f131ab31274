package bench_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/redisdb/redistest"
)

// starts is the number of starts of the program.
const starts = 20

// BenchmarkStart measures the time from the start of the process to its first page, and
// its resident memory afterwards when idle, for the binary that ships, with everything
// embedded and in production's configuration. PDFium was compiled before, as by every start
// but the first.
func BenchmarkStart(b *testing.B) {
	countersign := build(b)
	redis := redistest.Start(b, "--appendonly", "no")
	platform := countersign.Start(b, "sandbox", "COUNTERSIGN_PUBLIC_ORIGIN=http://"+publicHost, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")
	for name, settings := range map[string][]string{
		"embedded":   {"COUNTERSIGN_PUBLIC_ORIGIN=http://" + publicHost, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0"},
		"production": production(redis, platform.Sandbox),
	} {
		b.Run(name, func(b *testing.B) {
			var took, resident []float64
			for b.Loop() {
				for range starts {
					start, memory := startOnce(b, countersign.Path, settings)
					took, resident = append(took, start.Seconds()*1e3), append(resident, memory)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(took), "start-ms")
			b.ReportMetric(median(resident), "idle-MiB")
		})
	}
}

// build returns the binary that ships, built like by `make build`.
func build(b *testing.B) e2etest.Binary {
	b.Helper()
	binary, err := built()
	if err != nil {
		b.Fatal(err)
	}
	return e2etest.Binary{Path: binary}
}

// countersignBinary is the variable with the path of a binary to measure; without it the
// binary is built.
const countersignBinary = "COUNTERSIGN_BINARY"

// built builds it, once.
var built = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(countersignBinary); given != "" {
		return given, nil
	}
	binary := filepath.Join(builds, "countersign")
	build := exec.Command("go", "build", "-trimpath", "-tags", "nomsgpack", "-ldflags", "-s -w", "-o", binary, "countersign/cmd/countersign")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building: %w\n%s", err, out)
	}
	return binary, nil
})

// builds is a directory that is deleted after the tests.
var builds string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if builds, err = os.MkdirTemp("", "countersign-bench-"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(builds)
		return m.Run()
	}())
}

// idleFor is the idle time before memory is read.
const idleFor = 200 * time.Millisecond

func startOnce(b *testing.B, binary string, settings []string) (took time.Duration, resident float64) {
	b.Helper()
	address := freeAddress(b)
	p := exec.Command(binary)
	p.Env = append([]string{"HOME=" + os.Getenv("HOME"), "COUNTERSIGN_ADDR=" + address, "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0"}, settings...)
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+address+"/", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Host = publicHost
	transport := &http.Transport{DisableKeepAlives: true}
	tick := time.NewTicker(500 * time.Microsecond)
	defer tick.Stop()
	begin := time.Now()
	if err := p.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = p.Process.Kill()
		_ = p.Wait()
	}()
	for {
		response, err := transport.RoundTrip(request)
		if err == nil {
			response.Body.Close()
			if took = time.Since(begin); response.StatusCode != http.StatusOK {
				b.Fatalf("status %d", response.StatusCode)
			}
			break
		}
		if time.Since(begin) > 10*time.Second {
			b.Fatal(err)
		}
		<-tick.C
	}
	<-time.After(idleFor)
	return took, residentMiB(b, p.Process.Pid)
}

func residentMiB(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	line, _, _ := strings.Cut(rest, " kB")
	kilobytes, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1024
}

// BenchmarkOutage measures how long the slowest of many concurrent clients waits for a
// 503 when Redis or the platform is away.
func BenchmarkOutage(b *testing.B) {
	for name, away := range map[string]struct {
		path string
		take func(*bench)
	}{
		"redis-stalled":    {"/session", func(t *bench) { t.redis.Stall() }},
		"redis-refused":    {"/session", func(t *bench) { t.redis.Kill() }},
		"platform-stalled": {"/users/me/authenticators", func(t *bench) { t.stallPlatform() }},
	} {
		b.Run(name, func(b *testing.B) {
			t := newBench(b, "COUNTERSIGN_UPSTREAM_TIMEOUT=1s")
			c := t.person(b).SignedIn("alice@sandbox")
			away.take(t)
			var slowest []float64
			for b.Loop() {
				for range 5 {
					slowest = append(slowest, slowestRefusal(b, c, away.path).Seconds()*1e3)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(slices.Max(slowest), "slowest-ms")
		})
	}
}

func (t *bench) stallPlatform() {
	if status := t.Post(t.platform.Sandbox+"/_manage/faults", `{"operation":"listFidoRegistrations","times":0,"delay":"30s"}`); status >= 300 {
		t.T.Errorf("fault: %d", status)
	}
}

func slowestRefusal(b *testing.B, c *e2etest.Client, path string) (slowest time.Duration) {
	b.Helper()
	var mu sync.Mutex
	var wait sync.WaitGroup
	for range askers {
		wait.Go(func() {
			begin := time.Now()
			r := c.Send("GET", path, nil)
			took := time.Since(begin)
			if r.Status != http.StatusServiceUnavailable {
				b.Errorf("status %d: %s", r.Status, r.Body)
			}
			mu.Lock()
			defer mu.Unlock()
			slowest = max(slowest, took)
		})
	}
	wait.Wait()
	return slowest
}
