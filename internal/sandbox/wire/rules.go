package wire

import (
	"net/url"
	"slices"
	"strings"
)

// Rules collects what is wrong with a payload, all of it at once.
type Rules struct{ violations []Violation }

// Broken notes that the member breaks a rule.
func (r *Rules) Broken(field, message string) {
	r.violations = append(r.violations, Violation{Field: field, Message: message})
}

// Required wants a string that is there and not empty.
func (r *Rules) Required(field string, value *string) {
	if value == nil || *value == "" {
		r.Broken(field, "is required")
	}
}

// OneOf wants a string that is absent or one of the allowed.
func (r *Rules) OneOf(field string, value *string, allowed ...string) {
	if value != nil && !slices.Contains(allowed, *value) {
		r.Broken(field, "must be one of "+strings.Join(allowed, ", "))
	}
}

// Err is nil, or the 400 that names every violation.
func (r *Rules) Err() error {
	if len(r.violations) == 0 {
		return nil
	}
	return Invalid(r.violations...)
}

// Address wants an address of http or https; "" is none, and allowed.
func (r *Rules) Address(field, address string) {
	u, err := url.Parse(address)
	if address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		r.Broken(field, "must be an address of http or https")
	}
}
