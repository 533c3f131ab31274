package archtest_test

import (
	"go/ast"
	"path"
	"slices"
	"strconv"
	"strings"
)

var processOnlyInCmd = rule{
	name: "the process belongs to cmd",
	why: "what reads the environment, ends the process or runs before main cannot be tested or used twice; settings come " +
		"in as values and failures go out as errors",
	check: func(files []file) []string {
		var found []string
		for _, f := range files {
			if !f.program() || f.in("cmd") {
				continue
			}
			for _, use := range uses(f) {
				if slices.Contains([]string{
					"os.Getenv", "os.LookupEnv", "os.Environ", "os.ExpandEnv", "os.Setenv", "os.Exit", "os.Args",
					"log.Fatal", "log.Fatalf", "log.Fatalln", "syscall.Exit", "syscall.Getenv",
				}, use.name) {
					found = append(found, finding(f, use.line, "%s outside cmd", use.name))
				}
			}
			for _, d := range f.syntax.Decls {
				if function, ok := d.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "init" {
					found = append(found, finding(f, f.line(d.Pos()), "func init outside cmd"))
				}
			}
		}
		return found
	},
	breaks: [][]file{
		example("web/a.go", `package web; import "os"; var x = os.Getenv("X")`),
		example("web/a.go", `package web; import system "os"; func x() { system.Exit(1) }`),
		example("web/a.go", `package web; import "os"; var x = f(os.LookupEnv)`),
		example("web/a.go", `package web; import "log"; func x() { log.Fatalf("x") }`),
		example("web/a.go", `package web; func init() {}`),
	},
	keeps: example(
		"cmd/countersign/main.go", `package main; import "os"; func init() {}; func main() { os.Exit(1) }`,
		"web/a.go", `package web; import "os"; type t struct{}; func (t) init() {}; var x = os.ReadFile; func f(log t) { log.Fatal() }`,
		"web/a_test.go", `package web; import "os"; var x = os.Getenv("X")`,
	),
}

var clockIsPassedIn = rule{
	name: "the clock is passed in",
	why:  "what asks the machine for the time can only be tested by waiting; cmd hands time.Now down, tests hand down a clock they move",
	check: func(files []file) []string {
		return refuse(files, func(f file) bool { return f.program() && !f.in("cmd") }, "time.Now", "time.Since", "time.Until")
	},
	breaks: [][]file{
		example("session/a.go", `package session; import "time"; var started = time.Now()`),
		example("session/a.go", `package session; import "time"; var clock = time.Now`),
		example("session/a.go", `package session; import "time"; func age(at time.Time) time.Duration { return time.Since(at) }`),
	},
	keeps: example(
		"cmd/countersign/a.go", `package main; import "time"; var clock = time.Now`,
		"session/a.go", `package session; import "time"; type o struct { Now func() time.Time }; func f(time o) { time.Now() }`,
		"session/a_test.go", `package session; import "time"; var started = time.Now()`,
	),
}

var noSleepInTests = rule{
	name: "no sleep in tests",
	why:  "a sleep is too short on a slow machine and too long on any other: wait for a condition, or move the clock",
	check: func(files []file) []string {
		return refuse(files, func(f file) bool { return f.isGo() && f.isTest() }, "time.Sleep")
	},
	breaks: [][]file{
		example("web/a_test.go", `package web; import "time"; func x() { time.Sleep(1) }`),
		example("web/a_test.go", `package web; import "time"; var pause = time.Sleep`),
	},
	keeps: example("web/a_test.go", `package web; import "time"; func x() { <-time.After(1) }`),
}

var noSkippedTests = rule{
	name: "no skipped tests",
	why: "a skipped test is a hole that looks like a wall; the only ones allowed need a program that may be absent, " +
		"chromium or redis-server, and their message names it",
	check: func(files []file) []string {
		var found []string
		for _, f := range files {
			if !f.isGo() {
				continue
			}
			ast.Inspect(f.syntax, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && skips(call) {
					found = append(found, finding(f, f.line(call.Pos()), "a test is skipped"))
				}
				return true
			})
		}
		return found
	},
	breaks: [][]file{
		example("web/a_test.go", `package web; func TestX(t *testing.T) { t.Skip() }`),
		example("web/a_test.go", `package web; func TestX(t *testing.T) { t.SkipNow() }`),
		example("web/a_test.go", `package web; func TestX(t *testing.T) { t.Skipf("%s is slow", "redis-server") }`),
		example("web/webtest.go", `package web; func need(t testing.TB) { t.Skip("not today") }`),
	},
	keeps: example("web/a_test.go", "package web; func TestX(t *testing.T) { t.Skip(`redis-server is not installed`); t.Skipf(\"no chromium: %v\", err) }"),
}

// skips reports whether call skips a test for another reason than a program
// that is absent.
func skips(call *ast.CallExpr) bool {
	selector, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, selector.Sel.Name) {
		return false
	}
	if len(call.Args) == 0 {
		return true
	}
	literal, ok := call.Args[0].(*ast.BasicLit)
	return !ok || !strings.Contains(literal.Value, "redis-server") && !strings.Contains(literal.Value, "chromium")
}

// refuse finds the uses of names in the files that are concerned.
func refuse(files []file, concerned func(file) bool, names ...string) []string {
	var found []string
	for _, f := range files {
		if !concerned(f) {
			continue
		}
		for _, use := range uses(f) {
			if slices.Contains(names, use.name) {
				found = append(found, finding(f, use.line, "%s", use.name))
			}
		}
	}
	return found
}

// use is where a file uses a package, or a name of one, as in os.Exit,
// whatever it is imported as.
type use struct {
	name string
	line int
}

func uses(f file) []use {
	paths := map[string]string{}
	for _, spec := range f.syntax.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		local := path.Base(imported)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		paths[local] = imported
	}
	var found []use
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		selector, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		// An identifier with an object is declared in the file: a variable that
		// hides the package.
		if of, ok := selector.X.(*ast.Ident); ok && of.Obj == nil && paths[of.Name] != "" {
			found = append(found, use{paths[of.Name] + "." + selector.Sel.Name, f.line(selector.Pos())})
		}
		return true
	})
	return found
}
