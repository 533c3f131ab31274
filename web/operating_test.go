package web

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

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

// docs/operating.md describes every metric, and none that is not there.
func TestTheMetricsAreThoseOfTheDocument(t *testing.T) {
	m := NewMetrics()
	m.Build("v1.2.3")
	m.Circuit("identity", func() string { return "closed" })
	m.Packages(nil)
	m.EventStreams(nil)
	m.RedisPool(nil)
	described := make(chan *prometheus.Desc, 1000)
	m.Registry.Describe(described)
	close(described)
	var have []string
	for desc := range described {
		if found := regexp.MustCompile(`fqName: "(countersign_\w+)"`).FindStringSubmatch(desc.String()); found != nil {
			have = append(have, found[1])
		}
	}
	var told []string
	for _, name := range regexp.MustCompile(`countersign_[a-z_]+`).FindAllString(read(t, "../docs/operating.md"), -1) {
		told = append(told, strings.TrimSuffix(name, "_count"))
	}
	slices.Sort(have)
	slices.Sort(told)
	have, told = slices.Compact(have), slices.Compact(told)
	if len(have) < 6 || !slices.Equal(have, told) {
		t.Errorf("metrics  %q\ndocument %q", have, told)
	}
}

// It describes every member of the line that a request leaves in the log, and
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
