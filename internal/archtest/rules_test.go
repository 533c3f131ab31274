package archtest_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rule is one rule of the repository.
type rule struct {
	name string
	why  string
	// check returns the violations of the rule, each as "path:line: what".
	check func([]file) []string
	// breaks are repositories that break the rule once each; keeps comes close without
	// breaking it: pairs of name and text.
	breaks [][]string
	keeps  []string
}

var rules = []rule{
	{
		name:  "imports lead down the layers",
		why:   "a package that anybody imports, or that imports what lies above it, ends the layers",
		check: arrowsBack,
		breaks: [][]string{
			{"utils/a.go", "package utils"},
			{"internal/sandboxes/a.go", "package sandboxes"},
			{"session/a.go", "package session\n" + `import "countersign/web"`},
			{"internal/signing/a.go", "package signing\n" + `import "countersign/internal/signing/index"`},
			{"web/a.go", "package web\n" + `import "countersign/internal/sandbox/wire"`},
			{"internal/sandbox/a.go", "package sandbox\n" + `import "countersign/internal/fault"`},
		},
		keeps: []string{
			"web/a.go", "package web\n" + `import "countersign/session"`, "internal/sandbox/wire/a.go", "package wire\n" + `import "countersign/internal/uaf"`,
			"cmd/x/main.go", "package main\n" + `import "countersign/internal/sandbox"`,
			"internal/signing/index/a.go", "package index\n" + `import "countersign/internal/signing"`,
			"web/webtest/a.go", "package webtest", "utils/a_test.go", "package utils",
		},
	},
	{
		name:  "nothing for tests ships",
		why:   "a package whose name ends in test helps tests; what ships does without",
		check: importsForTests,
		breaks: [][]string{
			{"cmd/x/main.go", "package main\n" + `import "countersign/internal/redisdb/redistest"`},
			{"web/a.go", "package web\n" + `import "net/http/httptest"`},
			{"internal/conformance/a.go", "package conformance\n" + `import "testing"`},
		},
		keeps: []string{
			"web/a.go", "package web\n" + `import "countersign/web/openapi"`,
			"web/a_test.go", "package web\n" + `import "countersign/internal/redisdb/redistest"`,
			"session/sessiontest/a.go", "package sessiontest\n" + `import "countersign/internal/redisdb/redistest"`,
		},
	},
	{
		name:  "a library has the homes that are documented",
		why:   "a library's types become ours where everybody imports it; the table in " + architecture + " says who does",
		check: librariesElsewhere,
		breaks: [][]string{
			{architecture, "| x | `a.b/x` | `web` |", "web/a.go", "package web\n" + `import "a.b/x"`, "handlers/a.go", "package handlers\n" + `import "a.b/x/y"`},
			{architecture, "| x | `a.b/x` | `web`, `handlers` |", "web/a.go", "package web\n" + `import "a.b/x"`},
		},
		keeps: []string{
			architecture, "| x | `a.b/x` | `web`, `handlers` |",
			"web/a.go", "package web\n" + `import "a.b/x"`, "handlers/page/a.go", "package page\n" + `import "a.b/x/y"`,
			"session/a.go", "package session\n" + `import "a.b/xx"`, "session/a_test.go", "package session\n" + `import "a.b/x"`,
		},
	},
	{
		name:  "a document names files that are there",
		why:   "a reader opens each file that a document names",
		check: filesThatAreNotThere,
		breaks: [][]string{
			{"docs/a.md", "see `web/a.go` and `web/b.go`", "web/a.go", "package web"},
		},
		keeps: []string{"docs/a.md", "see `web/a.go` and `b.go`", "web/a.go", "package web"},
	},
	{
		name:  "a link of a document leads to a file and a heading",
		why:   "readers follow links; a page that moved takes its links along",
		check: deadLinks,
		breaks: [][]string{
			{"docs/a.md", "[b](b.md)"},
			{"docs/a.md", "[b](b/c.md#the-end)", "docs/b/c.md", "# The start"},
			{"docs/a.md", "# A\n[below](#b)"},
		},
		keeps: []string{
			"docs/a.md", "[b](b/c.md#the-end_1) [here](#own) [up](../README.md) [folder](b) [web](https://example.com/x.md#y) <a id=\"own\"></a>",
			"docs/b/c.md", "# A\n## The `end_1`!", "README.md", "# R",
		},
	},
	{
		name:   "a comment names documents that are there",
		why:    "a reader who looks up what a comment cites finds nothing else",
		check:  documentsThatAreNotThere,
		breaks: [][]string{{"web/a.go", "// Package web is docs/b.md's.\npackage web", "docs/a.md", "a"}, {"web/a.go", "package web // docs/a/b.md", "docs/a.md", "a"}},
		keeps:  []string{"web/a.go", "// Package web is docs/a.md's.\npackage web", "docs/a.md", "a", "web/a_test.go", "package web // docs/b.md"},
	},
	{
		name:  "nobody changes what a package exports",
		why:   "an exported variable is the same for all and anybody's to set; what does not change is a constant or a function's",
		check: exportedVariables,
		breaks: [][]string{
			{"web/a.go", "package web\nvar Limits = []int{1}"},
			{"web/a.go", "package web\nvar (\n\terrA = 1\n\tTimeout = 2\n)"},
		},
		keeps: []string{"web/a.go", "package web\nvar ErrGone = 1\nvar limits = 2\nconst Most = 3\nfunc F() { var In = 4; _ = In }", "web/webtest/a.go", "package webtest\nvar Keys = 1", "web/a_test.go", "package web\nvar A = 1"},
	},
	{
		name:  "no paths of one machine",
		why:   "what names a folder of the machine it was written on works there alone",
		check: func(files []file) []string { return matches(files, machinePaths) },
		breaks: [][]string{
			{"docs/a.md", "see /wo" + "rk/main"},
			{"Makefile", "all:\n\tcp x /ro" + "ot/x"},
			{"web/a.go", "package web // /fa" + "rm/x"},
			{"web/a.go", "package web // /tm" + "p/x"},
		},
		keeps: []string{"docs/a.md", "https://example.com/work and a/network/b"},
	},
	{
		name: "Redis is named by its commands",
		why:  "each package that names a client of go-redis, and not redis.Cmdable, compiles thousands of its methods again",
		check: func(files []file) []string {
			return matches(slices.DeleteFunc(slices.Clone(files), func(f file) bool { return strings.HasPrefix(f.path, "internal/redisdb/") }), clients)
		},
		breaks: [][]string{{"web/a.go", "package web\nvar c redis.Universal" + "Client"}, {"web/a_test.go", "package web\nvar c *redis." + "Client"}},
		keeps:  []string{"web/a.go", "package web\nvar c redis.Cmdable", "internal/redisdb/a.go", "package redisdb\nvar c redis.Universal" + "Client"},
	},
	{
		name:   "nothing left to do",
		why:    "a mark in the code is a task that nobody sees: do it, or write it down where tasks are kept",
		check:  func(files []file) []string { return matches(files, marks) },
		breaks: [][]string{{"web/a.go", "package web // TO" + "DO: later"}, {"static/app.js", "// FIX" + "ME"}},
		keeps:  []string{"web/a.go", "package web // MASTODON, to do"},
	},
	{
		name:   "a test is named by what it tests",
		why:    "TestSubject_Condition is found by its subject, and says what broke; a sentence is read to its end first",
		check:  func(files []file) []string { return matches(files, sentences) },
		breaks: [][]string{{"web/a_test.go", "package web\nfunc TestAPageThatIsSlow(t *testing.T) {}"}, {"web/a_test.go", "package web\nfunc TestWhatIsKept(t *testing.T) {}"}},
		keeps:  []string{"web/a_test.go", "package web\nfunc TestPage_Slow(t *testing.T) {}\nfunc TestAccount(t *testing.T) {}\nfunc TestAPIKey_WrongOrMissing(t *testing.T) {}\nfunc TestMain(m *testing.M) {}"},
	},
	{
		name: "plain words",
		why:  "documents, the OpenAPI document, English texts and code name who acts, in words of today",
		check: func(files []file) []string {
			return matches(slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !forReaders.MatchString(f.path) || f.path == glossary }), archaic)
		},
		breaks: [][]string{{"docs/a.md", "for Who" + "ever runs it"}, {"web/openapi/a.json", "begin a" + "new"}, {"internal/i18n/messages/en/a.json", "like" + "wise"}, {"internal/a.go", "package a // who" + "ever"}, {"web/a.go", "package web // the hou" + "se"}, {"web/a_test.go", "package web // who m" + "ay"}},
		keeps:  []string{"docs/a.md", "However, a renewal", "web/a.go", "package web // however, renewed", glossary, "| who" + "ever | the user |"},
	},
	{
		name:  "texts use the words of the glossary",
		why:   "a term that has two names is two terms to a reader",
		check: avoidedWords,
		breaks: [][]string{
			{"docs/glossary.md", "## Words to avoid\n| no" + "body | no one |", "docs/integrate/a.md", "No" + "body signs"},
			{"docs/glossary.md", "## Words to avoid\n| of its " + "own | own |", "docs/sandbox/a.md", "a key of its\nown"},
			{"docs/glossary.md", "## Words to avoid\n| stran" + "ger | another user |", "web/openapi/a.json", "for stran" + "gers"},
			{"docs/glossary.md", "## Words to avoid\n| no" + "body | no one |", "docs/a.md", "No" + "body signs"},
			{"docs/glossary.md", "## Words to avoid\n| no" + "body | no one |", "internal/i18n/messages/en/a.json", `"page.a": "No` + `body"`},
			{"docs/glossary.md", "## Words to avoid\n| front " + "end | reverse proxy |", "deploy/a.yaml", "# the front " + "end"},
			{"docs/glossary.md", "## Words to avoid\n| who" + "m | name the person |", "web/a.go", "package web // for who" + "m"},
			{"docs/glossary.md", "## Words to avoid\n| who" + "m | name the person |", "docs/a.md", "it st" + "ands on this"},
		},
		keeps: []string{
			"docs/glossary.md", "| node | one |\n## Words to avoid\n| no" + "body | no one |\n| who" + "m | name |", "docs/a.md", "a `no" + "body`",
			"docs/integrate/a.md", "a node\n```\nno" + "body\n```", "internal/i18n/messages/en/a.json", `"page.no` + `body": "No one"`,
			"templates/a.html", `{{.T "page.no` + `body"}}`, "web/a.go", "package web // no" + "body", "web/a_test.go", "package web // who" + "m",
		},
	},
	{
		name:   "a page of the documents is linked",
		why:    "readers find a page from another one, docs/README.md first",
		check:  lonelyPages,
		breaks: [][]string{{"docs/a.md", "[itself](a.md)"}, {"docs/b/c.md", "c", "docs/b/d.md", "[c](../../docs/b/c.md)"}},
		keeps:  []string{"README.md", "[docs](docs/README.md)", "docs/README.md", "[a](a.md#x) [b](b)", "docs/a.md", "# X", "docs/b/c.md", "c"},
	},
	{
		name:   "a page of the documents is short",
		why:    "a reader with one task reads one page; a longer one has more than one job",
		check:  longPages,
		breaks: [][]string{{"docs/operate/a.md", strings.Repeat("a", pageBytes+1)}, {"docs/integrate/b/a.md", strings.Repeat("a", pageBytes+1)}},
		keeps:  []string{"docs/operate/a.md", strings.Repeat("a", pageBytes), "docs/errors.md", strings.Repeat("a", pageBytes+1)},
	},
	{
		name:  "the changelog has a line for each change",
		why:   "readers and tools expect the form of Keep a Changelog, and short lines",
		check: otherChanges,
		breaks: [][]string{
			{"CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n### Improved\n"},
			{"CHANGELOG.md", "# Changelog\n\n## Soon\n"},
			{"CHANGELOG.md", "## [1.0.0] - 2030-01-02\n\n### Fixed\n\n- A change\n  of two lines.\n"},
			{"CHANGELOG.md", "## [Unreleased]\n- " + strings.Repeat("ä", 119)},
		},
		keeps: []string{"CHANGELOG.md", "# Changelog\n\nThe form.\n\n## [Unreleased]\n\n### Security\n\n- " + strings.Repeat("ä", 118) + "\n\n## [1.0.0] - 2030-01-02\n"},
	},
	{
		name:  "a guide has short sentences",
		why:   "most readers learned English late, and read once",
		check: longSentences,
		breaks: [][]string{
			{"docs/integrate/a.md", "# A\n\n" + strings.Repeat("a ", 20) + "\n" + strings.Repeat("a ", 6)},
			{"docs/sandbox/a.md", "- short.\n- " + strings.Repeat("a ", 26) + ". And."},
		},
		keeps: []string{
			"docs/integrate/a.md", strings.Repeat("a ", 20) + ": " + strings.Repeat("a ", 20) + "\n- " + strings.Repeat("a ", 20) + "\n| " + strings.Repeat("a ", 20) + " | " + strings.Repeat("a ", 20) + " |",
			"docs/sandbox/a.md", "`" + strings.Repeat("a ", 40) + "` a\n```\n" + strings.Repeat("a ", 40) + "\n```", "docs/a.md", strings.Repeat("a ", 40),
		},
	},
	{
		name:   "the top level is the customer's",
		why:    "the first listing is the map of the repository; what is ours alone lives under internal",
		check:  unlistedAtTheTop,
		breaks: [][]string{{"pkg/a/a.go", "package a", "pkg/b/b.go", "package b"}, {"main.go", "package main"}},
		keeps:  []string{"web/a.go", "package web", "internal/pkg/a.go", "package a", ".ci/run", "make test"},
	},
}

