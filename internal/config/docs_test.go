package config_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/config"
	identityapi "countersign/internal/identity/platform"
	signingapi "countersign/internal/signing/platform"
	verificationapi "countersign/internal/verification/platform"
)

var update = flag.Bool("update", false, "write the settings and the operations into docs/configuration.md")

const (
	document       = "../../docs/configuration.md"
	reference      = "\n## Reference\n\n"
	pathsHeading   = "\n## Paths of the platform\n"
	operationTable = "\n| operation | default | |\n|---|---|---|\n"
)

// The document has every setting as its comment in the code describes it, and every operation
// with the default path of the tables.
func TestDocument_HasSettingsAndOperations(t *testing.T) {
	text := read(t, document)
	before, rest, _ := strings.Cut(text, reference)
	_, after, _ := strings.Cut(rest, pathsHeading)
	after, _, found := strings.Cut(after, operationTable)
	if !found {
		t.Fatalf("%s has other headings", document)
	}
	want := before + reference + settingEntries(t) + pathsHeading + after + operationTable + operationRows()
	if want == text {
		return
	}
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("%s is not what the code says; go test ./internal/config -run Document_Has -update writes it", document)
}

func operationRows() string {
	var b strings.Builder
	for _, api := range []struct {
		name  string
		paths []config.Path
	}{{"identity", identityapi.Paths()}, {"signing", signingapi.Paths()}, {"verification", verificationapi.Paths()}} {
		for _, p := range api.paths {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s, %s |\n", p.Operation, p.Default, api.name, strings.Join(slices.Compact(slices.Clone(p.Methods)), " "))
		}
	}
	return b.String()
}

func settingEntries(t *testing.T) string {
	all := documented(t)
	slices.SortFunc(all, func(a, b described) int { return strings.Compare(a.name, b.name) })
	var b strings.Builder
	for i, s := range all {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\n%s\n", s.name, s.sentence, s.facts(t))
		if s.more != "" {
			fmt.Fprintf(&b, "\n%s\n", s.more)
		}
	}
	return b.String()
}

// facts returns the line of a setting with its type, default and example.
func (s described) facts(t *testing.T) string {
	file := readsFile(s.name)
	facts := []string{s.kind()}
	if file {
		facts = append(facts, "[file](#files)")
	}
	if s.standard != "" {
		facts = append(facts, "default: "+s.standard)
	}
	if s.required != "" {
		facts = append(facts, "required: "+s.required)
	}
	example := s.name + "=" + s.example
	if file && strings.HasPrefix(s.example, "/") {
		example = s.name + "_FILE=" + s.example
	}
	if s.example == "" {
		t.Errorf("%s has no example", s.name)
	}
	return strings.Join(append(facts, "example: `"+example+"`"), " · ")
}

// readsFile reports whether the setting may come from a file.
func readsFile(name string) bool {
	_, err := config.Load([]string{name + "_FILE=absent"}, os.ReadFile)
	return err != nil // an unknown setting would be a warning
}

// mostSettings limits the settings that an operator has to read about.
const mostSettings = 120

// Every setting has one sentence, and a default that is documented by hand begins with the
// effective one.
func TestSettings_Described(t *testing.T) {
	settings := mustLoad(t).Redacted()
	if n := len(settings); n > mostSettings {
		t.Errorf("%d settings, at most %d", n, mostSettings)
	}
	all := map[string]described{}
	for _, s := range documented(t) {
		all[s.name] = s
	}
	for _, s := range settings {
		d, known := all[s.Name]
		if !known || !regexp.MustCompile("^[A-Z`].{10,}\\.$").MatchString(d.sentence) || regexp.MustCompile("[.] [A-Z`\\[]").MatchString(d.sentence) {
			t.Errorf("%s: its comment makes the sentence %q", s.Name, d.sentence)
		}
		if s.Value != "" && !strings.HasPrefix(s.Value, "(") && !strings.HasPrefix(d.standard, "`"+s.Value+"`") {
			t.Errorf("%s: the default is %q; its comment says %q", s.Name, s.Value, d.standard)
		}
	}
	if len(all) != len(settings) {
		t.Errorf("%d settings are described, %d exist", len(all), len(settings))
	}
}

// The examples of all settings are valid: with the platform, and with the sandbox.
func TestDocs_SettingExamplesValid(t *testing.T) {
	operations := slices.Concat(identityapi.Paths(), signingapi.Paths(), verificationapi.Paths())
	for name, without := range map[string]func(string) bool{
		"a platform": func(name string) bool {
			return strings.HasPrefix(name, "SANDBOX") || strings.HasPrefix(name, "SIGNING_OAUTH")
		},
		"a platform with OAuth": func(name string) bool {
			return strings.HasPrefix(name, "SANDBOX") || name == "SIGNING_API_KEY"
		},
		"the sandbox": func(name string) bool { return !strings.HasPrefix(name, "SANDBOX") },
	} {
		t.Run(name, func(t *testing.T) {
			var environ []string
			for _, s := range documented(t) {
				if without(strings.TrimPrefix(s.name, config.Prefix)) {
					continue
				}
				variable := s.name
				if readsFile(s.name) && strings.HasPrefix(s.example, "/") {
					variable += "_FILE"
				}
				environ = append(environ, variable+"="+s.example)
			}
			c, err := config.Load(environ, exampleFiles(t), operations...)
			if err != nil || slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.Contains(w, "unknown") }) {
				t.Errorf("%v, warnings %q", err, c.Warnings)
			}
		})
	}
}

// exampleFiles returns a reader of the files that examples name.
func exampleFiles(t *testing.T) func(string) ([]byte, error) {
	certificate, key := pair(t)
	return func(name string) ([]byte, error) {
		switch base := name[strings.LastIndex(name, "/")+1:]; {
		case strings.HasSuffix(base, ".crt"):
			return []byte(certificate), nil
		case strings.HasSuffix(base, ".key"):
			return []byte(key), nil
		case strings.HasSuffix(base, "-keys") || base == "decoy-key":
			return []byte(hexKey), nil
		case strings.HasSuffix(base, ".yaml"):
			return []byte("login: /users/{user}/sign-in"), nil
		case strings.HasSuffix(base, ".json"):
			return []byte("[]"), nil
		default:
			return []byte("text"), nil
		}
	}
}

// The first example of the page has the settings of production, without a warning.
func TestDocs_ProductionExampleComplete(t *testing.T) {
	example := regexp.MustCompile("(?s)```sh\n(.*?)```").FindStringSubmatch(read(t, document))[1]
	environ := regexp.MustCompile(`COUNTERSIGN_[A-Z_]+=[^ \n]+`).FindAllString(example, -1)
	files := exampleFiles(t)
	c, err := config.Load(environ, func(name string) ([]byte, error) {
		if strings.HasSuffix(name, "/redis-url") {
			return []byte("redis://localhost"), nil
		}
		return files(name)
	})
	if err != nil || len(c.Warnings) > 0 || !c.Production() || len(environ) < 8 {
		t.Errorf("the example: %v, warnings %q", err, c.Warnings)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
