package signing

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
	"github.com/go-json-experiment/json"

	"countersign/internal/sandbox/wire"
)

// customFieldSubtype is the subtype of a field that shows a custom field.
const customFieldSubtype = "CUSTOMFIELD"

// validation holds the rules of a field's value (specification, part 2.5).
type validation struct {
	Required     bool     `json:"required"`
	ErrorMessage string   `json:"errorMessage"`
	Pattern      string   `json:"pattern"`
	MinLength    int      `json:"minLength"`
	MaxLength    int      `json:"maxLength"` // 0: none
	Enum         []string `json:"enum"`
	Group        string   `json:"group"`
	Disabled     bool     `json:"disabled"`
}

// rules returns a field's rules, with the conditions' results; unreadable rules count as
// none.
func (f field) rules() validation {
	var v validation
	if wire.Given(f.Validation) && json.Unmarshal(f.Validation, &v) != nil {
		v = validation{}
	}
	if f.required != nil {
		v.Required = *f.required
	}
	return v
}

// patternTimeout limits the evaluation of a pattern.
const patternTimeout = 100 * time.Millisecond

// complaint returns the error of a field's value, or "": the field's own message, else
// one of the words.
func (f field) complaint(said words) string {
	v := f.rules()
	if key := f.breaks(v); key != "" {
		return cmp.Or(v.ErrorMessage, said[key])
	}
	return ""
}

// breaks returns the word key of the rule that a field's value breaks, or "".
func (f field) breaks(v validation) string {
	value := or(f.Value)
	length := utf8.RuneCountInString(value)
	switch {
	case f.Type != typeInput || f.Subtype == "LABEL" || f.disabled:
		return ""
	case value == "" && v.Required && f.Subtype != "RADIO":
		return "isRequired"
	case value == "":
		return ""
	case f.Subtype == "LIST" && len(v.Enum) > 0 && !slices.Contains(v.Enum, value):
		return "notInList"
	case length < v.MinLength:
		return "tooShort"
	case v.MaxLength > 0 && length > v.MaxLength:
		return "tooLong"
	case f.Subtype == "DATEPICKER" && !isDate(value, v.dateFormat()), f.Subtype != "DATEPICKER" && v.Pattern != "" && !matches(v.Pattern, value):
		return "wrongFormat"
	default:
		return ""
	}
}

// matches reports whether a value matches one of the platform's patterns; an invalid
// pattern matches everything.
func matches(pattern, value string) bool {
	compiled, err := regexp2.Compile(pattern)
	if err != nil {
		return true
	}
	compiled.MatchTimeout = patternTimeout
	found, err := compiled.MatchString(value)
	return err != nil || found
}

// dateFormat returns the date format of a DATEPICKER (docs/platform.md S20).
func (v validation) dateFormat() string { return cmp.Or(v.Pattern, "YYYY-MM-dd") }

// dateLayout converts a date format to Go's layout.
var dateLayout = strings.NewReplacer("YYYY", "2006", "yyyy", "2006", "YY", "06", "yy", "06", "MMMM", "January", "MMM", "Jan", "MM", "01", "DD", "02", "dd", "02")

// isDate reports whether a value has a date format; an unknown format accepts everything.
func isDate(value, format string) bool {
	layout := dateLayout.Replace(format)
	_, err := time.Parse(layout, value)
	return err == nil || layout == format
}

// radioGroup returns the group of a radio button.
func (f field) radioGroup() string {
	v := f.rules()
	if v.Group == "" && len(v.Enum) > 0 {
		return v.Enum[0]
	}
	return v.Group
}

// complaints returns the errors in the values of an approval's fields, by field id. In a
// required group of radio buttons one has to be chosen.
func (a approval) complaints(said words) map[string]string {
	found := map[string]string{}
	for _, f := range a.Fields {
		if text := f.complaint(said); text != "" {
			found[f.ID] = text
		}
		if v := f.rules(); f.Subtype == "RADIO" && v.Required && !f.disabled && !a.chosen(f.radioGroup()) {
			found[f.ID] = cmp.Or(v.ErrorMessage, said["chooseOne"])
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
		found := a.complaints(pageWords()[defaultLanguage])
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
