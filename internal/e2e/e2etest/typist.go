package e2etest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/upstream"
)

var (
	shellBlocks = regexp.MustCompile("(?ms)^```(?:sh|console)\n(.*?)^```$")
	refusal     = regexp.MustCompile(`^# answers (\d+) (\S+)$`)
	exactly     = regexp.MustCompile(`^# answers (\{.*\})$`)
	assignment  = regexp.MustCompile(`^(\w+)=\$\(jq -r '?(\.[^\s']+)'? (\S+)\)$`)
	inHex       = regexp.MustCompile(`^(\w+)=\$\((printf .*) \| od -An -v -tx1 \| tr -d ' \\n'\)$`)
	printed     = regexp.MustCompile(`^(\w+)=\$\((countersign authenticator .*)\)$`)
	comparison  = regexp.MustCompile(`^echo "\$(\w+)  (\S+)" \| sha256sum --check$`)
	doneAlready = regexp.MustCompile(`^(?:set -u|cd .*|go build .*)$`)
	comment     = regexp.MustCompile(`\s+#.*$`)
	step        = regexp.MustCompile(`-?\w+`)
	words       = regexp.MustCompile(`(?:'[^']*'|"(?:[^"\\]|\\.)*"|\$\w+|[^\s'"$])+`)
	word        = regexp.MustCompile(`'[^']*'|"(?:[^"\\]|\\.)*"|[^'"]+`)
	variable    = regexp.MustCompile(`\$(\w+)`)
	placeholder = regexp.MustCompile(`\{\w+\}`)
)

// Typist runs the examples of documents and shell scripts, line by line.
type Typist struct {
	// Authenticator runs countersign authenticator and returns its output.
	Authenticator func(arguments ...string) string

	t         *testing.T
	client    *Client
	folder    string
	variables map[string]string
	asked     []string // METHOD /path of every request to Countersign
	curls     int      // lines that were run
	expected  answer   // of the next line
}

// answer is what a comment promises of the line below it; empty for any success.
type answer struct{ status, key, body string }

// NewTypist returns a typist in front of app, in a folder with these files.
func NewTypist(t *testing.T, app *App, files map[string]string) *Typist {
	t.Helper()
	y := &Typist{t: t, client: Program(t, app), folder: t.TempDir(), variables: map[string]string{}}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(y.folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return y
}

// HasExamples reports whether a document has shell blocks.
func HasExamples(document string) bool { return shellBlocks.MatchString(document) }

// Reads runs every line of the shell blocks of a document, in order. A line must succeed,
// or be answered as the comment above it says.
func (y *Typist) Reads(document string) {
	y.t.Helper()
	before := y.curls
	for _, block := range shellBlocks.FindAllStringSubmatch(document, -1) {
		y.Runs(block[1])
	}
	if written := strings.Count(document, "\ncurl "); y.curls-before != written {
		y.t.Errorf("%d lines were run of %d", y.curls-before, written)
	}
}

// Runs runs every line of a shell script, as Reads does.
func (y *Typist) Runs(script string) {
	y.t.Helper()
	for line := range strings.Lines(script) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
		if y.line(line); y.t.Failed() {
			y.t.Fatalf("at: %s", line)
		}
	}
}

// Covers fails the test unless every one of operations was called.
func (y *Typist) Covers(operations []upstream.Operation) {
	y.t.Helper()
	asked := strings.Join(y.asked, "\n")
	for _, o := range operations {
		path := placeholder.ReplaceAllString(strings.TrimSuffix(o.Path, "/"), `[^/\n]+`)
		if !regexp.MustCompile(`(?m)^` + o.Method + " " + path + `/?$`).MatchString(asked) {
			y.t.Errorf("no line for %s %s", o.Method, o.Path)
		}
	}
}

