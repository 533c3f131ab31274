package signing

import (
	"strings"

	"golang.org/x/text/language"
)

// CheckCustomField applies the rules for creating a custom field of the account.
func CheckCustomField(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		o, _ := v.object()
		if !o.has("value") {
			o.note("value", "field.required")
		}
		o.customField()
	})
}

// CheckCustomFieldUpdate applies the rules for replacing a custom field.
func CheckCustomFieldUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v value) {
		o, _ := v.object()
		o.customField()
	})
}

func (o object) customField() {
	o.id()
	if text, ok := o.string("value"); ok && strings.TrimSpace(text) == "" {
		o.note("value", "field.empty")
	}
	o.booleans("required")
	o.limitDescriptions("translations")
	if !o.filled("translations") {
		o.note("translations", "field.required")
	}
	seen := map[string]bool{}
	for v := range o.elements("translations") {
		if translation, ok := v.object(); ok {
			translation.language(seen)
		}
	}
}

// language checks that the language of a translation, by default English, is one and
// occurs once.
func (o object) language(seen map[string]bool) {
	text := "en"
	if o.has("language") {
		var ok bool
		if text, ok = o.string("language"); !ok {
			return
		}
	}
	tag, err := language.Parse(text)
	switch {
	case err != nil, strings.Contains(text, "_"):
		o.note("language", "field.language")
	case seen[tag.String()]:
		o.note("language", "field.taken")
	default:
		seen[tag.String()] = true
	}
}
