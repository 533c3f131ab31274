package signing

import (
	"unicode/utf8"

	"github.com/dlclark/regexp2/v2"

	"countersign/internal/payload"
)

// maxPattern limits a pattern, in characters.
const maxPattern = 10_000

// validation checks the restrictions on what may be entered into a field.
func (r *rules) validation(field payload.Object, subtype string) {
	var o payload.Object
	if v, ok := field.Member("validation"); ok {
		if o, ok = v.Object(); !ok {
			return
		}
	}
	if subtype == "LIST" && !isNonEmpty(o, "enum") {
		r.Note(field.Pointer()+"/validation/enum", "field.required")
	}
	o.Booleans("required")
	o.OptionalStrings("errorMessage")
	r.onLine(o, "group")
	for v := range o.Elements("enum") {
		v.Text()
		r.line(v)
	}
	shortest, bounded := o.Whole("minLength")
	if longest, ok := o.Whole("maxLength"); ok && bounded && shortest > longest {
		o.Note("minLength", "field.min-length")
	}
	pattern, ok := o.Text("pattern")
	if ok && (utf8.RuneCountInString(pattern) > maxPattern || subtype != "DATEPICKER" && !r.compiles(pattern)) {
		o.Note("pattern", "field.pattern")
	}
}

// isNonEmpty reports whether a member is an array with something in it.
func isNonEmpty(o payload.Object, name string) bool {
	for range o.Elements(name) {
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