func TestRepository_KeepsRules(t *testing.T) {
	files := repository(t)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, finding := range r.check(files) {
				t.Errorf("%s\n\trule: %s\n\twhy:  %s", finding, r.name, r.why)
			}
		})
	}
}

func TestRules_EachCanFail(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if r.why == "" || len(r.breaks) == 0 || len(r.keeps) == 0 {
				t.Fatal("a rule has its reason, examples that break it and one that keeps it")
			}
			for _, example := range r.breaks {
				if found := r.check(files(example)); len(found) != 1 {
					t.Errorf("%q breaks it once, found: %q", example, found)
				}
			}
			kept := append(files(r.keeps), newFile("out.log", "a stray file", false))
			if found := r.check(kept); len(found) != 0 {
				t.Errorf("the example that keeps it is refused: %q", found)
			}
		})
	}
}

// files makes a repository of pairs of name and text.
func files(pairs []string) []file {
	var all []file
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, newFile(pair[0], pair[1], true))
	}
	return all
}

// namedFile is a Go file with its folder, in a document.
var namedFile = regexp.MustCompile("`([a-z0-9_]+(?:/[a-z0-9_]+)+\\.go)`")

func filesThatAreNotThere(files []file) []string {
	there := map[string]bool{}
	for _, f := range files {
		there[f.path] = true
	}
	var found []string
	for _, f := range files {
		if !strings.HasSuffix(f.path, ".md") {
			continue
		}
		for _, match := range namedFile.FindAllStringSubmatchIndex(f.text, -1) {
			if name := f.text[match[2]:match[3]]; !there[name] {
				found = append(found, fmt.Sprintf("%s:%d: there is no %s", f.path, 1+strings.Count(f.text[:match[0]], "\n"), name))
			}
		}
	}
	return found
}

