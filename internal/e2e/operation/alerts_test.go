package operation_test

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rules are the rules of deploy/prometheus/alerts.yaml.
type rules struct {
	Groups []struct {
		Rules []struct {
			Alert, Expr         string
			Labels, Annotations map[string]string
		}
	}
}

// The alerts fire when they should, and stay silent when they should: promtool runs
// alerts_test.yaml.
func TestAlert_FiresWhenDue(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("promtool is missing: make test installs it, from Debian's package prometheus")
	}
	for _, arguments := range [][]string{{"check", "rules", "alerts.yaml"}, {"test", "rules", "alerts_test.yaml"}} {
		command := exec.CommandContext(t.Context(), promtool, arguments...)
		command.Dir = deploy + "prometheus"
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(arguments, " "), err, out)
		}
	}
}

func TestAlert_EachHasTest(t *testing.T) {
	tried := read(t, "prometheus/alerts_test.yaml")
	for _, rule := range parse[rules](t, read(t, "prometheus/alerts.yaml")).Groups[0].Rules {
		fires := `{labels: 'ALERTS{alertname="` + rule.Alert + `",alertstate="firing",severity="` + rule.Labels["severity"] + `"`
		if !strings.Contains(tried, fires) {
			t.Errorf("nothing has %s fire", rule.Alert)
		}
		if rule.Annotations["summary"] == "" || rule.Annotations["action"] == "" {
			t.Errorf("%s says neither what is wrong nor what to do", rule.Alert)
		}
	}
}

// Alerts, dashboard and the tests of the alerts use only existing metrics and labels.
func TestQueries_UseExistingMetrics(t *testing.T) {
	asked := map[string][]string{}
	for _, rule := range parse[rules](t, read(t, "prometheus/alerts.yaml")).Groups[0].Rules {
		asked["the alert "+rule.Alert] = []string{rule.Expr}
	}
	for _, p := range dashboard(t) {
		if p.Type == "row" {
			continue
		}
		for _, target := range p.Targets {
			asked["the panel "+p.Title] = append(asked["the panel "+p.Title], target.Expr)
		}
		if len(p.Targets) == 0 {
			t.Errorf("the panel %s asks for nothing", p.Title)
		}
	}
	for _, match := range regexp.MustCompile(`\{series: '([^']+)'`).FindAllStringSubmatch(read(t, "prometheus/alerts_test.yaml"), -1) {
		asked["the tests of the alerts"] = append(asked["the tests of the alerts"], match[1])
	}
	have := scrape(t)
	for whose, queries := range asked {
		for _, query := range queries {
			checkQuery(t, whose, query, have)
		}
	}
}

type panel struct {
	Type, Title string
	Targets     []struct{ Expr string }
}

func dashboard(t *testing.T) []panel {
	t.Helper()
	var file struct{ Panels []panel }
	if err := json.Unmarshal([]byte(read(t, "grafana/dashboard.json")), &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Panels) < 20 {
		t.Fatalf("%d panels", len(file.Panels))
	}
	return file.Panels
}

var (
	selector = regexp.MustCompile(`\b(countersign_\w+|process_\w+|go_\w+|up)\b(?:\{([^}]*)\})?`)
	matcher  = regexp.MustCompile(`(\w+)\s*(?:=|!=|=~|!~)\s*"`)
	suffix   = regexp.MustCompile(`_(bucket|count|sum)$`)
)

func checkQuery(t *testing.T, whose, query string, have map[string][]string) {
	t.Helper()
	found := selector.FindAllStringSubmatch(query, -1)
	if len(found) == 0 {
		t.Errorf("%s asks for nothing of ours: %s", whose, query)
	}
	for _, one := range found {
		labels, known := have[one[1]]
		if !known {
			labels, known = have[suffix.ReplaceAllString(one[1], "")]
		}
		if !known {
			t.Errorf("%s asks for %s, which is no metric", whose, one[1])
		}
		for _, label := range matcher.FindAllStringSubmatch(one[2], -1) {
			if !slices.Contains(append(labels, "job", "instance", "le"), label[1]) {
				t.Errorf("%s asks for %s of %s, which is no label of it", whose, label[1], one[1])
			}
		}
	}
}
