package sandbox_test

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/people"
)

var (
	shellBlock   = regexp.MustCompile("(?s)```sh\n.*?```")
	curlLine     = regexp.MustCompile(`(?m)^curl (?:-X (\w+) )?(?:--json '([^']*)' )?http://127\.0\.0\.1:8081(/\S*)$`)
	keptLine     = regexp.MustCompile(`(?m)^\w+=\$\((curl) -s (.*) \| jq -r \.\w+\)$`)
	commandLine  = regexp.MustCompile(`^COMMAND=\$\(printf '([^']*)' "\$ACTIVATION_PASSWORD" \| od -An -v -tx1 \| tr -d ' \\n'\)$`)
	operationRow = regexp.MustCompile("(?m)^\\| `(\\w+)` \\| `([A-Z]+) (/\\S+)` \\|")
)

func documentation(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every example of the documentation works, each block of them on a platform at
// its start.
func TestDocumentedExamples(t *testing.T) {
	text := documentation(t)
	understood := 0
	for _, block := range shellBlock.FindAllString(text, -1) {
		e := examples{platform: start(t, withUAF(t))}
		for line := range strings.Lines(block) {
			understood += e.run(strings.TrimSuffix(line, "\n"))
		}
	}
	if n := strings.Count(text, "\ncurl ") + len(keptLine.FindAllString(text, -1)); understood != n || n == 0 {
		t.Fatalf("understood %d of %d examples", understood, n)
	}
}

// examples are the lines of one block, with what their answers contained.
type examples struct {
	platform
	requestID, activationPassword, command string
}

// run carries out a line and returns how many examples it was.
func (e *examples) run(line string) int {
	if words := commandLine.FindStringSubmatch(line); words != nil {
		e.command = hex.EncodeToString([]byte(fmt.Sprintf(words[1], e.activationPassword)))
		return 0
	}
	line = keptLine.ReplaceAllString(line, "$1 $2")
	line = strings.NewReplacer("'$COMMAND'", e.command, "$REQUEST_ID", e.requestID).Replace(line)
	words := curlLine.FindStringSubmatch(line)
	if words == nil {
		return 0
	}
	a := e.call(methodOf(words), words[3], words[2])
	if a.status != http.StatusNoContent && a.status != http.StatusOK {
		e.t.Errorf("%s: %d %s", line, a.status, a.text)
	}
	if id := a.string("requestID"); id != "" {
		e.requestID = id
	}
	if password := a.string("activationPassword"); password != "" {
		e.activationPassword = password
	}
	return 1
}

// methodOf is the method that curl uses for an example.
func methodOf(example []string) string {
	switch {
	case example[1] != "":
		return example[1]
	case example[2] != "":
		return http.MethodPost
	default:
		return http.MethodGet
	}
}

func TestDocumentedOperations(t *testing.T) {
	var documented, served []string
	for _, row := range operationRow.FindAllStringSubmatch(documentation(t), -1) {
		documented = append(documented, strings.Join(row[1:], " "))
	}
	platform, err := identity.New(identity.Options{People: people.New(), RPID: "localhost", RPOrigins: []string{webOrigin}})
	if err != nil {
		t.Fatal(err)
	}
	for _, route := range platform.Routes() {
		served = append(served, route.Operation+" "+route.Method+" "+route.Path)
	}
	slices.Sort(documented)
	slices.Sort(served)
	if !slices.Equal(documented, served) {
		t.Errorf("documented %q, served %q", documented, served)
	}
}
