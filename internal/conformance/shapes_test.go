package conformance_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"countersign/internal/conformance"
	"countersign/internal/sandbox/wire"
)

var update = flag.Bool("update", false, "write testdata/shapes.txt")

// shapes are the members of the sandbox's answers, with their types, by operation and status.
type shapes struct {
	mu  sync.Mutex
	met map[string]bool
}

// front keeps the shapes of platform's answers.
func (s *shapes) front(platform http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		platform.ServeHTTP(answer, r)
		if operation := answer.Header().Get(wire.AnsweredBy); operation != "" {
			s.keep(fmt.Sprintf("%s %d", operation, answer.Code), answer.Body.Bytes())
		}
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	})
}

func (s *shapes) keep(answer string, body []byte) {
	var value any
	if json.Unmarshal(body, &value) != nil {
		value = "no JSON"
		if len(body) == 0 {
			value = nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.walk(answer, value)
}

func (s *shapes) walk(at string, value any) {
	switch v := value.(type) {
	case map[string]any:
		s.met[at+" object"] = true
		for name, member := range v {
			if strings.HasSuffix(at, "/data") { // what clients keep there is theirs
				continue
			}
			s.walk(at+"/"+name, member)
		}
	case []any:
		s.met[at+" list"] = true
		for _, item := range v {
			s.walk(at+"/*", item)
		}
	case nil:
		s.met[at+" null"] = true
	default:
		s.met[fmt.Sprintf("%s %T", at, v)] = true
	}
}

// The sandbox answers in the shapes of its recording, so that nobody changes one unnoticed.
func TestShapes_SandboxMatchesRecording(t *testing.T) {
	const file = "testdata/shapes.txt"
	s := &shapes{met: map[string]bool{}}
	run(t, serveBehind(t, s.front), func(conformance.Result) {})
	got := []byte(strings.Join(slices.Sorted(maps.Keys(s.met)), "\n") + "\n")
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(got, want) {
		return
	}
	recorded := map[string]bool{}
	for line := range strings.Lines(string(want)) {
		recorded[strings.TrimSpace(line)] = true
	}
	for shape := range s.met {
		if !recorded[shape] {
			t.Errorf("new: %s (go test ./internal/conformance -run Shapes -update)", shape)
		}
	}
	for shape := range recorded {
		if !s.met[shape] {
			t.Errorf("gone: %s (go test ./internal/conformance -run Shapes -update)", shape)
		}
	}
}
