package wire

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
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

// Age requires a duration of at least zero, such as "36h", or "".
func (r *Rules) Age(field, age string) {
	if by, err := time.ParseDuration(age); age != "" && (err != nil || by < 0) {
		r.Broken(field, `must be a duration such as "36h"`)
	}
}

// Within adds the violations of a part, which stands at that place.
func (r *Rules) Within(place string, part Rules) {
	for _, v := range part.violations {
		r.Broken(place+"."+v.Field, v.Message)
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
