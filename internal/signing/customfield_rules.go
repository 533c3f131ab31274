package signing

import (
	"strings"

	"golang.org/x/text/language"

	"countersign/internal/payload"
)

// CheckCustomField applies the rules for creating a custom field of the account.
func CheckCustomField(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		o, _ := v.Object()
		if !o.Has("value") {
			o.Note("value", "field.required")
		}
		r.customField(o)
	})
}

// CheckCustomFieldUpdate applies the rules for replacing a custom field.
func CheckCustomFieldUpdate(p *Payload, c Context) error {
	return p.check(c, "{", func(r *rules, v payload.Value) {
		o, _ := v.Object()
		r.customField(o)
	})
}

func (r *rules) customField(o payload.Object) {
	r.id(o)
	if text, ok := o.Text("value"); ok && strings.TrimSpace(text) == "" {
		o.Note("value", "field.empty")
	}
	o.Booleans("required")
	r.limitDescriptions(o, "translations")
	r.onLine(o, "value")
	r.inList(o, "translations", "name")
	if !isNonEmpty(o, "translations") {
		o.Note("translations", "field.required")
	}
	seen := map[string]bool{}
	for v := range o.Elements("translations") {
		if translation, ok := v.Object(); ok {
			r.language(translation, seen)
		}
	}
}

// language checks that the language of a translation, by default English, is one and
// occurs once.
func (r *rules) language(o payload.Object, seen map[string]bool) {
	text := "en"
	if o.Has("language") {
		var ok bool
		if text, ok = o.Text("language"); !ok {
			return
		}
	}
	tag, err := language.Parse(text)
	switch {
	case err != nil, strings.Contains(text, "_"):
		o.Note("language", "field.language")
	case seen[tag.String()]:
		o.Note("language", "field.taken")
	default:
		seen[tag.String()] = true
	}
}
