package signing

import (
	"regexp"
	"slices"
	"strings"
)

// fieldTest compares a field's value with another; null and an absent value are "".
type fieldTest struct {
	Field    string `json:"field"`
	Equal    bool   `json:"equal"`
	Value    string `json:"value"`
	document string
}

// fieldRule is a condition's effect on a field: if all tests of one of the lists hold,
// the property has the value, else the opposite.
type fieldRule struct {
	Any      [][]fieldTest `json:"any"`
	Field    string        `json:"field"`
	Property string        `json:"property"` // disabled or required
	Value    bool          `json:"value"`
	document string
}

const fieldName = `\s*document\['([^']+)'\]\.field\['([^']+)'\]\.`

var (
	testForm   = regexp.MustCompile(`^` + fieldName + `value\s*(===?|!==?)\s*('[^']*'|"[^"]*"|null|undefined)\s*(&&|\|\||$)`)
	actionForm = regexp.MustCompile(`^` + fieldName + `(disabled|required)\s*=\s*(true|false)\s*;?\s*$`)
)

// rule returns the condition's rule, or false if it is not understood.
func (c condition) rule() (fieldRule, bool) {
	action := actionForm.FindStringSubmatch(c.Action)
	if action == nil {
		return fieldRule{}, false
	}
	r := fieldRule{document: action[1], Field: action[2], Property: action[3], Value: action[4] == "true", Any: [][]fieldTest{nil}}
	for rest := c.Condition; ; {
		found := testForm.FindStringSubmatch(rest)
		if found == nil {
			return fieldRule{}, false
		}
		last := &r.Any[len(r.Any)-1]
		*last = append(*last, fieldTest{document: found[1], Field: found[2], Equal: found[3][0] == '=', Value: literal(found[4])})
		switch found[5] {
		case "":
			return r, true
		case "||":
			r.Any = append(r.Any, nil)
		}
		rest = rest[len(found[0]):]
	}
}

// literal returns the text between quotes, or "" for null.
func literal(text string) string {
	if quoted := strings.ContainsAny(text[:1], `'"`); !quoted {
		return ""
	}
	return text[1 : len(text)-1]
}

// rules returns the rules of the package's conditions.
func (p *pkg) rules() (all []fieldRule) {
	for _, c := range p.Conditions {
		if r, ok := c.rule(); ok {
			all = append(all, r)
		}
	}
	return all
}

// holds reports whether all tests of one of the lists hold.
func (r fieldRule) holds(value func(fieldTest) string) bool {
	return slices.ContainsFunc(r.Any, func(all []fieldTest) bool {
		return !slices.ContainsFunc(all, func(t fieldTest) bool { return (value(t) == t.Value) != t.Equal })
	})
}

// applyConditions decides for every field whether it is disabled and whether it is
// required, from the fields' values. Of several conditions for one property, the last one
// that holds counts.
func (p *pkg) applyConditions() {
	values, made := map[[2]string]string{}, map[[3]string]bool{}
	for d, f := range p.fields() {
		values[[2]string{d.ID, f.ID}] = or(f.Value)
	}
	rules := p.rules()
	for _, r := range rules {
		made[[3]string{r.document, r.Field, r.Property}] = !r.Value
	}
	for _, r := range rules {
		if r.holds(func(t fieldTest) string { return values[[2]string{t.document, t.Field}] }) {
			made[[3]string{r.document, r.Field, r.Property}] = r.Value
		}
	}
	for d, f := range p.fields() {
		f.condition(d.ID, made)
	}
}

// condition sets the field's properties from the conditions' results.
func (f *field) condition(documentID string, made map[[3]string]bool) {
	f.disabled, f.required = f.rules().Disabled, nil
	if disabled, ok := made[[3]string{documentID, f.ID, "disabled"}]; ok {
		f.disabled = disabled
	}
	if required, ok := made[[3]string{documentID, f.ID, "required"}]; ok {
		f.required = &required
	}
}

// liveRules returns the rules that depend on other fields of the same document. Tests of
// fields in other documents are already decided.
func (p *pkg) liveRules(d document) []fieldRule {
	var live []fieldRule
	for _, r := range p.rules() {
		if r.document != d.ID {
			continue
		}
		r.Any = slices.Clone(r.Any)
		for i, all := range r.Any {
			r.Any[i] = list(slices.DeleteFunc(slices.Clone(all), func(t fieldTest) bool { return t.document != d.ID && t.decided(p) }))
		}
		r.Any = slices.DeleteFunc(r.Any, func(all []fieldTest) bool {
			return slices.ContainsFunc(all, func(t fieldTest) bool { return t.document != d.ID })
		})
		if len(r.Any) > 0 {
			live = append(live, r)
		}
	}
	return live
}

// decided reports whether the test holds for its field's present value.
func (t fieldTest) decided(p *pkg) bool {
	value := ""
	for d, f := range p.fields() {
		if d.ID == t.document && f.ID == t.Field {
			value = or(f.Value)
		}
	}
	return (value == t.Value) == t.Equal
}

// signature returns the approval's signature field, with the conditions' results, or
// false if it has none.
func (a approval) signature() (field, bool) {
	i := slices.IndexFunc(a.Fields, func(f field) bool { return f.Type == typeSignature })
	if i < 0 {
		return field{}, false
	}
	return a.Fields[i], true
}

// isOptional reports whether the approval may be left out: a condition on its signature
// takes precedence over the approval's own member.
func (a approval) isOptional() bool {
	if f, ok := a.signature(); ok && f.required != nil {
		return !*f.required
	}
	return a.Optional
}

// isDisabled reports whether a condition keeps everybody from signing the approval.
func (a approval) isDisabled() bool {
	f, ok := a.signature()
	return ok && f.disabled
}
