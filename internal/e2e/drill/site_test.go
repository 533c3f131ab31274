package drill_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/e2e/e2etest"
	"countersign/internal/e2e/historytest"
	"countersign/internal/sandbox/pdf/pdftest"
)

// site is a whole installation on this machine: the platform, Redis, two nodes of the
// real binary and the proxy in front of them, with its users.
type site struct {
	t            testing.TB
	scale        scale
	store        *store
	platform     *e2etest.Process
	nodes        []*e2etest.Process
	own          [][]string // settings of one node alone
	proxy        *proxy
	people       *http.Client // their client for the proxy
	crowd        []*person
	disabledUser *disabledUser
	history      historytest.Recorder
	known        time.Time // when every node knew of the last new master
	sparing      bool      // the history has one look at a session of many
}

// newSite starts everything. settings are additional ones for every node.
func newSite(t testing.TB, store *store, settings ...string) *site {
	t.Helper()
	scale := scaleOf()
	s := &site{
		t: t, scale: scale, store: store, proxy: newProxy(t, 2, scale.probe), nodes: make([]*e2etest.Process, 2), own: store.own,
		people: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}, CheckRedirect: e2etest.Stay},
	}
	t.Cleanup(s.people.CloseIdleConnections)
	binary := built(t)
	s.platform = binary.Start(t, "sandbox", "COUNTERSIGN_PUBLIC_ORIGIN=http://"+publicHost, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0",
		"COUNTERSIGN_PDF_CACHE_DIR="+pdfium(t))
	if store.front != nil {
		store.front.leadTo(s.platform.Sandbox)
	}
	s.store.settings = append(s.store.settings, settings...)
	for number := range s.nodes {
		s.start(number)
	}
	s.ready()
	for number := range scale.crowd {
		s.crowd = append(s.crowd, newPerson(s, number))
	}
	s.disabledUser = newDisabledUser(s)
	return s
}

// start starts the node of this number, which the proxy finds by itself.
func (s *site) start(number int) {
	s.t.Helper()
	settings := slices.Concat([]string{
		"COUNTERSIGN_PUBLIC_ORIGIN=http://" + publicHost, "COUNTERSIGN_PLATFORM_URL=" + s.platform.Sandbox,
		"COUNTERSIGN_IDENTITY_AUTHORIZATION=none", "COUNTERSIGN_SIGNING_API_KEY=none", "COUNTERSIGN_ACCESS_KEYS=" + strings.Repeat("0dd5", 16),
		"COUNTERSIGN_SESSION_KEYS=" + strings.Repeat("a73c", 16), "COUNTERSIGN_DECOY_KEY=" + strings.Repeat("5ed1", 16),
		"COUNTERSIGN_OPERATORS=drill00@sandbox", "COUNTERSIGN_UPSTREAM_TIMEOUT=2s", "COUNTERSIGN_TRUSTED_PROXIES=127.0.0.0/8",
		"COUNTERSIGN_STEP_UP_AGE=2h", "COUNTERSIGN_ACCOUNT_CHECK=10s", "COUNTERSIGN_SIGNING_SWEEP=5s", "COUNTERSIGN_DRAIN_TIMEOUT=1m", "COUNTERSIGN_DRAIN_DELAY=" + s.scale.drain.String(),
	}, limits(), s.store.settings, s.own[number])
	s.nodes[number] = built(s.t).Start(s.t, "serve", settings...)
	s.proxy.point(number, s.nodes[number].Listen, s.nodes[number].Admin)
}

// limits returns limits that are never reached but counted all the same.
func limits() (settings []string) {
	for _, limit := range e2etest.LimitsOn {
		settings = append(settings, "COUNTERSIGN_"+limit)
	}
	return settings
}

// ready waits until the proxy sends requests to every node.
func (s *site) ready() {
	s.t.Helper()
	e2etest.Eventually(s.t, "every node is ready", s.proxy.allReady)
}

// kill kills a process (SIGKILL).
func (s *site) kill(process *e2etest.Process) {
	s.t.Helper()
	if err := process.Process.Kill(); err != nil {
		s.t.Fatal(err)
	}
	_ = process.Wait() // it was killed
}

// end ends a node like an update does, and waits for its end.
func (s *site) end(number int) {
	s.t.Helper()
	s.nodes[number].Terminate()
	if err := s.nodes[number].Wait(); err != nil {
		s.t.Errorf("node %d: %v", number, err)
	}
}

func (s *site) signal(process *e2etest.Process, signal syscall.Signal) {
	s.t.Helper()
	if err := process.Process.Signal(signal); err != nil {
		s.t.Fatal(err)
	}
}

// manage changes a setting of the platform. While it is broken, nothing may change.
func (s *site) manage(method, what, body string) {
	request, err := http.NewRequest(method, s.platform.Sandbox+"/_manage/"+what, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 5 * time.Second}
	if response, err := client.Do(request); err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

// built returns the program.
func built(t testing.TB) e2etest.Binary {
	t.Helper()
	binary, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return e2etest.Binary{Path: binary}
}

// build builds it, once, unless COUNTERSIGN_BINARY names one.
var build = sync.OnceValues(func() (string, error) {
	if given := os.Getenv("COUNTERSIGN_BINARY"); given != "" {
		return given, nil
	}
	binary := filepath.Join(builds, "countersign")
	command := exec.Command("go", "build", "-o", binary, "countersign/cmd/countersign")
	command.Stderr = os.Stderr
	return binary, command.Run()
})

// pdfium returns the directory that tests share, with PDFium compiled: else each upload would
// wait for that, longer than the nodes do.
func pdfium(t testing.TB) string {
	t.Helper()
	directory := pdftest.Options().Cache
	if out, err := exec.CommandContext(t.Context(), built(t).Path, "pdf-worker", directory).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return directory
}

// builds is a directory that is deleted after the tests.
var builds string
