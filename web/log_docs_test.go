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

// docs/operate/logs.md describes every member of the line that a request leaves in the log, and
// docs/operate/monitoring.md every outcome of a call to the platform.
func TestLog_MembersAndOutcomesDocumented(t *testing.T) {
	outcomes := []string{
		upstream.OutcomeCancelled, upstream.OutcomeCircuitOpen, upstream.OutcomeTimeout, upstream.OutcomeUntrusted,
		upstream.OutcomeBroken, upstream.OutcomeUnreachable, upstream.OutcomeInternal,
	}
	members := regexp.MustCompile(`slog\.[A-Z]\w*\("(\w+)"`).FindAllStringSubmatch(read(t, "accesslog.go"), -1)
	if len(members) < 12 {
		t.Fatalf("only %d members found in accesslog.go", len(members))
	}
	var names []string
	for _, member := range members {
		names = append(names, member[1])
	}
	for page, words := range map[string][]string{"logs.md": names, "monitoring.md": outcomes} {
		document := read(t, "../docs/operate/"+page)
		for _, word := range words {
			if !strings.Contains(document, "`"+word+"`") {
				t.Errorf("docs/operate/%s says nothing of %q", page, word)
			}
		}
	}
}
