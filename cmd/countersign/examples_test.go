package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"countersign/internal/e2e/e2etest"
)

// example returns the code below a heading of docs/testing.md, by its language.
func example(t *testing.T, heading, language string) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/testing.md")
	if err != nil {
		t.Fatal(err)
	}
	_, below, found := strings.Cut(string(text), "\n## "+heading+"\n")
	below, _, _ = strings.Cut(below, "\n## ")
	_, code, also := strings.Cut(below, "```"+language+"\n")
	if !found || !also {
		t.Fatalf("docs/testing.md has no %s below %s", language, heading)
	}
	code, _, _ = strings.Cut(code, "```")
	return code
}

// named makes a folder in which the program is found as countersign, and the seed of the
// examples as every example names it.
func named(t *testing.T) (folder string, environ []string) {
	t.Helper()
	folder = t.TempDir()
	seed, err := os.ReadFile("../../examples/seed.yaml")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Symlink(self, filepath.Join(folder, "countersign")), os.Mkdir(filepath.Join(folder, "testdata"), 0o755),
		os.WriteFile(filepath.Join(folder, "testdata/seed.yaml"), seed, 0o600), os.WriteFile(filepath.Join(folder, "seed.yaml"), seed, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return folder, append(slices.Clone(program.Environ), "PATH="+folder+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// The example for go test is compiled, and starts the sandbox.
func TestExamples_GoTest(t *testing.T) {
	folder, environ := named(t)
	code := "package example\n\nimport (\n\t\"net/http\"\n\t\"os\"\n\t\"os/exec\"\n\t\"path/filepath\"\n\t\"strings\"\n\t\"testing\"\n\t\"time\"\n)\n\n" +
		"func TestIt(t *testing.T) {\n" + example(t, "go test", "go") + `
	response, err := http.Post(url+"/_manage/reset", "", nil)
	if err != nil || response.StatusCode != http.StatusNoContent {
		t.Errorf("%+v %v", response, err)
	}
}
`
	for name, text := range map[string]string{"go.mod": "module example\n\ngo 1.26\n", "example_test.go": code} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-count=1", ".")
	command.Dir, command.Env = folder, append(os.Environ(), environ...)
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// The example for Android is run, and the emulator's name for its host is known.
func TestExamples_Android(t *testing.T) {
	folder, environ := named(t)
	shell := e2etest.Binary{Path: "/bin/sh", Args: []string{"-c", "cd " + folder + " && exec env " + example(t, "Android emulator", "sh")}, Environ: append(environ, "APK_KEY_HASH="+strings.Repeat("A", 43))}
	p := sandbox{shell.Start(t, "", "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0")}
	p.answers("10.0.2.2:8081", "/users/alice@sandbox")
	p.answers("10.0.2.2:8081", "/_manage/journal")
}

// The containers of the examples are started with arguments and settings that the program
// takes, and it answers as the example says it is asked.
func TestExamples_Containers(t *testing.T) {
	arguments := regexp.MustCompile(`(?m)(?:command: |WithCmd\(|withCommand\(|with_command\()(.+)$`)
	setting := regexp.MustCompile(`(COUNTERSIGN_\w+)"?[:,] "?([\w:-]+)`)
	for _, tc := range []struct{ heading, language, host string }{
		{"Docker Compose", "yaml", "sandbox:8081"}, {"Docker Compose", "yaml", "localhost:8081"}, {"CI service", "yaml", "sandbox:8081"},
		{"Testcontainers", "go", "localhost:32768"}, {"Testcontainers", "java", "localhost:32768"}, {"Testcontainers", "js", "localhost:32768"}, {"Testcontainers", "python", "localhost:32768"},
	} {
		t.Run(tc.heading+" "+tc.language+" "+tc.host, func(t *testing.T) {
			code := example(t, tc.heading, tc.language)
			found := arguments.FindStringSubmatch(code)
			if found == nil {
				t.Fatalf("no arguments in\n%s", code)
			}
			given := strings.Join(regexp.MustCompile(`"[^"]*"|[\w./-]+`).FindAllString(found[1], -1), " ")
			given = strings.NewReplacer(`"`, "", "/seed.yaml", "../../examples/seed.yaml").Replace(given)
			settings := []string{}
			for _, one := range setting.FindAllStringSubmatch(code, -1) {
				settings = append(settings, one[1]+"="+strings.Replace(one[2], ":8081", "127.0.0.1:0", 1))
			}
			if !slices.Contains(settings, "COUNTERSIGN_SANDBOX_ADDR=127.0.0.1:0") || !slices.Contains(settings, "COUNTERSIGN_SANDBOX_MANAGE_KEY=test-key") {
				t.Fatalf("the settings are %q", settings)
			}
			sandbox{program.Start(t, given, settings...)}.answers(tc.host, "/users/alice@sandbox")
		})
	}
}

type sandbox struct{ *e2etest.Process }

// answers checks that the sandbox answers under that name.
func (p sandbox) answers(host, path string) {
	p.T.Helper()
	request, err := http.NewRequestWithContext(p.T.Context(), http.MethodGet, p.Sandbox+path, nil)
	if err != nil {
		p.T.Fatal(err)
	}
	request.Host = host
	if got := e2etest.Plain(p.T).Do(request).Status; got != http.StatusOK {
		p.T.Errorf("as %s: %d", host, got)
	}
}