// namedDocument is one of our documents in Go code.
var namedDocument = regexp.MustCompile(`\bdocs(/[a-z0-9-]+)+\.md\b`)

func documentsThatAreNotThere(files []file) []string {
	there := map[string]bool{}
	for _, f := range files {
		there[f.path] = true
	}
	var found []string
	for _, f := range files {
		if !f.ships() {
			continue
		}
		for _, match := range namedDocument.FindAllStringIndex(f.text, -1) {
			if name := f.text[match[0]:match[1]]; !there[name] {
				found = append(found, fmt.Sprintf("%s:%d: there is no %s", f.path, 1+strings.Count(f.text[:match[0]], "\n"), name))
			}
		}
	}
	return found
}

// exportedVariables are the exported variables of packages, except errors, which callers
// compare with.
func exportedVariables(files []file) []string {
	var found []string
	for _, f := range files {
		if !f.ships() {
			continue
		}
		tokens := token.NewFileSet()
		syntax, err := parser.ParseFile(tokens, f.path, f.text, parser.SkipObjectResolution)
		if err != nil {
			continue // the compiler reports it better
		}
		for _, d := range syntax.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok || vars.Tok != token.VAR {
				continue
			}
			for _, spec := range vars.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if name.IsExported() && !strings.HasPrefix(name.Name, "Err") {
						found = append(found, fmt.Sprintf("%s:%d: %s", f.path, tokens.Position(name.Pos()).Line, name.Name))
					}
				}
			}
		}
	}
	return found
}

