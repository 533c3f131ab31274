package signing

import (
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

// customFieldSubtype is of a field that shows a custom field.
const customFieldSubtype = "CUSTOMFIELD"

// validation is the rules of a field's value (specification, part 2.5).
type validation struct {
	Required     bool     `json:"required"`
	ErrorMessage string   `json:"errorMessage"`
	Pattern      string   `json:"pattern"`
	MinLength    int      `json:"minLength"`
	MaxLength    int      `json:"maxLength"` // 0: none
	Enum         []string `json:"enum"`
	Group        string   `json:"group"`
}

// rules are a field's; those that cannot be read are none.
func (f field) rules() validation {
	var v validation
	if given(f.Validation) && json.Unmarshal(f.Validation, &v) != nil {
		return validation{}
	}
	return v
}

// patternTimeout bounds a pattern that takes for ever.
const patternTimeout = 100 * time.Millisecond

// complaint is what is wrong with a field's value, "" if nothing is.
func (f field) complaint() string {
	v, value := f.rules(), or(f.Value)
	words := v.ErrorMessage
	say := func(otherwise string) string {
		if words != "" {
			return words
		}
		return otherwise
	}
	length := utf8.RuneCountInString(value)
	switch {
	case f.Type != typeInput || f.Subtype == "LABEL":
		return ""
	case value == "" && v.Required && f.Subtype != "RADIO":
		return say("This field is required.")
	case value == "":
		return ""
	case f.Subtype == "LIST" && len(v.Enum) > 0 && !slices.Contains(v.Enum, value):
		return say("Choose one of the list.")
	case length < v.MinLength:
		return say("This is too short.")
	case v.MaxLength > 0 && length > v.MaxLength:
		return say("This is too long.")
	case f.Subtype != "DATEPICKER" && v.Pattern != "" && !matches(v.Pattern, value):
		return say("This has a wrong format.")
	default:
		return ""
	}
}

// matches reports whether a value has the platform's kind of pattern; a pattern
// that cannot be used restricts nothing.
func matches(pattern, value string) bool {
	compiled, err := regexp2.Compile(pattern)
	if err != nil {
		return true
	}
	compiled.MatchTimeout = patternTimeout
	found, err := compiled.MatchString(value)
	return err != nil || found
}

// radioGroup is the group that a radio button belongs to.
func (f field) radioGroup() string {
	v := f.rules()
	if v.Group == "" && len(v.Enum) > 0 {
		return v.Enum[0]
	}
	return v.Group
}

// complaints are what is wrong with the values of an approval's fields, by their
// ids. Of radio buttons in a group that is required, one has to be chosen.
func (a approval) complaints() map[string]string {
	found := map[string]string{}
	for _, f := range a.Fields {
		if text := f.complaint(); text != "" {
			found[f.ID] = text
		}
		if f.Subtype == "RADIO" && f.rules().Required && !a.chosen(f.radioGroup()) {
			text := f.rules().ErrorMessage
			if text == "" {
				text = "Choose one."
			}
			found[f.ID] = text
		}
	}
	return found
}

func (a approval) chosen(group string) bool {
	return slices.ContainsFunc(a.Fields, func(f field) bool {
		return f.Subtype == "RADIO" && f.radioGroup() == group && or(f.Value) != ""
	})
}

// checkSigned refuses values of the role that break the rules of their fields.
func (d document) checkSigned(roleID string) error {
	for _, a := range d.Approvals {
		if a.Role != roleID || a.Signed == nil {
			continue
		}
		found := a.complaints()
		for _, f := range a.Fields {
			if text, ok := found[f.ID]; ok {
				refusal := wire.Refuse(http.StatusBadRequest, text).With(messageKey, "error.validation.field.invalidValue")
				refusal.Violations = []wire.Violation{{Field: f.ID, Message: text}}
				return refusal
			}
		}
	}
	return nil
}
