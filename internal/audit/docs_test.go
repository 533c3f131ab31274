package audit

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/audit-events.md")

// docs/audit-events.md has every kind of event and every member, as their comments say.
func TestDocument_HasEveryEvent(t *testing.T) {
	const document = "../../docs/audit-events.md"
	events, members, kinds := described(t)
	if !slices.Equal(kinds, Kinds()) || len(members) < 18 {
		t.Errorf("%d members, kinds declared %q, kinds listed %q", len(members), kinds, Kinds())
	}
	want := "# Audit events\n\n`go test ./internal/audit -run Document_Has -update` writes this page from the code. [Audit trail](operate/audit-trail.md) says where events go.\n\n" +
		"| event | meaning | members |\n|---|---|---|\n" + strings.Join(events, "") +
		"\nEvery event has `at` and `event`, and `person`, `session`, `address`, `device` and `request` where known.\n\n" +
		"| member | meaning |\n|---|---|\n" + strings.Join(members, "")
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(document); err != nil || string(got) != want {
		t.Errorf("%s is not what the code says; go test ./internal/audit -run Document_Has -update writes it (%v)", document, err)
	}
}

// described returns the rows of the events and of their members, and the kinds, in the order of
// event.go.
func described(t *testing.T) (events, members []string, kinds []Kind) {
	t.Helper()
	syntax, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(syntax, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.ValueSpec:
			if kind, ok := n.Type.(*ast.Ident); ok && kind.Name == "Kind" {
				name := unquoted(t, n.Values[0])
				meaning, names, _ := strings.Cut(comment(t, name, n.Comment), "; ")
				if names != "" {
					names = "`" + strings.ReplaceAll(names, ", ", "`, `") + "`"
				}
				kinds = append(kinds, Kind(name))
				events = append(events, strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s |\n", name, meaning, names), "|  |", "| |"))
			}
		case *ast.Field:
			if n.Tag != nil {
				name, _, _ := strings.Cut(reflect.StructTag(unquoted(t, n.Tag)).Get("json"), ",")
				if name != "-" {
					members = append(members, fmt.Sprintf("| `%s` | %s |\n", name, comment(t, name, n.Comment)))
				}
			}
		}
		return true
	})
	return events, members, kinds
}

func comment(t *testing.T, of string, c *ast.CommentGroup) string {
	t.Helper()
	text := strings.TrimSpace(c.Text())
	if text == "" {
		t.Errorf("%s has no comment", of)
	}
	return text
}

func unquoted(t *testing.T, e ast.Expr) string {
	t.Helper()
	literal, ok := e.(*ast.BasicLit)
	if !ok {
		t.Fatalf("%T is no literal", e)
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
