package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// The lines of each page work as they stand, in their order, after those of the page of API
// clients, against a fresh Countersign without settings.
func TestIntegrationGuides_CommandsWork(t *testing.T) {
	const first = "../../../docs/integrate/api-clients.md"
	pages, err := filepath.Glob("../../../docs/integrate/*.md")
	if err != nil {
		t.Fatal(err)
	}
	read, commands := 0, 0
	for _, page := range pages {
		elsewhere := []string{"spa.md", "identity-checks.md"} // no requests; another test's
		if slices.Contains(elsewhere, filepath.Base(page)) || !e2etest.HasExamples(text(t, page)) {
			continue
		}
		read++
		t.Run(filepath.Base(page), func(t *testing.T) {
			app := e2etest.Boot(t)
			shell, typist := newShell(t, app.URL()), e2etest.NewTypist(t, app, nil)
			typist.Authenticator = func(arguments ...string) string {
				commands++
				return shell.authenticator(arguments[0], arguments[1:]...).exits(0).out
			}
			typist.Reads(text(t, first))
			if page != first {
				typist.Reads(text(t, page))
			}
		})
	}
	if read < 5 || commands < 7 {
		t.Errorf("%d pages were read, countersign authenticator was run %d times", read, commands)
	}
}

// The script's lines work as they stand, in their order.
func TestPushScript_CommandsWork(t *testing.T) {
	e2etest.NewTypist(t, e2etest.Boot(t), nil).Runs(text(t, "../../../examples/push.sh"))
}

func text(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A late answer to a request with an earlier token takes no newer one away: the samples
// compare before they forget.
func TestSamples_LateResponseKeepsNewToken(t *testing.T) {
	forgets := regexp.MustCompile(`vault\.token = (null|nil)`)
	compares := regexp.MustCompile(`if \(?vault\.token == sent\)? \{? ?vault\.token = (null|nil)`)
	for _, sample := range []string{"android/Countersign.kt", "ios/Countersign.swift"} {
		code := text(t, "../../../examples/"+sample)
		if all, compared := forgets.FindAllString(code, -1), compares.FindAllString(code, -1); len(compared) != 1 || len(all) != 1 {
			t.Errorf("%s: %d of %d lines compare, want the only one", sample, len(compared), len(all))
		}
	}
}
