package apidoc

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// exchangeRecord is an exchange without texts of people. Request and Response are JSON, absent without
// a body, and null where it is not kept.
type exchangeRecord struct {
	Method   string              `json:"method"`
	Path     string              `json:"path"`
	Query    map[string][]string `json:"query,omitempty"`
	Sent     string              `json:"sent,omitempty"` // its Content-Type
	Request  json.RawMessage     `json:"request,omitempty"`
	Status   int                 `json:"status"`
	Received string              `json:"received,omitempty"`
	Response json.RawMessage     `json:"response,omitempty"`
}

// Recorder writes exchanges into a folder, a file each, without secrets and texts of people:
// each such text becomes its length, its form and what the documents' patterns say of it.
// Names of members, values of enumerations, booleans and numbers stay.
type Recorder struct {
	documents *Documents
	folder    string

	mu   sync.Mutex
	next int
	err  error
}

// NewRecorder makes the folder, which must be empty or absent.
func (d *Documents) NewRecorder(folder string) (*Recorder, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
		return nil, fmt.Errorf("%s is not an empty folder", folder)
	}
	return &Recorder{documents: d, folder: folder}, nil
}

// Record writes e.
func (r *Recorder) Record(e Exchange) {
	text, err := json.MarshalIndent(r.documents.conceal(e), "", "  ")
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next++; err == nil {
		err = os.WriteFile(filepath.Join(r.folder, fmt.Sprintf("%05d.json", r.next)), text, 0o600)
	}
	if r.err == nil {
		r.err = err
	}
}

// Err returns the first error of Record.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Replay calls tell with each exchange of a recording, in its order.
func Replay(folder string, tell func(Exchange)) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s has no recording", folder)
	}
	slices.Sort(files)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var one exchangeRecord
		if err := json.Unmarshal(content, &one); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		e, err := one.exchange()
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		tell(e)
	}
	return nil
}

// conceal returns e as it is recorded.
func (d *Documents) conceal(e Exchange) exchangeRecord {
	out := exchangeRecord{Method: e.Method, Status: e.Status, Sent: mediaType(e.RequestHeader), Received: mediaType(e.ResponseHeader)}
	segments := strings.Split(e.URL.Path, "/")
	for i, segment := range segments {
		if !d.segments[segment] {
			segments[i] = d.concealedSegment(segment)
		}
	}
	out.Path = strings.Join(segments, "/")
	for name, values := range e.URL.Query() {
		if out.Query == nil {
			out.Query = map[string][]string{}
		}
		kept := name
		if !d.words[name] && !isMember(name) {
			kept = d.describe(name)
		}
		for _, value := range values {
			stays := d.words[value] || d.numbers[name] && isLiteral(value)
			if !stays {
				value = d.describe(value)
			}
			out.Query[kept] = append(out.Query[kept], value)
		}
	}
	_, documented := d.find(e)
	out.Request = d.concealBody(e.Request, isJSON(e.RequestHeader), documented)
	out.Response = d.concealBody(e.Response, isJSON(e.ResponseHeader), documented)
	return out
}

// concealedSegment describes both parts of a user's id, so that it keeps its form.
func (d *Documents) concealedSegment(segment string) string {
	if name, domain, ok := strings.Cut(segment, "@"); ok && !strings.Contains(domain, "@") {
		return d.describe(name) + "@" + d.describe(domain)
	}
	return d.describe(segment)
}

func (d *Documents) concealBody(body []byte, isJSON, documented bool) json.RawMessage {
	var value any
	switch {
	case body != nil && len(body) == 0:
		return nil
	case !isJSON || json.Unmarshal(body, &value) != nil:
		return json.RawMessage("null")
	}
	text, err := json.Marshal(d.concealValue(value, documented))
	if err != nil {
		return nil
	}
	return text
}

// concealValue keeps the names of members that the documents have; those of an operation that is
// in none if they look like names.
func (d *Documents) concealValue(value any, documented bool) any {
	switch v := value.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, member := range v {
			if !d.words[name] && (documented || !isMember(name)) {
				name = d.describe(name)
			}
			out[name] = d.concealValue(member, documented)
		}
		return out
	case []any:
		for i := range v {
			v[i] = d.concealValue(v[i], documented)
		}
		return v
	case string:
		if !d.words[v] {
			return d.describe(v)
		}
	}
	return value
}

// isMember reports whether name is one that programs give to members.
func isMember(name string) bool {
	return strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz_") == ""
}

// isLiteral reports whether value is a number or a boolean.
func isLiteral(value string) bool {
	return value == "true" || value == "false" || json.Valid([]byte(value)) && strings.Trim(value, "-+.eE0123456789") == ""
}

// forms are the forms of texts that are kept, each with the text that stands for it.
var forms = []struct {
	name    string
	form    *regexp.Regexp
	example string
}{
	{"uuid", regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`), "00000000-0000-4000-8000-000000000000"},
	{"date", regexp.MustCompile(`^\d{4}-\d\d-\d\d$`), "2000-01-01"},
	{"date-time", regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$`), "2000-01-01T00:00:00Z"},
}

// mark begins the description of a text.
const mark = "~"

// describe returns what is recorded of a text: "~12" or "~36 uuid" for its length in characters
// and its form, and the numbers of the patterns that it matches.
func (d *Documents) describe(text string) string {
	said := []string{mark + strconv.Itoa(utf8.RuneCountInString(text))}
	for _, f := range forms {
		if f.form.MatchString(text) {
			said = append(said, f.name)
		}
	}
	for _, p := range d.patterns {
		if r, err := compile(p); err == nil && r.MatchString(text) {
			said = append(said, patternName(p))
		}
	}
	return strings.Join(said, " ")
}

func (r exchangeRecord) exchange() (Exchange, error) {
	f := filler{}
	segments := strings.Split(r.Path, "/")
	for i, segment := range segments {
		parts := strings.Split(segment, "@")
		for j := range parts {
			parts[j] = f.fill(parts[j])
		}
		segments[i] = strings.Join(parts, "@")
	}
	query := url.Values{}
	for name, values := range r.Query {
		for _, value := range values {
			query.Add(name, f.fill(value))
		}
	}
	e := Exchange{
		Method: r.Method, URL: &url.URL{Path: strings.Join(segments, "/"), RawQuery: query.Encode()},
		RequestHeader: http.Header{}, Status: r.Status, ResponseHeader: http.Header{},
	}
	if r.Sent != "" {
		e.RequestHeader.Set("Content-Type", r.Sent)
	}
	if r.Received != "" {
		e.ResponseHeader.Set("Content-Type", r.Received)
	}
	var err error
	if e.Request, err = f.body(r.Request); err == nil {
		e.Response, err = f.body(r.Response)
	}
	return e, err
}
