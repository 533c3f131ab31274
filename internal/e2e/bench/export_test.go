package bench_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
)

// BenchmarkExport compares an operator's export of 100 000 packages with a client that
// reads the same from the platform itself, in windows of 100 one after the other, without
// parsing it. The platform takes a while to answer, like one on another machine; at 0s
// both processors are the limit. peak-MiB is the largest growth of the resident memory.
func BenchmarkExport(b *testing.B) {
	for _, delay := range []time.Duration{10 * time.Millisecond, 0} {
		b.Run(delay.String(), func(b *testing.B) {
			t := newBench(b, append(signing, "COUNTERSIGN_OPERATORS=carol@sandbox")...)
			carol := t.person(b).SignedIn("carol@sandbox")
			t.manage(b, "packages", fmt.Sprintf(`{"count":%d,"owner":"alice@sandbox","signer":"bob@sandbox.example"}`, exported))
			if delay > 0 {
				t.manage(b, "faults", fmt.Sprintf(`{"operation":"listPackages","times":0,"delay":%q}`, delay))
			}
			t.export(b, carol, "?search=nothing") // opens connections
			before := t.memory(b, "VmHWM")
			var ratios []float64
			for b.Loop() {
				begin := time.Now()
				t.export(b, carol, "")
				ours := time.Since(begin)
				begin = time.Now()
				t.windows(b)
				ratios = append(ratios, time.Since(begin).Seconds()/ours.Seconds())
				b.ReportMetric(exported/ours.Seconds(), "packages/s")
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ratios), "rate-ratio")
			b.ReportMetric(float64(t.memory(b, "VmHWM")-before)/1024, "peak-MiB")
		})
	}
}

const exported = 100_000

func (t *bench) manage(b *testing.B, what, body string) {
	b.Helper()
	if status := t.platform.Post(t.platform.Sandbox+"/_manage/"+what, body); status != http.StatusOK && status != http.StatusNoContent {
		b.Fatalf("%s: %d", what, status)
	}
}

// export reads an export to its end.
func (t *bench) export(b *testing.B, c *e2etest.Client, query string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+publicHost+"/api/packages/export"+query, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header = c.Header.Clone()
	response, err := c.HTTP.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	lines := 0
	for body := bufio.NewReaderSize(response.Body, 64<<10); ; {
		_, err := body.ReadSlice('\n')
		if err == io.EOF {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		lines++
	}
	if query == "" && lines != exported {
		b.Fatalf("status %d, %d packages", response.StatusCode, lines)
	}
}

// windows reads the platform's listing.
func (t *bench) windows(b *testing.B) {
	b.Helper()
	for from := 1; from < exported; from += 100 {
		response, err := http.Get(fmt.Sprintf("%s/api/packages?from=%d&to=%d", t.platform.Sandbox, from, from+99))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("%d, %v", response.StatusCode, err)
		}
		response.Body.Close()
	}
}

// memory returns a figure of the program's memory, in KiB.
func (t *bench) memory(b *testing.B, name string) int {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", t.Cmd.Process.Pid))
	if err != nil {
		b.Fatal(err)
	}
	found := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if found == nil {
		b.Fatalf("no %s in %s", name, status)
	}
	kib, err := strconv.Atoi(string(found[1]))
	if err != nil {
		b.Fatal(err)
	}
	return kib
}
