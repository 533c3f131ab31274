package operation_test

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/explain"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/upstream"
)

const runbooks = "../../../docs/runbooks/"

// Every alert has its page and leads to it, and every page has its alert. A page has the same
// parts in the same order, asks Prometheus for existing metrics alone, and its links lead somewhere.
func TestRunbook_OnePerAlert(t *testing.T) {
	have := scrape(t)
	var alerts []string
	for _, rule := range parse[rules](t, read(t, "prometheus/alerts.yaml")).Groups[0].Rules {
		alerts = append(alerts, rule.Alert+".md")
		if want := "https://countersign.example/docs/runbooks/" + rule.Alert + ".md"; rule.Annotations["runbook_url"] != want {
			t.Errorf("%s leads to %q, want %s", rule.Alert, rule.Annotations["runbook_url"], want)
		}
		text, err := os.ReadFile(runbooks + rule.Alert + ".md")
		if err != nil {
			t.Error(err)
			continue
		}
		checkRunbook(t, rule.Alert, string(text), have)
	}
	files, err := os.ReadDir(runbooks)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !slices.Contains(alerts, file.Name()) {
			t.Errorf("the runbook %s has no alert", file.Name())
		}
	}
}

// What a runbook puts in code is in the program or its documents of commands and settings: log
// lines, causes, keys, events, label values, settings. The rest are commands and words of others.
func TestRunbook_NamesExist(t *testing.T) {
	t.Parallel()
	others := regexp.MustCompile(`^(?:(?:curl|date|dmesg|docker|kubectl|openssl|redis-cli|systemctl|cluster|sentinel|info|slowlog|maxmemory-policy|appendfsync|process_\w+)\b.*|CLUSTER .*|BGSAVE|OOMKilled|min-replicas-to-write|pool_size)$`)
	placeholder := regexp.MustCompile(`[A-Z]+(?:-[A-Z]+)*(?: |$)|\w+\?.*`)
	have := read(t, "../docs/commands.md") + read(t, "../docs/configuration.md")
	for _, root := range []string{"../../../cmd", "../../../internal", "../../../web", "../../../handlers", "../../../session"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "sandbox") {
				return err
			}
			text, err := os.ReadFile(path)
			have += string(text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(runbooks + "*.md")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, code := range regexp.MustCompile("`([^`\n]+)`").FindAllStringSubmatch(promql.ReplaceAllString(read(t, "../docs/runbooks/"+filepath.Base(file)), ""), -1) {
			if others.MatchString(code[1]) || strings.Contains(have, code[1]) {
				continue
			}
			for part := range strings.SplitSeq(placeholder.ReplaceAllString(code[1], ""), "…") {
				if part = strings.TrimSpace(part); part == "" && !strings.Contains(code[1], "…") || !strings.Contains(have, part) {
					t.Errorf("%s: the program has no %q", filepath.Base(file), code[1])
				}
			}
		}
	}
}

var (
	promql = regexp.MustCompile("(?s)```promql\n(.*?)```")
	link   = regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)
)

// runbook is the form of a page: what the alert means, its impact, how to check, how to fix it.
// A page may refer to another one for the last two.
var runbook = regexp.MustCompile(`^# (\w+)\n\n[^\n-].*\.\n\n- Impact: .+\.\n(?s:(?:.*\n)?- Fix:.*)?$`)

func checkRunbook(t *testing.T, alert, text string, have map[string][]string) {
	t.Helper()
	form := runbook.FindStringSubmatch(text)
	if form == nil || form[1] != alert || !strings.Contains(text, "- Fix:") && !link.MatchString(text) {
		t.Errorf("the runbook of %s lacks its name, its meaning, its impact or its fix", alert)
	}
	for _, query := range promql.FindAllStringSubmatch(text, -1) {
		checkQuery(t, "the runbook of "+alert, query[1], have)
	}
	for _, found := range link.FindAllStringSubmatch(text, -1) {
		linked, err := os.ReadFile(filepath.Join(runbooks, found[1]))
		if err != nil || found[2] != "" && !slices.Contains(anchors(string(linked)), found[2]) {
			t.Errorf("the runbook of %s links to %s%s: %v", alert, found[1], found[2], err)
		}
	}
}

// anchors returns the anchors of the headings of a document.
func anchors(text string) (all []string) {
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		plain := regexp.MustCompile(`[^\p{L}\p{N} -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		all = append(all, "#"+strings.ReplaceAll(plain, " ", "-"))
	}
	return all
}

// What is said of a request names the alerts that count its error and the outcomes of its calls.
func TestRunbook_RequestNamesAlerts(t *testing.T) {
	counted := func(series, label, value string) (names []string) {
		selects := regexp.MustCompile(series + `\{[^}]*` + label + `=~?"([^"]+)"`)
		for _, rule := range parse[rules](t, read(t, "prometheus/alerts.yaml")).Groups[0].Rules {
			for _, match := range selects.FindAllStringSubmatch(rule.Expr, -1) {
				if regexp.MustCompile("^(?:"+match[1]+")$").MatchString(value) && !slices.Contains(names, rule.Alert) {
					names = append(names, rule.Alert)
				}
			}
		}
		slices.Sort(names)
		return names
	}
	for _, row := range fault.Rows() {
		same(t, string(row.Key), told(t, `"key":"`+string(row.Key)+`"`), counted("countersign_failures_total", "key", string(row.Key)))
	}
	for _, outcome := range []string{
		"200", "400", "401", "403", "404", "429", "500", "503", upstream.OutcomeCancelled, upstream.OutcomeCircuitOpen, upstream.OutcomeTimeout,
		upstream.OutcomeUntrusted, upstream.OutcomeBroken, upstream.OutcomeUnreachable, upstream.OutcomeInternal,
	} {
		same(t, outcome, told(t, `"calls":["login:`+outcome+`:id"]`), counted("countersign_platform_call_duration_seconds_count", "outcome", outcome))
	}
	for key, more := range map[fault.Key][]string{fault.PlatformFailed: {"CountersignSignInsFailing"}, fault.SignInRefused: nil} {
		counts := counted("countersign_failures_total", "key", string(key))
		same(t, "a sign-in, "+string(key), told(t, `"route":"/users/:user/login","key":"`+string(key)+`"`), append(counts, more...))
	}
	same(t, "unknown words", told(t, `"untranslated":true`), []string{"CountersignUntranslatedRefusals"})
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s is explained by %q, and counted by %q", what, got, want)
	}
}

// told returns the alerts that the story of a request with those members names.
func told(t *testing.T, members string) (alerts []string) {
	t.Helper()
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	line := fmt.Sprintf(`{"msg":"request","id":"x","status":500,%s}`, members)
	source := explain.Source{Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(line)), nil }}
	if err := explain.Request(&out, bundle.For("en"), "x", []explain.Source{source}); err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(`docs/runbooks/(\w+)\.md`).FindAllStringSubmatch(out.String(), -1) {
		alerts = append(alerts, match[1])
	}
	return alerts
}
