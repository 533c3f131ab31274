package sandbox_test

import (
	"encoding/hex"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"countersign/internal/sandbox/identity"
	"countersign/internal/sandbox/idv"
	"countersign/internal/sandbox/outbox"
	"countersign/internal/sandbox/signing"
	"countersign/internal/sandbox/wire"
)

var (
	shellBlock  = regexp.MustCompile("(?s)```sh\n.*?```")
	curlLine    = regexp.MustCompile(`(?m)^curl (?:-X (\w+) )?(?:--json '([^']*)' |-F 'payload=([^']*)' -F file=@\S+ )?http://127\.0\.0\.1:8081(/\S*)$`)
	keptLine    = regexp.MustCompile(`(?m)^(\w+)=\$\((curl) -s (.*) \| jq -r \.(\w+)(\[0\])?\)$`)
	commandLine = regexp.MustCompile(`^COMMAND=\$\(printf '([^']*)' "\$ACTIVATION_PASSWORD" \| od -An -v -tx1 \| tr -d ' \\n'\)$`)
	variable    = regexp.MustCompile(`'?\$([A-Z_]+)'?`)
)

// update has the operations written from the routes.
var update = flag.Bool("update", false, "write docs/sandbox-operations.md")

const (
	folder     = "../../docs/sandbox/"
	operations = "../../docs/sandbox-operations.md"
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every example of the documentation works, each block on a fresh platform.
func TestDocument_ExamplesWork(t *testing.T) {
	pages, err := filepath.Glob(folder + "*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for _, page := range pages {
		text, understood := read(t, page), 0
		for _, block := range shellBlock.FindAllString(text, -1) {
			e := examples{platform: start(t, withUAF(t)), kept: map[string]string{}}
			for line := range strings.Lines(block) {
				understood += e.run(strings.TrimSuffix(line, "\n"))
			}
		}
		if n := strings.Count(text, "\ncurl ") + len(keptLine.FindAllString(text, -1)); understood != n {
			t.Errorf("%s: understood %d of %d examples", page, understood, n)
		}
		all += understood
	}
	if all < 24 {
		t.Errorf("only %d examples were found", all)
	}
}

// examples are the lines of one block, with the variables that they set.
type examples struct {
	platform
	kept map[string]string
}

// run carries out a line and returns the number of examples in it.
func (e *examples) run(line string) int {
	if words := commandLine.FindStringSubmatch(line); words != nil {
		e.kept["COMMAND"] = hex.EncodeToString([]byte(fmt.Sprintf(words[1], e.kept["ACTIVATION_PASSWORD"])))
		return 0
	}
	keeps := keptLine.FindStringSubmatch(line)
	line = keptLine.ReplaceAllString(line, "$2 $3")
	line = variable.ReplaceAllStringFunc(line, func(name string) string { return e.kept[strings.Trim(name, "'$")] })
	words := curlLine.FindStringSubmatch(line)
	if words == nil {
		return 0
	}
	a := e.send(e.request(methodOf(words), words[4], words[2]))
	if words[3] != "" {
		a = e.upload(words[4], words[3])
	}
	if a.status != http.StatusNoContent && a.status != http.StatusOK && a.status != http.StatusAccepted {
		e.t.Errorf("%s: %d %s", line, a.status, a.text)
	}
	if keeps != nil {
		e.kept[keeps[1]] = a.string(keeps[4])
		if list, ok := a.body[keeps[4]].([]any); ok && keeps[5] != "" {
			e.kept[keeps[1]] = fmt.Sprint(list[0])
		}
	}
	return 1
}

// upload sends a payload and a PDF.
func (e *examples) upload(path, payload string) answer {
	const part = "--b\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n"
	r := e.request(http.MethodPost, path, fmt.Sprintf(part+part+"--b--", "payload", payload, "file", "%PDF-1.7\n%%EOF"))
	r.Header.Set("Content-Type", "multipart/form-data; boundary=b")
	return e.send(r)
}

// methodOf returns the method that curl uses for an example.
func methodOf(example []string) string {
	switch {
	case example[1] != "":
		return example[1]
	case example[2]+example[3] != "":
		return http.MethodPost
	default:
		return http.MethodGet
	}
}

// The document has the operations that are served; -update writes it.
func TestDocument_ServedOperations(t *testing.T) {
	people, err := identity.New(identity.Options{Now: time.Now, RPID: "localhost", RPOrigins: []string{webOrigin}})
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	want := "# Sandbox operations\n\nThe names are for [faults](sandbox/management.md#faults) and the journal. `/openapi.json` of Countersign describes the payloads.\n" +
		"`go test ./internal/sandbox -run Operations -update` writes this page.\n" +
		chapter("Identity", people) +
		chapter("Electronic signing", signing.New(signing.Options{Now: time.Now, Outbox: &outbox.Outbox{}, Log: quiet})) +
		chapter("Identity checks", idv.New(idv.Options{Now: time.Now, Log: quiet}))
	if *update {
		if err := os.WriteFile(operations, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, read(t, operations)); diff != "" {
		t.Errorf("%s is not the routes' (-want +got); -update writes it:\n%s", operations, diff)
	}
}

// chapter returns the table of a service's operations, each with its calls.
func chapter(title string, service wire.Service) string {
	var names []string
	calls := map[string][]string{}
	for _, route := range service.Routes() {
		if calls[route.Operation] == nil {
			names = append(names, route.Operation)
		}
		calls[route.Operation] = append(calls[route.Operation], "`"+route.Method+" "+route.Path+"`")
	}
	slices.Sort(names)
	table := "\n## " + title + "\n\n| operation | calls |\n|---|---|\n"
	for _, name := range names {
		table += "| `" + name + "` | " + strings.Join(calls[name], "<br>") + " |\n"
	}
	return table
}
