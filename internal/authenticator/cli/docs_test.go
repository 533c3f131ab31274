package cli_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
	catalogue "countersign/internal/fault"
)

var (
	shellBlocks  = regexp.MustCompile("(?ms)^```(?:sh|console)\n(.*?)^```$")
	assignment   = regexp.MustCompile(`^(\w+)=\$\(jq -r '?(\S+?)'? (\S+)\)$`)
	printed      = regexp.MustCompile(`^(\w+)=\$\((countersign authenticator .*)\)$`)
	inHex        = regexp.MustCompile(`^(\w+)=\$\((printf .*) \| od -An -v -tx1 \| tr -d ' \\n'\)$`)
	exactly      = regexp.MustCompile(`^# answers (\{.*\})$`)
	expectation  = regexp.MustCompile(`^# answers (\d+) (\S+)$`)
	problemRow   = regexp.MustCompile("(?m)^\\| (`[a-z-]+\\.[a-z-]+`(?:, `[a-z-]+\\.[a-z-]+`)*) \\| (\\d{3}) \\|")
	problemKey   = regexp.MustCompile("`([^`]+)`")
	shellComment = regexp.MustCompile(`\s+#.*$`)
)

// reader acts as a person who types the examples of docs/mobile.md, line by line, into a
// shell that supports only what the document needs.
type reader struct {
	t         *testing.T
	app       *e2etest.App
	shell     *shell
	folder    string
	variables map[string]string
	status    int    // expected of the next answer; 0: a success
	key       string // of the expected problem
	answer    string // the expected whole; "" for any
}

// The document's lines work as they stand, in their order, against a Countersign without
// settings.
func TestMobileDocumentation(t *testing.T) {
	app := e2etest.Boot(t)
	r := &reader{t: t, app: app, shell: newShell(t, app.URL()), folder: t.TempDir(), variables: map[string]string{}}
	curls, phones := 0, 0
	for _, block := range shellBlocks.FindAllStringSubmatch(mobileDocumentation(t), -1) {
		for line := range strings.Lines(block[1]) {
			line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
			switch {
			case strings.HasPrefix(line, "curl "):
				curls++
			case strings.HasPrefix(line, "countersign "):
				phones++
			case strings.HasPrefix(line, "go build "), strings.HasPrefix(line, "cd "): // done already
				continue
			}
			r.types(line)
			if t.Failed() {
				t.Fatalf("at: %s", line)
			}
		}
	}
	if written := strings.Count(mobileDocumentation(t), "\ncurl "); written != curls || curls < 20 {
		t.Errorf("%d lines of %d were run", curls, written)
	}
	if phones < 8 {
		t.Errorf("countersign authenticator was run %d times", phones)
	}
}

func mobileDocumentation(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/mobile.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (r *reader) types(line string) {
	r.t.Helper()
	if m := expectation.FindStringSubmatch(line); m != nil {
		r.status, _ = strconv.Atoi(m[1])
		r.key = m[2]
		return
	}
	if m := exactly.FindStringSubmatch(line); m != nil {
		r.answer = m[1]
		return
	}
	if m := inHex.FindStringSubmatch(line); m != nil {
		words := r.words(m[2]) // printf, the format, its one %s
		r.variables[m[1]] = hex.EncodeToString([]byte(strings.Replace(words[1], "%s", words[2], 1)))
		return
	}
	if m := printed.FindStringSubmatch(line); m != nil {
		words := r.words(m[2])
		r.variables[m[1]] = strings.TrimSpace(r.shell.authenticator(words[2], words[3:]...).exits(0).out)
		return
	}
	if m := assignment.FindStringSubmatch(line); m != nil {
		r.variables[m[1]] = r.member(m[3], m[2])
		return
	}
	words := r.words(line)
	switch {
	case len(words) > 1 && words[0] == "curl":
		r.curl(words[1:])
	case len(words) > 2 && words[0] == "countersign":
		for i, word := range words {
			if strings.HasSuffix(word, ".json") {
				words[i] = filepath.Join(r.folder, word)
			}
		}
		r.shell.authenticator(words[2], words[3:]...).exits(0)
	default:
		r.t.Errorf("not understood")
	}
}

// words splits a line into words, with quotes and variables resolved.
func (r *reader) words(line string) []string {
	line = shellComment.ReplaceAllString(line, "")
	var words []string
	var word strings.Builder
	quote, any := rune(0), false
	for _, c := range line + " " {
		switch {
		case quote == 0 && c == ' ':
			if any {
				words = append(words, word.String())
			}
			word.Reset()
			any = false
		case quote == 0 && (c == '\'' || c == '"'):
			quote, any = c, true
			if c == '\'' { // its content stands for itself
				word.WriteByte(0)
			}
		case c == quote:
			if quote == '\'' {
				word.WriteByte(0)
			}
			quote = 0
		default:
			word.WriteRune(c)
			any = true
		}
	}
	for i, word := range words {
		parts := strings.Split(word, "\x00")
		for at := 0; at < len(parts); at += 2 {
			parts[at] = os.Expand(parts[at], func(name string) string {
				if r.variables[name] == "" {
					r.t.Errorf("$%s is empty", name)
				}
				return r.variables[name]
			})
		}
		words[i] = strings.Join(parts, "")
	}
	return words
}

// member returns what jq prints for path, such as .a[1].b.
func (r *reader) member(file, path string) string {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.folder, file))
	if err != nil {
		r.t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		r.t.Fatal(err)
	}
	for _, step := range strings.FieldsFunc(path, func(c rune) bool { return strings.ContainsRune(".[]", c) }) {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if i < 0 {
				i += len(v)
			}
			if err != nil || i < 0 || i >= len(v) {
				r.t.Fatalf("no %s in %s", path, data)
			}
			value = v[i]
		}
	}
	return fmt.Sprint(value)
}

