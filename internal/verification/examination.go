package verification

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/language"

	"countersign/internal/payload"
)

// examination applies the rules to one payload.
type examination struct {
	Rules
	payload.Violations

	creation *Creation
}

// examine checks the whole payload and notes which members to set or drop.
func (e *examination) examine(whole payload.Object) {
	c := e.creation
	e.members(whole)
	e.opaque(whole)
	var set []string
	drop := []string{"tenant_id", "opaque_id"}
	for _, choice := range []struct {
		name    string
		allowed []string
	}{{"workflow_id", e.Workflows}, {"brand_id", e.Brands}} {
		if !whole.Has(choice.name) && len(choice.allowed) > 0 {
			drop, set = append(drop, choice.name), append(set, quote(choice.name)+":"+quote(choice.allowed[0]))
		} else {
			e.choice(whole, choice.name, choice.allowed)
		}
	}
	if tokens, ok := whole.Member("tokens"); !ok || tokens.Kind() == '[' && tokens.Count() == 0 {
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
func (c *Creation) change(whole payload.Object, drop, set []string) {
	names, begin := whole.Names(), whole.Place().From+1
	for _, member := range set {
		c.set += "," + member
	}
	if len(names) > 0 && !slices.Contains(drop, names[0]) {
		c.set += ","
	}
	c.begin = begin
	end := begin
	for _, name := range names {
		member, _ := whole.RawMember(name)
		if slices.Contains(drop, name) {
			c.replace(payload.Place{From: end, To: member.Place().To}, "")
		}
		end = member.Place().To
	}
}

func quote(text string) string {
	quoted, _ := jsontext.AppendQuote(nil, text)
	return string(quoted)
}

// opaque reads the client's own opaque_id.
func (e *examination) opaque(whole payload.Object) {
	text, ok := whole.Text("opaque_id")
	if ok && utf8.RuneCountInString(text) > 255 {
		whole.Note("opaque_id", "field.opaque-id")
	}
	e.creation.Own = text
}

// choice checks that a UUID is one of allowed, and makes the payload carry it in lower
// case.
func (e *examination) choice(of payload.Object, name string, allowed []string) {
	text, ok := of.Text(name)
	if !ok {
		return
	}
	lowered := strings.ToLower(text)
	if !slices.Contains(allowed, lowered) {
		of.Note(name, "field.choice")
	} else if lowered != text {
		e.creation.setText(of, name, lowered)
	}
}

var letters = regexp.MustCompile(`^[A-Za-z]{2,32}$`)

func (e *examination) language(whole payload.Object) {
	text, ok := whole.Text("language")
	if !ok || letters.MatchString(text) {
		return
	}
	if _, err := language.Parse(text); err != nil || strings.Contains(text, "_") {
		whole.Note("language", "field.transaction-language")
	}
}

func (e *examination) tokens(whole payload.Object) {
	seen := map[string]bool{}
	for token := range whole.Objects("tokens") {
		role := token.NonEmpty("role")
		token.Sized("role", MaxRole, "field.role-name")
		if seen[role] {
			token.Note("role", "field.taken")
		}
		seen[role] = true
	}
}

// MaxRole limits the characters of a role.
const MaxRole = 32
