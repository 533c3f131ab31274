package wire

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Rules collects all violations of a payload.
type Rules struct{ violations []Violation }

// Broken adds the member's violation of a rule.
func (r *Rules) Broken(field, message string) {
	r.violations = append(r.violations, Violation{Field: field, Message: message})
}

// Required requires a non-empty string.
func (r *Rules) Required(field string, value *string) {
	if value == nil || *value == "" {
		r.Broken(field, "is required")
	}
}

// OneOf requires that a string is absent or one of the allowed.
func (r *Rules) OneOf(field string, value *string, allowed ...string) {
	if value != nil && !slices.Contains(allowed, *value) {
		r.Broken(field, "must be one of "+strings.Join(allowed, ", "))
	}
}

// Length requires that a string is absent or has least to most characters.
func (r *Rules) Length(field string, value *string, least, most int) {
	if value == nil {
		return
	}
	if n := utf8.RuneCountInString(*value); n < least || n > most {
		r.Broken(field, fmt.Sprintf("must have %d to %d characters", least, most))
	}
}

// Matches requires that a string is absent or matches the pattern of what it must be.
func (r *Rules) Matches(field string, value *string, pattern *regexp.Regexp, what string) {
	if value != nil && !pattern.MatchString(*value) {
		r.Broken(field, "must be "+what)
	}
}

// Err returns nil, or the 400 that names every violation.
func (r *Rules) Err() error {
	if len(r.violations) == 0 {
		return nil
	}
	return Invalid(r.violations...)
}

// Address requires an address of http or https, or "".
func (r *Rules) Address(field, address string) {
	u, err := url.Parse(address)
	if address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		r.Broken(field, "must be an address of http or https")
	}
}
