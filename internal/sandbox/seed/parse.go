package seed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"go.yaml.in/yaml/v3"

	"countersign/internal/sandbox/wire"
)

// Problem is a mistake in a document.
type Problem struct {
	Line    int
	Place   string // such as packages.1.status; "" is the whole document
	Message string
}

// Problems are all mistakes in a document, in the order of its lines.
type Problems []Problem

// Error has a line for each mistake.
func (p Problems) Error() string {
	var lines []string
	for _, one := range p {
		lines = append(lines, strings.Join(slices.DeleteFunc([]string{"line " + strconv.Itoa(one.Line), one.Place, one.Message}, func(s string) bool { return s == "" }), ": "))
	}
	return strings.Join(lines, "\n")
}

// Parse reads a document for a sandbox whose relying party has that id. Its error is
// Problems.
func Parse(text []byte, rpID string) (World, error) {
	if json.Valid(text) {
		text = escapes.ReplaceAllFunc(text, inYAML)
	}
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(&document); err != nil {
		return World{}, Problems{unreadable(err)}
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return World{}, Problems{{Line: 1, Message: "must be one document"}}
	}
	r := reader{lines: map[string]int{}}
	r.walk(document.Content[0], reflect.TypeFor[World](), "")
	if r.aliases {
		return World{}, r.sorted()
	}
	var world World
	_ = document.Decode(&world) // what it cannot decode, walk has told of
	if world.People == nil {
		world.People = Demo().People
	}
	var rules wire.Rules
	world.check(&rules, rpID)
	if err := rules.Err(); err != nil {
		r.add(wire.AsError(err).Violations)
	}
	if len(r.problems) > 0 {
		return World{}, r.sorted()
	}
	return world, nil
}

// escapes matches the escapes of a JSON text; the first group has pairs of surrogates.
var escapes = regexp.MustCompile(`\\u([dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|\\.`)

// inYAML returns an escape of JSON for a reader of YAML, which lacks two of them.
func inYAML(escape []byte) []byte {
	var high, low rune
	if n, _ := fmt.Sscanf(string(escape), `\u%04x\u%04x`, &high, &low); n == 2 {
		return fmt.Appendf(nil, `\U%08x`, utf16.DecodeRune(high, low))
	}
	if string(escape) == `\/` {
		return []byte("/")
	}
	return escape
}

// unreadable returns the problem of a text that is no YAML.
func unreadable(err error) Problem {
	if errors.Is(err, io.EOF) {
		return Problem{Line: 1, Message: "is empty"}
	}
	p := Problem{Line: 1, Message: "is not YAML or JSON: " + strings.TrimPrefix(err.Error(), "yaml: ")}
	var line int
	if n, _ := fmt.Sscanf(err.Error(), "yaml: line %d:", &line); n == 1 {
		p.Line = line
		_, p.Message, _ = strings.Cut(err.Error(), ": line "+strconv.Itoa(line)+": ")
		p.Message = "is not YAML or JSON: " + p.Message
	}
	return p
}

// reader compares a document with the types of a World.
type reader struct {
	problems Problems
	lines    map[string]int // by place
	aliases  bool
}

func (r *reader) problem(line int, place, message string) {
	r.problems = append(r.problems, Problem{line, place, message})
}

func (r *reader) sorted() Problems {
	slices.SortStableFunc(r.problems, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Place, b.Place)) })
	return r.problems
}

// add adds violations, but for those at the place of a mistake that is known.
func (r *reader) add(violations []wire.Violation) {
	known := slices.Clone(r.problems)
	for _, v := range violations {
		if slices.ContainsFunc(known, func(p Problem) bool { return p.Place == v.Field || strings.HasPrefix(v.Field, p.Place+".") }) {
			continue
		}
		r.problem(r.line(v.Field), v.Field, v.Message)
	}
}

// line returns the line of a place, or of what it would be in.
func (r *reader) line(place string) int {
	for {
		if line, ok := r.lines[place]; ok || place == "" {
			return line
		}
		place = place[:max(strings.LastIndexByte(place, '.'), 0)]
	}
}

func (r *reader) walk(node *yaml.Node, t reflect.Type, place string) {
	r.lines[place] = node.Line
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case node.Kind == yaml.AliasNode || node.Anchor != "":
		r.aliases = true
		r.problem(node.Line, place, "must be written out: anchors and aliases are not for seeds")
	case node.Kind == yaml.ScalarNode && node.Tag == "!!null":
		r.problem(node.Line, place, "must not be empty")
	case t.Kind() == reflect.Struct:
		r.object(node, t, place)
	case t.Kind() == reflect.Slice && node.Kind != yaml.SequenceNode:
		r.problem(node.Line, place, "must be a list")
	case t.Kind() == reflect.Slice:
		for i, one := range node.Content {
			r.walk(one, t.Elem(), below(place, strconv.Itoa(i)))
		}
	default:
		if wrong := scalar(node, t.Kind()); wrong != "" {
			r.problem(node.Line, place, wrong)
		}
	}
}

// scalar returns what is wrong with a text, a number or a switch; "" for nothing.
func scalar(node *yaml.Node, kind reflect.Kind) string {
	switch {
	case kind == reflect.Bool && (node.Kind != yaml.ScalarNode || node.Tag != "!!bool"):
		return "must be true or false"
	case kind == reflect.Int && (node.Kind != yaml.ScalarNode || node.Tag != "!!int"):
		return "must be a whole number"
	case kind == reflect.String && node.Kind != yaml.ScalarNode:
		return "must be a text"
	case kind == reflect.String && node.Tag != "!!str":
		return "must be a text: put it in quotes"
	}
	return ""
}

func (r *reader) object(node *yaml.Node, t reflect.Type, place string) {
	if node.Kind != yaml.MappingNode {
		r.problem(node.Line, place, "must be an object")
		return
	}
	types, names := map[string]reflect.Type{}, []string{}
	for field := range t.Fields() {
		name := field.Tag.Get("yaml")
		types[name], names = field.Type, append(names, name)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name := node.Content[i]
		at := below(place, name.Value)
		of, known := types[name.Value]
		switch {
		case name.Kind != yaml.ScalarNode || !known:
			r.problem(name.Line, at, "unknown member; known are "+strings.Join(names, ", "))
		case seen[name.Value]:
			r.problem(name.Line, at, "is there twice")
		default:
			seen[name.Value] = true
			r.walk(node.Content[i+1], of, at)
		}
	}
}

func below(place, name string) string {
	if place == "" {
		return name
	}
	return place + "." + name
}