func (y *Typist) line(line string) {
	y.t.Helper()
	if strings.HasPrefix(line, "#") {
		y.promise(line)
	} else if line == "" || doneAlready.MatchString(line) {
		return
	} else if m := assignment.FindStringSubmatch(line); m != nil {
		y.variables[m[1]] = y.jq(m[2], m[3])
	} else if m := inHex.FindStringSubmatch(line); m != nil {
		printf := y.words(m[2]) // printf, the format, its one %s
		y.variables[m[1]] = hex.EncodeToString([]byte(strings.Replace(printf[1], "%s", printf[2], 1)))
	} else if m := printed.FindStringSubmatch(line); m != nil {
		y.variables[m[1]] = y.authenticator(y.words(m[2]))
	} else if m := comparison.FindStringSubmatch(line); m != nil {
		y.compare(y.variables[m[1]], m[2])
	} else if arguments := y.words(line); arguments[0] == "curl" {
		y.curl(arguments[1:])
	} else {
		y.authenticator(y.words(comment.ReplaceAllString(line, "")))
	}
}

// promise keeps what a comment says of the answer to the next line.
func (y *Typist) promise(line string) {
	if m := refusal.FindStringSubmatch(line); m != nil {
		y.expected = answer{status: m[1], key: m[2]}
	} else if m := exactly.FindStringSubmatch(line); m != nil {
		y.expected = answer{body: m[1]}
	}
}

// judge compares an answer with what was promised of it.
func (y *Typist) judge(r Reply) {
	y.t.Helper()
	want := y.expected
	y.expected = answer{}
	refused := want.status != ""
	if refused && (strconv.Itoa(r.Status) != want.status || r.Text("key") != want.key) || !refused && r.Status >= 300 {
		y.t.Errorf("answered %d: %s", r.Status, r.Body)
	}
	if is := string(bytes.TrimSpace(r.Body)); want.body != "" && is != want.body {
		y.t.Errorf("answered %s", is)
	}
}

// authenticator runs countersign authenticator, with the files of the folder.
func (y *Typist) authenticator(arguments []string) string {
	y.t.Helper()
	if len(arguments) < 3 || arguments[0] != "countersign" || arguments[1] != "authenticator" || y.Authenticator == nil {
		y.t.Fatalf("not understood: %q", arguments)
	}
	for i, name := range arguments {
		if strings.HasSuffix(name, ".json") {
			arguments[i] = filepath.Join(y.folder, name)
		}
	}
	return strings.TrimSpace(y.Authenticator(arguments[2:]...))
}

// compare compares the SHA-256 of a file with the one that is known.
func (y *Typist) compare(known, file string) {
	y.t.Helper()
	content := y.file(file)
	if is := sha256.Sum256(content); hex.EncodeToString(is[:]) != known {
		y.t.Errorf("%s has the SHA-256 %x, not %q", file, is, known)
	}
}

func (y *Typist) file(name string) []byte {
	y.t.Helper()
	content, err := os.ReadFile(filepath.Join(y.folder, name))
	if err != nil {
		y.t.Fatal(err)
	}
	return content
}

// jq returns the text at a path of members and numbers in a file; -1 is the last one.
func (y *Typist) jq(path, file string) string {
	y.t.Helper()
	text := y.file(file)
	var value any
	_ = json.Unmarshal(text, &value)
	for _, name := range step.FindAllString(path, -1) {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			n, err := strconv.Atoi(name)
			if n < 0 {
				n += len(v)
			}
			if err == nil && n >= 0 && n < len(v) {
				value = v[n]
			}
		}
	}
	found, ok := value.(string)
	if !ok {
		y.t.Fatalf("no text at %s of %s", path, text)
	}
	return found
}

// words splits a line into words, without their quotes and with variables resolved.
func (y *Typist) words(line string) []string {
	y.t.Helper()
	var all []string
	for _, found := range words.FindAllString(line, -1) {
		all = append(all, y.plain(found))
	}
	return all
}

// plain returns a word without its quotes, with its variables resolved.
func (y *Typist) plain(quoted string) string {
	y.t.Helper()
	var plain strings.Builder
	for _, part := range word.FindAllString(quoted, -1) {
		if text, literal := strings.CutPrefix(part, "'"); literal {
			plain.WriteString(strings.TrimSuffix(text, "'"))
			continue
		}
		part = strings.ReplaceAll(strings.Trim(strings.ReplaceAll(part, `\"`, "\x00"), `"`), "\x00", `"`)
		plain.WriteString(variable.ReplaceAllStringFunc(part, func(name string) string {
			if y.variables[name[1:]] == "" {
				y.t.Errorf("%s is empty", name)
			}
			return y.variables[name[1:]]
		}))
	}
	return plain.String()
}
