package bench_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/sandbox/idv"
)

// verifying returns the additional settings for identity verification, with the watching
// operators.
func verifying() []string {
	var operators []string
	for i := range watchingPeople {
		operators = append(operators, watching(i))
	}
	return []string{
		"COUNTERSIGN_IDV_TOKEN=" + idv.Token, "COUNTERSIGN_IDV_TENANT=" + idv.Tenant, "COUNTERSIGN_ACCESS_KEYS=" + strings.Repeat("0dd5", 16),
		"COUNTERSIGN_IDV_WORKFLOWS=" + idv.Workflows()[0], "COUNTERSIGN_IDV_BRANDS=" + idv.Brands()[0],
		"COUNTERSIGN_RATE_VERIFICATION=off", "COUNTERSIGN_OPERATORS=" + strings.Join(operators, ","),
	}
}

// A session may have four streams, a person twenty.
const (
	watchers         = 1000
	watchingStreams  = 4
	watchingSessions = 5
	watchingPeople   = watchers / watchingStreams / watchingSessions
)

func watching(i int) string { return fmt.Sprintf("watcher%d@sandbox", i) }

const smallTransaction = `{"language":"en","users":[{"first_name":"Anna","last_name":"Muster"}]}`

// BenchmarkEvidence relays an evidence pack of 50 MB: peak-MiB is the largest growth of
// the resident memory.
func BenchmarkEvidence(b *testing.B) {
	t := newBench(b, verifying()...)
	alice := t.person(b).SignedIn("alice@sandbox")
	path := "/api/transaction/" + alice.Send("PUT", "/api/transaction", smallTransaction).Want(http.StatusOK).Text("id")
	t.manage(b, "transactions/"+strings.TrimPrefix(path, "/api/transaction/"), `{"status":"completed"}`)
	const size = 50_000_000
	if got := t.evidence(b, alice, path); got == 0 || got >= size {
		b.Fatalf("%d bytes", got)
	}
	t.put(b, "account", fmt.Sprintf(`{"evidenceSize":%d}`, size))
	before := t.resident(b)
	for b.Loop() {
		if got := t.evidence(b, alice, path); got < size {
			b.Fatalf("%d bytes", got)
		}
	}
	b.SetBytes(size)
	b.ReportMetric(float64(t.memory(b, "VmHWM")-before)/1024, "peak-MiB")
}

// resident returns the program's resident memory in KiB, and resets its peak.
func (t *bench) resident(b *testing.B) int {
	b.Helper()
	if err := os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", t.Cmd.Process.Pid), []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
	return t.memory(b, "VmRSS")
}

// evidence reads an evidence pack to its end, and returns its length.
func (t *bench) evidence(b *testing.B, c *e2etest.Client, path string) int64 {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+publicHost+path+"/evidence", nil)
	if err != nil {
		b.Fatal(err)
	}
	request.Header = c.Header.Clone()
	response, err := c.HTTP.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	n, err := io.Copy(io.Discard, response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("status %d, %v", response.StatusCode, err)
	}
	return n
}

// BenchmarkCreationTooLarge sends a creation of more than 70 MiB without a length, which
// is refused at its end. peak-MiB is as above.
func BenchmarkCreationTooLarge(b *testing.B) {
	t := newBench(b, verifying()...)
	alice := t.person(b).SignedIn("alice@sandbox")
	alice.Send("PUT", "/api/transaction", smallTransaction).Want(http.StatusOK)
	before := t.resident(b)
	for b.Loop() {
		const document = `{"id":"d%d","content":"JVBERi0xLjcK%s"},`
		var parts []io.Reader
		parts = append(parts, strings.NewReader(`{"users":[{"first_name":"Anna","last_name":"Muster"}],"documents":[`))
		for i := range 9 {
			parts = append(parts, strings.NewReader(fmt.Sprintf(document, i, strings.Repeat("AAAA", 2<<20))))
		}
		parts = append(parts, strings.NewReader(`{"id":"last","document_template_id":"t"}]}`))
		request, err := http.NewRequestWithContext(b.Context(), http.MethodPut, "http://"+publicHost+"/api/transaction", io.MultiReader(parts...))
		if err != nil {
			b.Fatal(err)
		}
		request.Header = alice.Header.Clone()
		request.Header.Set("Content-Type", "application/json")
		if r := alice.Do(request); r.Status != http.StatusRequestEntityTooLarge {
			b.Fatalf("status %d: %s", r.Status, r.Body)
		}
	}
	b.ReportMetric(float64(t.memory(b, "VmHWM")-before)/1024, "peak-MiB")
}

// BenchmarkWatchers opens a thousand streams of one verification, and measures the
// resident memory of each and the calls of the platform in two seconds.
func BenchmarkWatchers(b *testing.B) {
	t := newBench(b, verifying()...)
	id := t.person(b).SignedIn("alice@sandbox").Send("PUT", "/api/transaction", smallTransaction).Want(http.StatusOK).Text("id")
	var sessions []*e2etest.Client
	for i := range watchingPeople {
		t.put(b, "users/"+watching(i), `{"passKey":"Sandbox-1!"}`)
		for range watchingSessions {
			c := t.person(b).SignedIn(watching(i))
			c.Send("GET", "/api/transaction/"+id, nil).Want(http.StatusOK)
			c.HTTP.CloseIdleConnections()
			sessions = append(sessions, c)
		}
	}
	before := t.memory(b, "VmRSS")
	for _, c := range sessions {
		for range watchingStreams {
			t.watch(b, c, id)
		}
	}
	begin := time.Now()
	asked := t.asked(b)
	const watched = 10 * time.Second
	for b.Loop() {
		<-time.After(watched)
	}
	polls := float64(t.asked(b)-asked) / (time.Since(begin).Seconds() / 2)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(polls, "polls-in-2s")
	b.ReportMetric(float64(t.memory(b, "VmRSS")-before)/watchers, "KiB-each")
}

// watch opens a stream and reads its first event.
func (t *bench) watch(b *testing.B, c *e2etest.Client, id string) {
	b.Helper()
	conn, err := net.Dial("tcp", t.address)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	if _, err := conn.Write(request("/verifications/"+id+"/events", "Authorization: "+c.Header.Get("Authorization"))); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReaderSize(conn, 512)
	status := ""
	for {
		line, err := lines.ReadString('\n')
		if status == "" {
			status = line
		}
		switch {
		case err != nil || !strings.Contains(status, " 200 "):
			b.Fatalf("%s%s%v", status, line, err)
		case strings.HasPrefix(line, "data:"):
			return
		}
	}
}

// asked returns the number of calls of the platform for a transaction so far.
func (t *bench) asked(b *testing.B) int {
	b.Helper()
	return strings.Count(t.Get(t.platform.Sandbox+"/_manage/journal"), `"getTransaction"`)
}
