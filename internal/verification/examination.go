package verification

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"

	"countersign/internal/fault"
)

// examination collects the violations of one payload.
type examination struct {
	Rules
	creation *Creation
	fields   []fault.Field
}

// maxFields limits the violations that are kept; an answer never names more.
const maxFields = 20

// note records a violation, unless its pointer has one already.
func (e *examination) note(pointer, detail string) {
	field := fault.Field{Pointer: short(pointer), Detail: detail}
	noted := func(other fault.Field) bool { return other.Pointer == field.Pointer }
	if len(e.fields) < maxFields && !slices.ContainsFunc(e.fields, noted) {
		e.fields = append(e.fields, field)
	}
}

// maxPointer limits the pointer that an answer repeats, in bytes.
const maxPointer = 256

func short(pointer string) string {
	return strings.ToValidUTF8(pointer[:min(len(pointer), maxPointer)], "")
}

// payload checks the whole payload and notes which members to set or drop.
func (e *examination) payload(whole *node) {
	c := e.creation
	e.members(whole)
	e.opaque(whole)
	var set []string
	drop := []string{"tenant_id", "opaque_id"}
	for _, choice := range []struct {
		name    string
		allowed []string
	}{{"workflow_id", e.Workflows}, {"brand_id", e.Brands}} {
		if whole.get(choice.name) == nil && len(choice.allowed) > 0 {
			drop, set = append(drop, choice.name), append(set, quote(choice.name)+":"+quote(choice.allowed[0]))
		} else {
			e.choice(whole, choice.name, choice.allowed)
		}
	}
	if tokens := whole.get("tokens"); tokens == nil || tokens.kind == '[' && len(tokens.elements) == 0 {
		drop, set = append(drop, "tokens"), append(set, `"tokens":[{"role":`+quote(e.Role)+`}]`)
	}
	e.language(whole)
	e.users(whole)
	e.tokens(whole)
	e.redirects(whole)
	e.documents(whole)
	c.change(whole, drop, set)
}

// change drops members of the payload and sets others.
func (c *Creation) change(whole *node, drop, set []string) {
	begin := whole.from + 1
	c.set = edit{span: span{begin, begin}}
	for _, member := range set {
		c.set.text += "," + member
	}
	if len(whole.names) > 0 && !slices.Contains(drop, whole.names[0]) {
		c.set.text += ","
	}
	end := begin
	for _, name := range whole.names {
		to := whole.members[name].to
		if slices.Contains(drop, name) {
			c.edits = append(c.edits, edit{span: span{end, to}})
		}
		end = to
	}
}

func quote(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text)
	return string(quoted)
}

// opaque reads the client's own opaque_id.
func (e *examination) opaque(whole *node) {
	text, ok := e.string(whole, "opaque_id")
	if ok && utf8.RuneCountInString(text) > 255 {
		e.note("/opaque_id", "field.opaque-id")
	}
	e.creation.Own = text
}

// string returns a member that must be a string; ok is false if it is absent or noted.
func (e *examination) string(of *node, name string) (string, bool) {
	n := of.get(name)
	switch {
	case n == nil:
		return "", false
	case n.kind != '"':
		e.note(n.pointer, "field.string")
		return "", false
	}
	return n.text, true
}

// required returns a string that must be present and not empty.
func (e *examination) required(of *node, name string) string {
	text, ok := e.string(of, name)
	switch {
	case of.get(name) == nil:
		e.note(of.pointer+"/"+name, "field.required")
	case ok && text == "":
		e.note(of.pointer+"/"+name, "field.empty")
	}
	return text
}

// sized checks that a string, if present, has 1 to most characters.
func (e *examination) sized(of *node, name string, most int, detail string) {
	if text, ok := e.string(of, name); ok && (text == "" || utf8.RuneCountInString(text) > most) {
		e.note(of.pointer+"/"+name, detail)
	}
}

// choice checks that a UUID is one of allowed, and makes the payload carry it in lower
// case.
func (e *examination) choice(of *node, name string, allowed []string) {
	text, ok := e.string(of, name)
	if !ok {
		return
	}
	lowered := strings.ToLower(text)
	if !slices.Contains(allowed, lowered) {
		e.note(of.pointer+"/"+name, "field.choice")
	} else if lowered != text {
		e.creation.edits = append(e.creation.edits, edit{of.get(name).span, quote(lowered)})
	}
}

// objects returns the elements of a member that, if present, must be a list of objects.
func (e *examination) objects(of *node, name string) []*node {
	n := of.get(name)
	if n == nil {
		return nil
	}
	if n.kind != '[' {
		e.note(n.pointer, "field.list")
		return nil
	}
	var objects []*node
	for _, element := range n.elements {
		if element.kind != '{' {
			e.note(element.pointer, "field.object")
			continue
		}
		objects = append(objects, element)
	}
	return objects
}

var letters = regexp.MustCompile(`^[A-Za-z]{2,32}$`)

func (e *examination) language(whole *node) {
	text, ok := e.string(whole, "language")
	if !ok || letters.MatchString(text) {
		return
	}
	if _, err := language.Parse(text); err != nil || strings.Contains(text, "_") {
		e.note("/language", "field.transaction-language")
	}
}

func (e *examination) tokens(whole *node) {
	seen := map[string]bool{}
	for _, token := range e.objects(whole, "tokens") {
		role := e.required(token, "role")
		e.sized(token, "role", MaxRole, "field.role-name")
		if seen[role] {
			e.note(token.pointer+"/role", "field.taken")
		}
		seen[role] = true
	}
}

// MaxRole limits the characters of a role.
const MaxRole = 32
