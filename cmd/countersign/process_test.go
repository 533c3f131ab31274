package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// role makes the test binary another program, for what only a process of its own
// can show: the program itself, or what benchmarks hold it against.
const role = "TEST_BINARY_ROLE"

var _ = func() bool {
	switch os.Getenv(role) {
	case "program":
		main()
	case "bare":
		bare()
	}
	return true
}()

// process is the program in a process of its own, which dies with the test.
type process struct {
	*exec.Cmd
	t            testing.TB
	url, sandbox string // as its banner says
}

// startProgram starts it with one argument, or none, and waits for its banner.
func startProgram(t testing.TB, argument string, settings ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), os.Args[0], strings.Fields(argument)...), t: t}
	p.Env = append([]string{role + "=program", "COUNTERSIGN_ADDR=127.0.0.1:0", "COUNTERSIGN_ADMIN_ADDR=127.0.0.1:0"}, settings...)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	banner := bufio.NewScanner(out)
	address := regexp.MustCompile(`^  (Countersign|Sandbox|Admin|It serves) +([^ ]+)`)
	for banner.Scan() {
		switch found := address.FindStringSubmatch(banner.Text()); {
		case found == nil:
		case found[1] == "Countersign":
			p.url = found[2]
		case found[1] == "Sandbox":
			p.sandbox = found[2]
		default:
			return p
		}
	}
	t.Fatal("the program ended before it began")
	return nil
}

// post is the status of a POST of JSON, 0 if there is no answer.
func (p *process) post(url, body string) int {
	response, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

func (p *process) get(url string) string {
	response, err := http.Get(url)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	return string(body)
}
