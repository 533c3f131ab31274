package e2etest

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"countersign/internal/sandbox/pdf/pdftest"
)

// Process is Countersign in a separate process, which ends with the test.
type Process struct {
	*exec.Cmd
	T                   testing.TB
	URL, Sandbox, Admin string // from its banner
	Listen              string // the address of the public listener
}

// Binary is an executable of Countersign, with the environment that makes it act as
// Countersign.
type Binary struct {
	Path    string
	Args    []string // before those of Start
	Environ []string
	// Files are open in it, from descriptor 3 on.
	Files []*os.File
	// Log receives the program's log, over a pipe; nil discards it.
	Log io.Writer
	// Unread leaves what follows the banner on stdout unread.
	Unread bool
}

// Start starts Countersign with one argument, or none, and waits for its banner.
func (b Binary) Start(t testing.TB, argument string, settings ...string) *Process {
	t.Helper()
	p := &Process{Cmd: exec.CommandContext(t.Context(), b.Path, slices.Concat(b.Args, strings.Fields(argument))...), T: t}
	shared := []string{"COUNTERSIGN_PDF_CACHE_DIR=" + pdftest.Options().Cache} // else it compiles PDFium while it runs
	p.Env = slices.Concat(shared, b.Environ, []string{"COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0", "COUNTERSIGN_LOG_FORMAT=text"}, settings)
	p.Stderr, p.ExtraFiles = b.Log, b.Files
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	banner := bufio.NewScanner(out)
	defer func() {
		if !b.Unread {
			go func() { _, _ = io.Copy(io.Discard, out) }()
		}
	}()
	address := regexp.MustCompile(`^  (Countersign|Sandbox|Admin|It serves) +([^ ]+)(?: +\(listening at ([^)]+)\))?`)
	for banner.Scan() {
		switch found := address.FindStringSubmatch(banner.Text()); {
		case found == nil:
		case found[1] == "Countersign":
			p.URL, p.Listen = found[2], found[3]
		case found[1] == "Sandbox":
			p.Sandbox = found[2]
		case found[1] == "Admin":
			p.Admin = found[2]
			return p
		default:
			return p
		}
	}
	t.Fatal("the program ended before it began")
	return nil
}

// Terminate tells the process to end (SIGTERM).
func (p *Process) Terminate() {
	p.T.Helper()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		p.T.Fatal(err)
	}
}

// Post returns the status of a POST of JSON, or 0 without an answer.
func (p *Process) Post(url, body string) int {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// Get returns the body of the answer to a GET, or the error's text.
func (p *Process) Get(url string) string {
	response, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return string(body)
}
