package e2etest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/upstream"
)

var (
	shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	assignment  = regexp.MustCompile(`^(\w+)=\$\(jq -r (\.\S+) (\S+)\)$`)
	step        = regexp.MustCompile(`\w+`)
	comparison  = regexp.MustCompile(`^echo "\$(\w+)  (\S+)" \| sha256sum --check$`)
	expectation = regexp.MustCompile(`^# answers (\d+) (\S+)$`)
	words       = regexp.MustCompile(`(?:'[^']*'|"(?:[^"\\]|\\.)*"|\$\w+|[^\s'"$])+`)
	word        = regexp.MustCompile(`'[^']*'|"(?:[^"\\]|\\.)*"|[^'"]+`)
	variable    = regexp.MustCompile(`\$(\w+)`)
	placeholder = regexp.MustCompile(`\{\w+\}`)
)

// Typist runs the examples of a document, line by line.
type Typist struct {
	t         *testing.T
	client    *Client
	folder    string
	variables map[string]string
	asked     []string // METHOD /path of every request to Countersign
}

// NewTypist returns a typist in front of app, in a folder with these files.
func NewTypist(t *testing.T, app *App, files map[string]string) *Typist {
	t.Helper()
	y := &Typist{t: t, client: Program(t, app), folder: t.TempDir(), variables: map[string]string{}}
	y.client.Header = http.Header{}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(y.folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return y
}

// Types runs every line of the shell blocks of a document, in order. A line must succeed,
// or be answered as the comment after it says. Every one of operations must be among
// them.
func (y *Typist) Types(document string, operations []upstream.Operation) {
	y.t.Helper()
	lines := 0
	for _, block := range shellBlocks.FindAllStringSubmatch(document, -1) {
		all := strings.Split(strings.TrimSpace(block[1]), "\n")
		for i, line := range all {
			if next := append(all, "")[i+1]; !strings.HasPrefix(line, "#") {
				y.line(line, expectation.FindStringSubmatch(next))
				lines++
			}
		}
	}
	if written := strings.Count(document, "\ncurl "); lines < written || written == 0 {
		y.t.Errorf("%d lines were typed of %d", lines, written)
	}
	asked := strings.Join(y.asked, "\n")
	for _, o := range operations {
		path := placeholder.ReplaceAllString(strings.TrimSuffix(o.Path, "/"), `[^/\n]+`)
		if !regexp.MustCompile(`(?m)^` + o.Method + " " + path + `/?$`).MatchString(asked) {
			y.t.Errorf("there is no line for %s %s", o.Method, o.Path)
		}
	}
}

// line runs a line, whose answer must be as expected: a status and a key, or a success.
func (y *Typist) line(line string, expected []string) {
	y.t.Helper()
	if m := assignment.FindStringSubmatch(line); m != nil {
		y.variables[m[1]] = y.jq(m[2], m[3])
		return
	}
	if m := comparison.FindStringSubmatch(line); m != nil {
		y.compare(y.variables[m[1]], m[2])
		return
	}
	var arguments []string
	for _, found := range words.FindAllString(line, -1) {
		arguments = append(arguments, y.plain(found))
	}
	if arguments[0] != "curl" {
		y.t.Fatalf("not understood: %s", line)
	}
	r := y.curl(arguments[1:])
	if expected == nil && r.Status >= 300 || expected != nil && (strconv.Itoa(r.Status) != expected[1] || r.Text("key") != expected[2]) {
		y.t.Errorf("%s: %d %s", line, r.Status, r.Body)
	}
}

// compare compares the SHA-256 of a file with the one that is known.
func (y *Typist) compare(known, file string) {
	y.t.Helper()
	content, err := os.ReadFile(filepath.Join(y.folder, file))
	if err != nil {
		y.t.Fatal(err)
	}
	if is := sha256.Sum256(content); hex.EncodeToString(is[:]) != known {
		y.t.Errorf("%s has the SHA-256 %x, not %q", file, is, known)
	}
}

// jq returns the text at a path of members and numbers in a file.
func (y *Typist) jq(path, file string) string {
	y.t.Helper()
	text, err := os.ReadFile(filepath.Join(y.folder, file))
	if err != nil {
		y.t.Fatal(err)
	}
	var value any
	_ = json.Unmarshal(text, &value)
	for _, name := range step.FindAllString(path, -1) {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			if n, err := strconv.Atoi(name); err == nil && n < len(v) {
				value = v[n]
			}
		}
	}
	found, ok := value.(string)
	if !ok {
		y.t.Fatalf("there is no text at %s of %s", path, text)
	}
	return found
}

// plain returns a word without its quotes, with its variables resolved.
func (y *Typist) plain(quoted string) string {
	var plain strings.Builder
	for _, part := range word.FindAllString(quoted, -1) {
		if text, literal := strings.CutPrefix(part, "'"); literal {
			plain.WriteString(strings.TrimSuffix(text, "'"))
			continue
		}
		part = strings.ReplaceAll(strings.Trim(strings.ReplaceAll(part, `\"`, "\x00"), `"`), "\x00", `"`)
		plain.WriteString(variable.ReplaceAllStringFunc(part, func(name string) string { return y.variables[name[1:]] }))
	}
	return plain.String()
}

func (y *Typist) curl(arguments []string) Reply {
	y.t.Helper()
	method, address, saved, kind := "", "", "", ""
	var body bytes.Buffer
	header, form := http.Header{}, multipart.NewWriter(&body)
	for i := 0; i < len(arguments); i++ {
		next := func() string { i++; return arguments[i] }
		switch arguments[i] {
		case "-s":
		case "-X":
			method = next()
		case "-H":
			name, value, _ := strings.Cut(next(), ": ")
			header.Set(name, value)
		case "--json":
			body.WriteString(next())
			kind = "application/json"
		case "-F":
			y.part(form, next())
			kind = form.FormDataContentType()
		case ">":
			saved = filepath.Join(y.folder, next())
		default:
			address = strings.NewReplacer("http://localhost:8080", y.client.App.URL(), "http://127.0.0.1:8081", y.client.App.SandboxURL()).Replace(arguments[i])
		}
	}
	if kind == form.FormDataContentType() {
		form.Close()
	}
	if method == "" {
		method = map[bool]string{true: http.MethodGet, false: http.MethodPost}[kind == ""]
	}
	if kind != "" {
		header.Set("Content-Type", kind)
	}
	request, err := http.NewRequestWithContext(y.t.Context(), method, address, io.Reader(&body))
	if err != nil {
		y.t.Fatal(err)
	}
	request.Header = header
	client := y.client
	if strings.HasPrefix(address, client.App.URL()+"/") {
		y.asked = append(y.asked, method+" "+request.URL.Path)
	} else {
		client = Plain(y.t) // the sandbox has no such document
	}
	r := client.Do(request)
	if saved != "" {
		if err := os.WriteFile(saved, r.Body, 0o600); err != nil {
			y.t.Fatal(err)
		}
	}
	return r
}

// part adds an argument of -F to a form: name=text, or name=@file.
func (y *Typist) part(form *multipart.Writer, argument string) {
	y.t.Helper()
	name, text, _ := strings.Cut(argument, "=")
	file, isFile := strings.CutPrefix(text, "@")
	if !isFile {
		_ = form.WriteField(name, text)
		return
	}
	content, err := os.ReadFile(filepath.Join(y.folder, file))
	if err != nil {
		y.t.Fatal(err)
	}
	w, err := form.CreateFormFile(name, file)
	if err != nil {
		y.t.Fatal(err)
	}
	_, _ = w.Write(content)
}