func (r *reader) curl(args []string) {
	r.t.Helper()
	method, address, saved, body := "", "", "", []byte(nil)
	header := http.Header{}
	for i := 0; i < len(args); i++ {
		next := func() string { i++; return args[i] }
		switch args[i] {
		case "-s":
		case "-X":
			method = next()
		case "-H":
			name, value, _ := strings.Cut(next(), ": ")
			header.Set(name, value)
		case "--json":
			body = r.data(next())
			header.Set("Content-Type", "application/json")
		case ">":
			saved = filepath.Join(r.folder, next())
		default:
			address = strings.NewReplacer("http://localhost:8080", r.app.URL(), "http://127.0.0.1:8081", r.app.SandboxURL()).Replace(args[i])
		}
	}
	if method == "" {
		method = map[bool]string{true: "POST", false: "GET"}[body != nil]
	}
	request, err := http.NewRequestWithContext(r.t.Context(), method, address, bytes.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	maps.Copy(request.Header, header)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	r.judge(answer.StatusCode, text)
	if saved != "" {
		if err := os.WriteFile(saved, text, 0o600); err != nil {
			r.t.Fatal(err)
		}
	}
}

// data returns the body that --json sends: the text, or the file after an @.
func (r *reader) data(argument string) []byte {
	r.t.Helper()
	name, isFile := strings.CutPrefix(argument, "@")
	if !isFile {
		return []byte(argument)
	}
	data, err := os.ReadFile(filepath.Join(r.folder, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

func (r *reader) judge(status int, text []byte) {
	r.t.Helper()
	if r.status == 0 && status >= 300 || r.status != 0 && (status != r.status || !bytes.Contains(text, []byte(`"key":"`+r.key+`"`))) {
		r.t.Errorf("answered %d: %s", status, text)
	}
	if r.answer != "" && r.answer != string(bytes.TrimSpace(text)) {
		r.t.Errorf("answered %s", text)
	}
	r.status, r.key, r.answer = 0, "", ""
}

// The errors that the document names are in the catalogue, with the document's status.
func TestMobileDocumentationKnowsTheErrors(t *testing.T) {
	rows := problemRow.FindAllStringSubmatch(mobileDocumentation(t), -1)
	if len(rows) < 15 {
		t.Fatalf("only %d rows of errors were found", len(rows))
	}
	for _, row := range rows {
		for _, key := range problemKey.FindAllStringSubmatch(row[1], -1) {
			known := catalogue.Known(catalogue.Key(key[1]))
			if status := fmt.Sprint(catalogue.Lookup(catalogue.Key(key[1])).Status); !known || status != row[2] {
				t.Errorf("%s is in the catalogue: %t, with %s, not %s", key[1], known, status, row[2])
			}
		}
	}
}

// A late answer to a request with an earlier token takes no newer one away: the samples
// compare before they forget.
func TestSamplesForgetTheTokenTheySent(t *testing.T) {
	forgets := regexp.MustCompile(`vault\.token = (null|nil)`)
	compares := regexp.MustCompile(`if \(?vault\.token == sent\)? \{? ?vault\.token = (null|nil)`)
	text := mobileDocumentation(t)
	if all, compared := forgets.FindAllString(text, -1), compares.FindAllString(text, -1); len(compared) != 2 || len(all) != 2 {
		t.Errorf("%d of %d lines compare, want both of two", len(compared), len(all))
	}
}
