package web

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/metrics.md")

// docs/metrics.md has the name, the type, the labels and the help of each metric of this package.
func TestDocument_HasEveryMetric(t *testing.T) {
	const document = "../docs/metrics.md"
	rows := metricRows(t)
	if len(rows) < 25 {
		t.Fatalf("only %d metrics", len(rows))
	}
	want := "# Metrics\n\n`go test ./web -run Document_Has -update` writes this page from the code. [Monitoring](operate/monitoring.md) has the endpoint and the outcomes of calls. `go_…` and `process_…` describe the Go runtime and the process.\n\n" +
		"| name | type | labels | meaning |\n|---|---|---|---|\n" + strings.Join(rows, "\n") + "\n"
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, document) != want {
		t.Errorf("%s is not what the code says; go test ./web -run Document_Has -update writes it", document)
	}
}

// metricRows returns the rows of the metrics that this package makes, in the order of their names.
func metricRows(t *testing.T) (rows []string) {
	t.Helper()
	names, err := filepath.Glob("metrics*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok {
				if row := metricRow(call); row != "" {
					rows = append(rows, row)
				}
			}
			return true
		})
	}
	slices.Sort(rows)
	return slices.Compact(rows)
}

// metricRow returns the row of the metric that a call of the library of Prometheus makes, or "".
func metricRow(call *ast.CallExpr) string {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	if of, ok := fun.X.(*ast.Ident); !ok || of.Name != "prometheus" {
		return ""
	}
	if fun.Sel.Name == "NewDesc" { // of a collector: all of them send gauges
		return row(literal(call.Args[0]), "gauge", literal(call.Args[1]), literals(call.Args[2]))
	}
	options, ok := call.Args[0].(*ast.CompositeLit)
	if !ok {
		return ""
	}
	members := map[string]ast.Expr{}
	for _, element := range options.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			if key, ok := pair.Key.(*ast.Ident); ok {
				members[key.Name] = pair.Value
			}
		}
	}
	labels := literals(members["ConstLabels"])
	if len(call.Args) > 1 {
		labels = append(labels, literals(call.Args[1])...)
	}
	kind := strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(fun.Sel.Name, "New"), "Vec"), "Func"))
	return row(literal(members["Name"]), kind, literal(members["Help"]), labels)
}

func row(name, kind, help string, labels []string) string {
	var quoted []string
	for _, label := range labels {
		quoted = append(quoted, "`"+label+"`")
	}
	return strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s | %s |", name, kind, strings.Join(quoted, ", "), help), "|  |", "| |")
}

// literal returns the value of a string literal, or "".
func literal(expr ast.Expr) string {
	if basic, ok := expr.(*ast.BasicLit); ok {
		text, _ := strconv.Unquote(basic.Value)
		return text
	}
	return ""
}

// literals returns the strings of a list, or the keys of a map.
func literals(expr ast.Expr) (all []string) {
	list, ok := expr.(*ast.CompositeLit)
	if !ok {
		return nil
	}
	for _, element := range list.Elts {
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			element = pair.Key
		}
		if text := literal(element); text != "" {
			all = append(all, text)
		}
	}
	return all
}
