package signing

import (
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"
)

// maxPattern limits a pattern, in characters.
const maxPattern = 10_000

// validation checks the restrictions on what may be entered into a field.
func (r *rules) validation(field object, subtype string) {
	var o object
	if v, ok := field.member("validation"); ok {
		if o, ok = v.object(); !ok {
			return
		}
	}
	if subtype == "LIST" && !o.filled("enum") {
		field.note("validation/enum", "field.required")
	}
	o.booleans("required")
	o.strings("errorMessage")
	for v := range o.elements("enum") {
		v.string()
	}
	shortest, bounded := o.count("minLength")
	if longest, ok := o.count("maxLength"); ok && bounded && shortest > longest {
		o.note("minLength", "field.min-length")
	}
	pattern, ok := o.string("pattern")
	if ok && (utf8.RuneCountInString(pattern) > maxPattern || subtype != "DATEPICKER" && !r.compiles(pattern)) {
		o.note("pattern", "field.pattern")
	}
}

// filled reports whether a member is an array with something in it.
func (o object) filled(name string) bool {
	for range o.elements(name) {
		return true
	}
	return false
}

// compiles reports whether pattern is valid in the platform's dialect. The same pattern
// is compiled once.
func (r *rules) compiles(pattern string) bool {
	good, known := r.patterns[pattern]
	if !known {
		_, err := regexp2.Compile(pattern)
		good = err == nil
		r.patterns[pattern] = good
	}
	return good
}
