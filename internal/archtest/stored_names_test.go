package archtest_test

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the tests compare with the code")

// keepers are the packages and files whose JSON is stored at the platform or in Redis.
var keepers = regexp.MustCompile(`^(session|internal/(account|audit|formrecovery|idempotency|signin|signing/compose|signing/proofs))/|^internal/signing/countersign_data\.go$`)

// redisKey is a literal that begins a key in Redis, or a member of one.
var redisKey = regexp.MustCompile(`^([a-z]+:)+(\{.*)?$`)

// keyed are the packages that name keys of Redis.
var keyed = regexp.MustCompile(`^(session|internal/(access|account|audit|events|formrecovery|idempotency|ratelimit|redisdb|signing/index|verification/index))/`)

// Names in what outlives a process stay what they are, whatever the code calls them: a purpose
// of a sealer that is renamed loses what was sealed, and so do kinds of leases, keys of Redis and
// members of JSON and CBOR. A changed line is a changed format, which the other version of the
// program, running beside this one, does not read.
func TestStoredNames_Unchanged(t *testing.T) {
	var names []string
	for _, f := range repository(t) {
		if !f.ships() || strings.HasPrefix(f.path, "internal/sandbox/") || strings.HasPrefix(f.path, "internal/uaf/") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), f.path, f.text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(n ast.Node) bool {
			names = append(names, storedNames(f.path, n)...)
			return true
		})
	}
	slices.Sort(names)
	got := strings.Join(slices.Compact(names), "\n") + "\n"
	golden := filepath.Join("testdata", "stored.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is another one (write it by -update, if the format is to change):\n%s", golden, got)
	}
}

// storedNames returns a line for each stored name that n gives.
func storedNames(file string, n ast.Node) (lines []string) {
	switch n := n.(type) {
	case *ast.CallExpr:
		if called, ok := n.Fun.(*ast.SelectorExpr); ok && called.Sel.Name == "For" && len(n.Args) == 1 {
			if text := firstText(n.Args[0]); text != "" {
				lines = append(lines, "purpose "+text)
			}
		}
	case *ast.CompositeLit:
		if typed, ok := n.Type.(*ast.SelectorExpr); !ok || typed.Sel.Name != "Lease" {
			break
		}
		for _, element := range n.Elts {
			if member, ok := element.(*ast.KeyValueExpr); ok && member.Key.(*ast.Ident).Name == "Kind" && firstText(member.Value) != "" {
				lines = append(lines, "lease "+firstText(member.Value))
			}
		}
	case *ast.StructType:
		for _, kind := range []string{"cbor", "json"} {
			if tags := tagsOf(n, kind); tags != "" && (kind == "cbor" || keepers.MatchString(file)) {
				lines = append(lines, kind+" "+path.Dir(file)+": "+tags)
			}
		}
	case *ast.BasicLit:
		if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING && redisKey.MatchString(text) && keyed.MatchString(file) {
			lines = append(lines, "key "+path.Dir(file)+" "+text)
		}
	}
	return lines
}

// firstText returns the literal with which a text begins; "" for none.
func firstText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return firstText(e.X)
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	}
	return ""
}

// tagsOf returns the names that the members of a struct have in JSON or CBOR.
func tagsOf(s *ast.StructType, kind string) string {
	var names []string
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		text, _ := strconv.Unquote(f.Tag.Value)
		if name, _, _ := strings.Cut(reflect.StructTag(text).Get(kind), ","); name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
