package web

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/upstream"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// docs/operating.md describes every member of the line that a request leaves in the log, and
// every outcome of a call to the platform.
func TestTheLogAndTheOutcomesAreThoseOfTheDocument(t *testing.T) {
	document := read(t, "../docs/operating.md")
	words := []string{
		upstream.OutcomeCancelled, upstream.OutcomeCircuitOpen, upstream.OutcomeTimeout, upstream.OutcomeUntrusted,
		upstream.OutcomeBroken, upstream.OutcomeUnreachable, upstream.OutcomeInternal,
	}
	members := regexp.MustCompile(`slog\.[A-Z]\w*\("(\w+)"`).FindAllStringSubmatch(read(t, "accesslog.go"), -1)
	if len(members) < 12 {
		t.Fatalf("only %d members found in accesslog.go", len(members))
	}
	for _, member := range members {
		words = append(words, member[1])
	}
	for _, word := range words {
		if !strings.Contains(document, "`"+word+"`") {
			t.Errorf("docs/operating.md says nothing of %q", word)
		}
	}
}
