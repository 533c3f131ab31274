package signing

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaxProse limits the length of a text written to people, in characters.
const MaxProse = 4000

const (
	// maxText limits a text, and the name of a member, in bytes of UTF-8.
	maxText = 64 << 10
	// maxName limits the name of a package, document or person, maxProse a text written
	// to people, both in characters.
	maxName, maxProse = 255, MaxProse
	// maxData limits the data that a client stores with a package, in bytes.
	maxData = 16 << 10
)

// noteBound notes that v exceeds a bound, unless the platform has the same value already:
// a client may send back a whole package with one change.
func (v value) noteBound(detail string) {
	v.rules.payload.over = true
	if !v.rules.isUnchanged(v.pointer) {
		v.note(detail)
	}
}

// limitLength notes the named texts that have more than most characters.
func (o object) limitLength(most int, detail string, names ...string) {
	for _, name := range names {
		if v, ok := o.member(name); ok && utf8.RuneCountInString(v.peek()) > most {
			v.noteBound(detail)
		}
	}
}

// limitNames limits what parts of a package are called.
func (o object) limitNames(names ...string) { o.limitLength(maxName, "field.name-length", names...) }

// limitProse limits texts written to people.
func (o object) limitProse(names ...string) { o.limitLength(maxProse, "field.prose-length", names...) }

// limitPerson limits what a signer or a sender is called.
func (o object) limitPerson() { o.limitNames("firstName", "lastName", "name", "title", "company") }

// limitEmailMessage limits the message to the signer of a role, a text or an object with
// one.
func (o object) limitEmailMessage() {
	o.limitProse("emailMessage")
	if v, ok := o.member("emailMessage"); ok && v.text.Kind() == '{' {
		message, _ := v.object()
		message.limitProse("content")
	}
}

// limitDescriptions limits the descriptions of the objects in a list.
func (o object) limitDescriptions(list string) {
	if v, ok := o.member(list); ok && v.text.Kind() == '[' {
		for element := range v.elements() {
			if element.text.Kind() == '{' {
				one, _ := element.object()
				one.limitProse("description")
			}
		}
	}
}

// limitData limits a package's data, not counting Countersign's own. Members that are all
// stored already are allowed, since the platform adds some itself.
func (o object) limitData() {
	size := len("{}") - len(",")
	var members []value
	for name, at := range o.members {
		if name != "countersign" {
			member := o.part(name, at)
			size += len(name) + len(`"":,`) + o.rules.payload.plainSize(member)
			members = append(members, member)
		}
	}
	if size <= maxData {
		return
	}
	o.rules.payload.over = true
	if slices.ContainsFunc(members, func(member value) bool { return !o.rules.isUnchanged(member.pointer) }) {
		o.value.note("field.data-size")
	}
}

// plainSize returns the size of v in bytes, without white space and escapes.
func (p *Payload) plainSize(v value) (size int) {
	size = p.cutOff(int64(v.offset), int64(v.offset+len(v.text)))
	for d := jsontext.NewDecoder(bytes.NewReader(v.text)); ; {
		kind, length := d.StackIndex(d.StackDepth())
		if next := d.PeekKind(); length > 0 && kind != 0 && next != '}' && next != ']' {
			size++ // a comma or colon
		}
		token, err := d.ReadToken()
		if err != nil {
			return size
		}
		size += len(token.String())
		if token.Kind() == '"' {
			size += len(`""`)
		}
	}
}

// cutOff returns how many bytes longer a part of the payload is than the same part of the
// skeleton: a member that is no file may be called base64Content too.
func (p *Payload) cutOff(from, to int64) int {
	return int(p.scanned.Original(int(to)) - p.scanned.Original(int(from)) - (to - from))
}

// texts limits every text of the payload, except the files of its documents, and every
// member's name.
func (r *rules) texts(root value) {
	if r.payload.size <= maxText {
		return
	}
	for d := jsontext.NewDecoder(bytes.NewReader(root.text)); ; {
		from := d.InputOffset()
		token, err := d.ReadToken()
		if err != nil {
			return
		}
		if token.Kind() != '"' || len(token.String())+r.payload.cutOff(from, d.InputOffset()) <= maxText {
			continue
		}
		kind, length := d.StackIndex(d.StackDepth())
		r.tooLong(d.StackPointer(), kind == '{' && length%2 == 1)
	}
}

// tooLong notes the text at the pointer, or the member name that ends the pointer.
func (r *rules) tooLong(pointer jsontext.Pointer, isName bool) {
	long := value{pointer: string(pointer), rules: r}
	switch {
	case r.contents[long.pointer]:
	case !isName:
		long.noteBound("field.text-length")
	default:
		if r.payload.over = true; !r.twin(long.pointer).found {
			r.note(string(pointer.Parent()), "field.member-length")
		}
	}
}
