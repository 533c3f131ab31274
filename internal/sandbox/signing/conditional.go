package signing

import (
	"regexp"
	"slices"
	"strings"
)

// fieldTest compares a field's value with another one; null and nothing are "".
type fieldTest struct {
	Field    string `json:"field"`
	Equal    bool   `json:"equal"`
	Value    string `json:"value"`
	document string
}

// fieldRule is what a condition makes of a field: while one of the lists of tests
// holds, a property has a value, and the opposite otherwise.
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

// rule is the condition's; false where it cannot be understood.
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

// literal is the text between quotes, "" for null.
func literal(text string) string {
	if quoted := strings.ContainsAny(text[:1], `'"`); !quoted {
		return ""
	}
	return text[1 : len(text)-1]
}

// rules are those of the package's conditions.
func (p *pkg) rules() (all []fieldRule) {
	for _, c := range p.Conditions {
		if r, ok := c.rule(); ok {
			all = append(all, r)
		}
	}
	return all
}

// holds reports whether one of the lists of tests does.
func (r fieldRule) holds(value func(fieldTest) string) bool {
	return slices.ContainsFunc(r.Any, func(all []fieldTest) bool {
		return !slices.ContainsFunc(all, func(t fieldTest) bool { return (value(t) == t.Value) != t.Equal })
	})
}

// applyConditions says of every field whether it is disabled and whether it is
// required, with the values that the fields have. Of several conditions for one
// property the last one that holds counts.
func (p *pkg) applyConditions() {
	values, made := map[[2]string]string{}, map[[3]string]bool{}
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			for _, f := range a.Fields {
				values[[2]string{d.ID, f.ID}] = or(f.Value)
			}
		}
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
	for i := range p.Documents {
		for _, a := range p.Documents[i].Approvals {
			for j := range a.Fields {
				a.Fields[j].condition(p.Documents[i].ID, made)
			}
		}
	}
}

// condition takes what conditions have made of the field's properties.
func (f *field) condition(documentID string, made map[[3]string]bool) {
	f.disabled, f.required = f.rules().Disabled, nil
	if disabled, ok := made[[3]string{documentID, f.ID, "disabled"}]; ok {
		f.disabled = disabled
	}
	if required, ok := made[[3]string{documentID, f.ID, "required"}]; ok {
		f.required = &required
	}
}

// liveRules are those of a document's fields that other fields of it decide. Tests of
// fields elsewhere are decided already.
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

// decided reports whether the test holds with the value that its field has.
func (t fieldTest) decided(p *pkg) bool {
	value := ""
	for _, d := range p.Documents {
		for _, a := range d.Approvals {
			for _, f := range a.Fields {
				if d.ID == t.document && f.ID == t.Field {
					value = or(f.Value)
				}
			}
		}
	}
	return (value == t.Value) == t.Equal
}

// signature is the approval's, with the fields' conditions; false where it has none.
func (a approval) signature() (field, bool) {
	i := slices.IndexFunc(a.Fields, func(f field) bool { return f.Type == typeSignature })
	if i < 0 {
		return field{}, false
	}
	return a.Fields[i], true
}

// isOptional reports whether the approval may be left out: a condition of its
// signature counts before what it says itself.
func (a approval) isOptional() bool {
	if f, ok := a.signature(); ok && f.required != nil {
		return !*f.required
	}
	return a.Optional
}

// isDisabled reports whether a condition lets nobody sign the approval.
func (a approval) isDisabled() bool {
	f, ok := a.signature()
	return ok && f.disabled
}
