package signing

import (
	"countersign/internal/payload"
	"countersign/internal/safetext"
)

// onLine notes the named texts, which are what people and things are called, that have
// control characters or turn the direction of writing. What the platform has already is
// let through: a client may send back a whole package with one change.
func (r *rules) onLine(o payload.Object, names ...string) { r.shown(o, safetext.IsLine, names) }

// inProse is onLine for texts that people read, which may have several lines.
func (r *rules) inProse(o payload.Object, names ...string) { r.shown(o, safetext.IsProse, names) }

func (r *rules) shown(o payload.Object, fits func(string) bool, names []string) {
	for _, name := range names {
		if v, ok := o.Member(name); ok && !fits(v.Peek()) && !r.isUnchanged(v.Pointer()) {
			r.Note(v.Pointer(), "field.controls")
		}
	}
}

// inList is onLine and inProse for the objects in a list.
func (r *rules) inList(o payload.Object, list string, names, prose []string) {
	v, ok := o.Member(list)
	if !ok || v.Kind() != '[' {
		return
	}
	for element := range v.Elements() {
		if element.Kind() == '{' {
			one, _ := element.Object()
			r.onLine(one, names...)
			r.inProse(one, prose...)
		}
	}
}
