package e2etest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// Reply is an answer, read to its end.
type Reply struct {
	T      testing.TB
	What   string // method and path of the request, for messages
	Status int
	Header http.Header
	Body   []byte
}

// Want stops the test unless the answer has this status.
func (r Reply) Want(status int) Reply {
	r.T.Helper()
	if r.Status != status {
		r.T.Fatalf("%s: status %d, want %d: %s", r.What, r.Status, status, r.Body)
	}
	return r
}

// Refused stops the test unless the answer is a problem of this status and key.
func (r Reply) Refused(status int, key string) Reply {
	r.T.Helper()
	r.Want(status)
	if got := r.Text("key"); got != key {
		r.T.Fatalf("%s: key %q, want %q: %s", r.What, got, key, r.Body)
	}
	return r
}

// Member returns a member of the answer's JSON object.
func (r Reply) Member(name string) any {
	r.T.Helper()
	var all map[string]any
	if err := json.Unmarshal(r.Body, &all); err != nil {
		r.T.Fatalf("%s: %v: %s", r.What, err, r.Body)
	}
	return all[name]
}

// Text returns a text member, or "" for anything else.
func (r Reply) Text(name string) string {
	r.T.Helper()
	s, _ := r.Member(name).(string)
	return s
}

// Pointers returns the JSON pointers of the answer's field errors, with spaces
// between them, and checks that each has a sentence.
func Pointers(t *testing.T, r Reply) string {
	t.Helper()
	var body struct {
		Fields []struct{ Pointer, Detail string } `json:"fields"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range body.Fields {
		all = append(all, f.Pointer)
		if f.Detail == "" || strings.HasPrefix(f.Detail, "field.") {
			t.Errorf("%s has no sentence: %q", f.Pointer, f.Detail)
		}
	}
	return strings.Join(all, " ")
}

// isolation are the marks of isolation around texts by people, which package templates
// judges.
var isolation = strings.NewReplacer(`<bdi translate="no">`, "", "</bdi>", "", "\u2068", "", "\u2069", "")

// WithoutIsolation returns a page, or a letter, as it reads.
func WithoutIsolation(page []byte) string { return isolation.Replace(string(page)) }

// Says stops the test unless the page contains each of texts, whatever isolates them.
func Says(t *testing.T, r Reply, texts ...string) {
	t.Helper()
	page := WithoutIsolation(r.Body)
	for _, text := range texts {
		if !strings.Contains(page, text) {
			t.Fatalf("%s does not say %q: %s", r.What, text, r.Body)
		}
	}
}

// SaysNone stops the test if the page contains any of texts.
func SaysNone(t *testing.T, r Reply, texts ...string) {
	t.Helper()
	page := WithoutIsolation(r.Body)
	for _, text := range texts {
		if strings.Contains(page, text) {
			t.Fatalf("%s says %q: %s", r.What, text, r.Body)
		}
	}
}
