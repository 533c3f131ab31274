package signing_test

import (
	"bytes"
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

	"countersign/internal/e2e/e2etest"
	catalogue "countersign/internal/fault"
	"countersign/internal/signing"
)

var (
	shellBlocks = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	assignment  = regexp.MustCompile(`^(\w+)=\$\(jq -r \.(\w+) (\S+)\)$`)
	expectation = regexp.MustCompile(`^# answers (\d+) (\S+)$`)
	words       = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|\$\w+|[^\s'"$])+`)
	word        = regexp.MustCompile(`'[^']*'|"[^"]*"|[^'"]+`)
	variable    = regexp.MustCompile(`\$(\w+)`)
	errorRow    = regexp.MustCompile("(?m)^\\| (`[a-z-]+\\.[a-z-]+`(?:, `[a-z-]+\\.[a-z-]+`)*) \\| (\\d{3}) \\|")
	placeholder = regexp.MustCompile(`\{\w+\}`)
)

// typist is somebody who types what docs/signing.md shows, line by line.
type typist struct {
	t         *testing.T
	client    *e2etest.Client
	folder    string
	variables map[string]string
	asked     []string // METHOD /path of every request
}

// The lines of the document work as they stand, in their order, and no operation is
// missing from them.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	app := e2etest.Boot(t)
	text := documentation(t)
	y := typist{t: t, client: e2etest.Program(t, app), folder: t.TempDir(), variables: map[string]string{}}
	y.client.Header = http.Header{}
	if err := os.WriteFile(filepath.Join(y.folder, "lease.pdf"), []byte("%PDF-1.7\n%%EOF"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, block := range shellBlocks.FindAllStringSubmatch(text, -1) {
		lines := strings.Split(strings.TrimSpace(block[1]), "\n")
		for i, line := range lines {
			if next := append(lines, "")[i+1]; !strings.HasPrefix(line, "#") {
				y.types(line, expectation.FindStringSubmatch(next))
			}
		}
	}
	if written := strings.Count(text, "\ncurl "); written != len(y.asked) || written == 0 {
		t.Errorf("%d lines of %d were run", len(y.asked), written)
	}
	asked := strings.Join(y.asked, "\n")
	for _, o := range signing.Operations {
		path := placeholder.ReplaceAllString(o.Path, `[^/\n]+`)
		if !regexp.MustCompile(`(?m)^` + o.Method + " " + path + `$`).MatchString(asked) {
			t.Errorf("there is no line for %s %s", o.Method, o.Path)
		}
	}
}

// types runs a line, whose answer is to be as expected: a status and a key, or a
// success.
func (y *typist) types(line string, expected []string) {
	y.t.Helper()
	if m := assignment.FindStringSubmatch(line); m != nil {
		var members map[string]any
		text, err := os.ReadFile(filepath.Join(y.folder, m[3]))
		if err != nil || json.Unmarshal(text, &members) != nil || members[m[2]] == nil {
			y.t.Fatalf("%s: %s, %v", line, text, err)
		}
		y.variables[m[1]], _ = members[m[2]].(string)
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

// plain is a word without its quotes, its variables resolved.
func (y *typist) plain(quoted string) string {
	var plain strings.Builder
	for _, part := range word.FindAllString(quoted, -1) {
		if text, literal := strings.CutPrefix(part, "'"); literal {
			plain.WriteString(strings.TrimSuffix(text, "'"))
			continue
		}
		plain.WriteString(variable.ReplaceAllStringFunc(strings.Trim(part, `"`), func(name string) string { return y.variables[name[1:]] }))
	}
	return plain.String()
}

func (y *typist) curl(arguments []string) e2etest.Reply {
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
			address = strings.Replace(arguments[i], "http://localhost:8080", y.client.App.URL(), 1)
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
	y.asked = append(y.asked, method+" "+request.URL.Path)
	r := y.client.Do(request)
	if saved != "" {
		if err := os.WriteFile(saved, r.Body, 0o600); err != nil {
			y.t.Fatal(err)
		}
	}
	return r
}

// part adds what -F says to a form: name=text, or name=@file.
func (y *typist) part(form *multipart.Writer, argument string) {
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

// The errors that the document speaks of are in the catalogue, with the status that it
// gives them.
func TestDocumentationKnowsTheErrors(t *testing.T) {
	t.Parallel()
	rows := errorRow.FindAllStringSubmatch(documentation(t), -1)
	if len(rows) < 10 {
		t.Fatalf("only %d rows of errors were found", len(rows))
	}
	for _, row := range rows {
		for key := range strings.SplitSeq(strings.ReplaceAll(row[1], "`", ""), ", ") {
			if status := strconv.Itoa(catalogue.Lookup(catalogue.Key(key)).Status); !catalogue.Known(catalogue.Key(key)) || status != row[2] {
				t.Errorf("%s is a %s, not a %s", key, status, row[2])
			}
		}
	}
}

func documentation(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/signing.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
