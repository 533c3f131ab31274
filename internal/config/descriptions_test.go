package config_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/config"
)

// described is a setting as the comment of its field describes it. The comment's first paragraph
// is a sentence, then lines Default:, Required: and Example:; other paragraphs say more.
type described struct {
	name, goType                                string
	sentence, standard, required, example, more string
}

// documented returns all settings, described by the comments of Config's fields.
func documented(t *testing.T) []described {
	t.Helper()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string]*ast.StructType{}
	for _, name := range names {
		syntax, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(syntax, func(node ast.Node) bool {
			if spec, ok := node.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					structs[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	all := fieldsOf(structs, "Config", config.Prefix)
	effective := map[string]string{}
	for _, s := range mustLoad(t).Redacted() {
		effective[s.Name] = s.Value
	}
	for i, s := range all {
		if value := effective[s.name]; s.standard == "" && value != "" && value[0] != '(' {
			all[i].standard = "`" + value + "`"
		}
	}
	return all
}

func fieldsOf(structs map[string]*ast.StructType, of, prefix string) (all []described) {
	for _, field := range structs[of].Fields.List {
		if field.Tag == nil {
			continue
		}
		tag, _ := strconv.Unquote(field.Tag.Value)
		if inner, ok := reflect.StructTag(tag).Lookup("envPrefix"); ok {
			all = append(all, fieldsOf(structs, typeText(field.Type), prefix+inner)...)
		} else if name, ok := reflect.StructTag(tag).Lookup("env"); ok {
			s := describe(field.Names[0].Name, field.Doc.Text())
			s.name, s.goType = prefix+name, typeText(field.Type)
			all = append(all, s)
		}
	}
	return all
}

var (
	verb = regexp.MustCompile(`^(is|are) `)
	fact = regexp.MustCompile(`(?m)^(Default|Required|Example): (.*)\n?`)
)

// describe reads the comment of a field.
func describe(field, comment string) (s described) {
	for _, match := range fact.FindAllStringSubmatch(comment, -1) {
		*map[string]*string{"Default": &s.standard, "Required": &s.required, "Example": &s.example}[match[1]] = match[2]
	}
	first, rest, _ := strings.Cut(fact.ReplaceAllString(comment, ""), "\n\n")
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	sentence := verb.ReplaceAllString(strings.TrimPrefix(oneLine(first), field+" "), "")
	if sentence != "" {
		s.sentence = strings.ToUpper(sentence[:1]) + sentence[1:]
	}
	s.more = oneLine(rest)
	return s
}

func typeText(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return typeText(e.X) + "." + e.Sel.Name
	case *ast.ArrayType:
		return "[]" + typeText(e.Elt)
	default:
		return ""
	}
}

// kind returns the type of a setting in words.
func (s described) kind() string {
	kind := map[string]string{
		"bool": "switch", "int": "number", "[]string": "list", "[]netip.Prefix": "list", "[]byte": "key", "[][]byte": "list of keys",
		"time.Duration": "duration", "Delay": "duration", "Interval": "duration", "Size": "size", "Document": "document", "Paths": "document",
		"Origin": "URL",
	}[s.goType]
	switch {
	case strings.HasPrefix(s.name, config.Prefix+"RATE_"):
		return "rate"
	case strings.HasSuffix(s.name, "_URL"):
		return "URL"
	default:
		return cmp.Or(kind, "text")
	}
}
