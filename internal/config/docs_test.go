package config_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/config"
	identityapi "countersign/internal/identity/platform"
	signingapi "countersign/internal/signing/platform"
	verificationapi "countersign/internal/verification/platform"
)

var update = flag.Bool("update", false, "write the operations into docs/configuration.md")

const (
	document = "../../docs/configuration.md"
	heading  = "\n| operation | default | |\n|---|---|---|\n"
)

// The document lists every operation with the default path of the tables.
func TestTheDocumentListsTheOperations(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), heading)
	want := before + heading + operationRows()
	if found && *update {
		err = os.WriteFile(document, []byte(want), 0o600)
	}
	if err != nil || want != string(text) {
		t.Errorf("the operations of %s are not those of the tables; go test ./internal/config -run Operations -update writes them: %v", document, err)
	}
}

func operationRows() string {
	var b strings.Builder
	for _, api := range []struct {
		name  string
		paths []config.Path
	}{{"identity", identityapi.Paths()}, {"signing", signingapi.Paths()}, {"verification", verificationapi.Paths()}} {
		for _, p := range api.paths {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s, %s |\n", p.Operation, p.Default, api.name, strings.Join(p.Methods, " "))
		}
	}
	return b.String()
}

// documented returns the rows of docs/configuration.md: name, default, meaning.
func documented(t *testing.T) map[string][2]string {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][2]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(COUNTERSIGN_[^`]+)` \\| (.*) ?\\| (.+) \\|$").FindAllStringSubmatch(string(text), -1) {
		if _, twice := rows[row[1]]; twice {
			t.Errorf("%s is documented twice", row[1])
		}
		rows[row[1]] = [2]string{row[2], row[3]}
	}
	return rows
}

func TestEverySettingIsDocumented(t *testing.T) {
	rows := documented(t)
	for _, s := range mustLoad(t).Redacted() {
		row, ok := rows[s.Name]
		if !ok {
			t.Errorf("%s is missing from docs/configuration.md", s.Name)
			continue
		}
		delete(rows, s.Name)
		if s.Value != "" && !strings.HasPrefix(s.Value, "(") && !strings.HasPrefix(row[0], "`"+s.Value+"`") {
			t.Errorf("%s: the default is %q; docs/configuration.md says %q", s.Name, s.Value, row[0])
		}
	}
	for name := range rows {
		t.Errorf("docs/configuration.md describes %s, which is no setting", name)
	}
}

// mostSettings limits the settings that an operator has to read about.
const mostSettings = 113

func TestTheSettingsAreFewAndInOneTable(t *testing.T) {
	if n := len(mustLoad(t).Redacted()); n > mostSettings {
		t.Errorf("%d settings, at most %d", n, mostSettings)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "\n| setting | default | meaning |\n|---|---|---|\n")
	table, after, _ := strings.Cut(table, "\n\n")
	rows := strings.Count("\n"+table, "\n| `COUNTERSIGN_")
	if rows != len(documented(t)) || strings.Contains(after, "| setting | default | meaning |") {
		t.Errorf("%d of %d settings are in the one table", rows, len(documented(t)))
	}
}

func TestTheDocumentSaysWhatMayComeFromAFile(t *testing.T) {
	for name, row := range documented(t) {
		_, err := config.Load([]string{name + "_FILE=absent"}, os.ReadFile)
		known := err != nil // an unknown setting would be a warning
		if said := strings.HasPrefix(row[1], "**file**"); said != known {
			t.Errorf("%s_FILE is a setting: %t; docs/configuration.md says so: %t", name, known, said)
		}
	}
}

func TestTheDocumentsExampleIsComplete(t *testing.T) {
	certificate, key := pair(t)
	files := map[string]string{
		"redis-url": "redis://localhost", "session-keys": hexKey, "decoy-key": base64Key, "identity.crt": certificate, "identity.key": key,
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(string(text))[1]
	environ := regexp.MustCompile(`(?m)^COUNTERSIGN_[^ \n]+`).FindAllString(example, -1)
	c, err := config.Load(environ, func(name string) ([]byte, error) { return []byte(files[name[strings.LastIndex(name, "/")+1:]]), nil })
	if err != nil || len(c.Warnings) > 0 || !c.Production() {
		t.Errorf("the example of docs/configuration.md: %v, warnings %q", err, c.Warnings)
	}
}
