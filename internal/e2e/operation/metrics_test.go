package operation_test

import (
	"crypto/x509"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/certtest"
	"countersign/internal/e2e/e2etest"
)

// metrics are the labels of every metric that Prometheus would have of a program, by
// name. The first entry of a metric of the program is "type" and its type.
type metrics map[string][]string

// scrape boots the program as it ships, makes one request of each kind, and reads its
// metrics from the admin address.
func scrape(t *testing.T) metrics {
	t.Helper()
	operators := filepath.Join(t.TempDir(), "operators")
	if err := os.WriteFile(operators, []byte("carol@sandbox\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	certificate, _ := certtest.Pair(t, x509.Certificate{NotAfter: time.Now().Add(time.Hour)})
	app := e2etest.Boot(t, "OPERATORS_FILE="+operators, "IDENTITY_CA="+certificate)
	traffic(t, app)
	found := metrics{"up": nil} // Prometheus adds it
	declared := regexp.MustCompile(`^# TYPE (\w+) (\w+)`)
	series := regexp.MustCompile(`^(\w+?)(?:_bucket|_count|_sum)?(?:\{(.*)\})? [^ ]+$`)
	label := regexp.MustCompile(`(\w+)="(?:[^"\\]|\\.)*"`)
	name := ""
	for line := range strings.Lines(string(e2etest.Asked(t, app, "/metrics").Want(http.StatusOK).Body)) {
		line = strings.TrimSuffix(line, "\n")
		if match := declared.FindStringSubmatch(line); match != nil {
			name = match[1]
			found[name] = []string{"type " + match[2]}
		}
		if match := series.FindStringSubmatch(line); match != nil && strings.HasPrefix(match[0], name) {
			for _, one := range label.FindAllStringSubmatch(match[2], -1) {
				if !slices.Contains(found[name], one[1]) {
					found[name] = append(found[name], one[1])
				}
			}
		}
	}
	return found
}

// traffic signs in, registers, makes a package and provokes a refusal of the platform
// with an unknown text.
func traffic(t *testing.T, app *e2etest.App) {
	t.Helper()
	alice := e2etest.Program(t, app).SignedIn("alice@sandbox")
	alice.Register(e2etest.NewPasskey(app))
	alice.Send("POST", "/api/packages", map[string]any{"name": "Lease"}).Want(http.StatusOK)
	e2etest.Eventually(t, "the index is whole", func() bool {
		return alice.Send("GET", "/api/packages?mine=owner", nil).Status == http.StatusOK
	})
	e2etest.WrongPassword(e2etest.Program(t, app), "alice@sandbox").Refused(http.StatusConflict, "sign-in.refused")
	e2etest.Fails(t, app, "generateFidoRegistrationRequest", "The moon is full")
	alice.RequestRegistration().Want(http.StatusConflict)
}

// The running program has every metric that a document, an alert or the dashboard names,
// and docs/metrics.md describes all of its own, with their types.
func TestMetrics_NamedOnesExist(t *testing.T) {
	have := scrape(t)
	ours := regexp.MustCompile(`countersign_[a-z_]*[a-z]`)
	suffixed := regexp.MustCompile(`_(bucket|count|sum)$`)
	settings := regexp.MustCompile(`#countersign_[a-z_]+`) // anchors
	named := 0
	for _, root := range []string{"../../../docs", "../../../deploy", "../../../README.md", "../../../CHANGELOG.md"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			for _, name := range ours.FindAllString(settings.ReplaceAllString(string(text), ""), -1) {
				named++
				if _, ok := have[name]; !ok && have[suffixed.ReplaceAllString(name, "")] == nil {
					t.Errorf("%s names %s, which the program does not have", path, name)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if named < 100 {
		t.Errorf("only %d names were found", named)
	}
	described := read(t, "../docs/metrics.md")
	for name, labels := range have {
		if ours.MatchString(name) && !strings.Contains(described, "| `"+name+"` | "+strings.TrimPrefix(labels[0], "type ")+" |") {
			t.Errorf("docs/metrics.md does not describe %s (%s)", name, labels[0])
		}
	}
}
