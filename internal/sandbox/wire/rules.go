package wire

import (
	"cmp"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Rules collects all violations of a payload.
type Rules struct{ violations []Violation }

// Broken adds the member's violation of a rule. Of one member the first counts.
func (r *Rules) Broken(field, message string) {
	if slices.ContainsFunc(r.violations, func(v Violation) bool { return v.Field == field }) {
		return
	}
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

// Between requires that a number is absent or one of least to most.
func Between[T cmp.Ordered](r *Rules, field string, value *T, least, most T) {
	if value != nil && (*value < least || *value > most) {
		r.Broken(field, fmt.Sprintf("must be %v to %v", least, most))
	}
}

// Email requires that a text is absent or the address of one mailbox, without a name.
func (r *Rules) Email(field string, value *string) {
	if value != nil && !IsEmail(*value) {
		r.Broken(field, "must be an e-mail address")
	}
}

// IsEmail reports whether a text is the address of one mailbox, without a name.
func IsEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
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

// Err returns nil, or the 400 that names every violation.
func (r *Rules) Err() error {
	if len(r.violations) == 0 {
		return nil
	}
	return Invalid(r.violations...)
}

// Given reports whether a member is neither absent nor null.
func Given(value jsontext.Value) bool { return value != nil && value.Kind() != 'n' }

// Set stores a value in to, if there is one.
func Set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// Address requires an address of http or https, or "".
func (r *Rules) Address(field, address string) {
	u, err := url.Parse(address)
	if address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		r.Broken(field, "must be an address of http or https")
	}
}