func importsForTests(files []file) []string {
	var found []string
	for _, f := range files {
		if !f.ships() {
			continue
		}
		specs, tokens := f.imports()
		for _, spec := range specs {
			if forTests(strings.Trim(spec.Path.Value, `"`)) {
				found = append(found, fmt.Sprintf("%s:%d: %s", f.path, tokens.Position(spec.Pos()).Line, spec.Path.Value))
			}
		}
	}
	return found
}

// sought is a pattern that no line may match. Every match contains one of the words:
// searching for a word first is far cheaper than matching every line of all files.
type sought struct {
	words   []string
	pattern *regexp.Regexp
}

// They are written so that they do not match themselves.
var (
	machinePaths = sought{
		[]string{"/wo" + "rk/", "/ro" + "ot/", "/fa" + "rm/", "/tm" + "p/"},
		regexp.MustCompile(`(^|[^a-zA-Z0-9.])/(w[o]rk|r[o]ot|f[a]rm|t[m]p)/`),
	}
	archaic = sought{
		[]string{"hoe" + "ver", "home" + "ver", "ane" + "w", "ikew" + "ise", "ho ma" + "y", "n place o" + "f", "tran" + "ger", "hous" + "e", "Hous" + "e", "doo" + "r", "Doo" + "r", "iddl" + "e"},
		regexp.MustCompile(`\b([Ww]ho(e|me)ver|[Aa]new|[Ll]ikewise|[Ww]ho may|[Ii]n place of|[Ss]trangers?|[Hh]ouse|[Dd]oors?|[Rr]iddles?)\b`),
	}
	forReaders = regexp.MustCompile(`^(docs/.*|README|CONTRIBUTING|SECURITY)\.md$|^docs/|^web/openapi/.*\.json$|^internal/i18n/messages/en/|^deploy/|^\.ci/|^Makefile$|\.(go|html|js)$`)
	clients    = sought{[]string{"redis."}, regexp.MustCompile(`(^|[^.\w])redis\.(Universal|Cluster|)C[l]ient\b`)}
	marks      = sought{[]string{"TO" + "DO", "FIX" + "ME"}, regexp.MustCompile(`\b(T[O]DO|F[I]XME)\b`)}
	sentences  = sought{[]string{"func Test"}, regexp.MustCompile(`^func Test(An?|The|What|Who|Nobody|Nothing|Where|That|How)[A-Z][a-z]\w*`)}
)

func (s sought) in(text string) bool {
	return slices.ContainsFunc(s.words, func(word string) bool { return strings.Contains(text, word) })
}

func matches(files []file, s sought) []string {
	var found []string
	for _, f := range files {
		if f.path == "go.sum" || !s.in(f.text) {
			continue
		}
		for i, line := range strings.Split(f.text, "\n") {
			if match := s.pattern.FindString(line); match != "" {
				found = append(found, fmt.Sprintf("%s:%d: %s", f.path, i+1, strings.TrimSpace(match)))
			}
		}
	}
	return found
}

// pageBytes limits a page of the folders of docs. Beside them are references, which tests write
// or compare.
const pageBytes = 8 << 10

func longPages(files []file) []string {
	var found []string
	for _, f := range files {
		if strings.HasPrefix(f.path, "docs/") && strings.Count(f.path, "/") > 1 && strings.HasSuffix(f.path, ".md") && len(f.text) > pageBytes {
			found = append(found, fmt.Sprintf("%s:1: %d bytes, at most %d", f.path, len(f.text), pageBytes))
		}
	}
	return found
}

var changeLine = regexp.MustCompile(`^(## \[Unreleased\]|## \[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d|### (Added|Changed|Deprecated|Removed|Fixed|Security)|- .{1,118}|)$`)

// otherChanges returns the lines of the changelog, after its introduction, that are neither a
// heading nor a change on one line.
func otherChanges(files []file) []string {
	var found []string
	for _, f := range files {
		if f.path != "CHANGELOG.md" {
			continue
		}
		begun := false
		for i, line := range strings.Split(f.text, "\n") {
			begun = begun || strings.HasPrefix(line, "## ")
			if begun && !changeLine.MatchString(line) {
				found = append(found, fmt.Sprintf("%s:%d: %s", f.path, i+1, line))
			}
		}
	}
	return found
}

func unlistedAtTheTop(files []file) []string {
	allowed := strings.Fields(`cmd web handlers session signingproxy static templates Dockerfile go.mod go.sum
		internal docs examples README.md Makefile compose.yaml .ci LICENSE CONTRIBUTING.md CHANGELOG.md SECURITY.md deploy .gitignore .dockerignore .editorconfig .github .golangci.yml`)
	var found, seen []string
	for _, f := range files {
		entry, _, _ := strings.Cut(f.path, "/")
		if f.tracked && !slices.Contains(allowed, entry) && !slices.Contains(seen, entry) {
			found, seen = append(found, f.path+":1: "+entry+" does not belong at the top level"), append(seen, entry)
		}
	}
	return found
}
