package signing

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxText is the longest text, and the longest name of a member, in bytes of UTF-8.
	maxText = 64 << 10
	// maxName is the longest name of a package, document or person, maxProse the longest
	// text that people are written, both in characters.
	maxName, maxProse = 255, 4000
	// maxData is what a client may keep with a package, in bytes.
	maxData = 16 << 10
)

// over notes a bound that v breaks, but where the platform has the same already: who
// sends a package back with a change may send all of it.
func (v value) over(detail string) {
	v.rules.payload.over = true
	if !v.rules.hasSame(v.pointer) {
		v.note(detail)
	}
}

// atMost are texts of so many characters, where they are texts.
func (o object) atMost(most int, detail string, names ...string) {
	for _, name := range names {
		if v, ok := o.member(name); ok && utf8.RuneCountInString(v.peek()) > most {
			v.over(detail)
		}
	}
}

// named bounds what a part of a package is called.
func (o object) named(names ...string) { o.atMost(maxName, "field.name-length", names...) }

// prose bounds what people are written.
func (o object) prose(names ...string) { o.atMost(maxProse, "field.prose-length", names...) }

// person bounds what a signer or a sender is called.
func (o object) person() { o.named("firstName", "lastName", "name", "title", "company") }

// emailMessage is what the signer of a role is written, a text or an object with one.
func (o object) emailMessage() {
	o.prose("emailMessage")
	if v, ok := o.member("emailMessage"); ok && v.text.Kind() == '{' {
		message, _ := v.object()
		message.prose("content")
	}
}

// described bounds the descriptions in a list, as far as it is one of objects.
func (o object) described(list string) {
	if v, ok := o.member(list); ok && v.text.Kind() == '[' {
		for element := range v.elements() {
			if element.text.Kind() == '{' {
				one, _ := element.object()
				one.prose("description")
			}
		}
	}
}

// dataSize bounds a package's data, where what Countersign keeps does not count. Members
// that are all stored already are not too much: the platform adds some of its own.
func (o object) dataSize() {
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
	if slices.ContainsFunc(members, func(member value) bool { return !o.rules.hasSame(member.pointer) }) {
		o.value.note("field.data-size")
	}
}

// plainSize is how long v is, in bytes, without white space and escapes.
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

// cutOff is how many bytes longer a part of the payload is than of the skeleton: what is
// not a file may be called base64Content too.
func (p *Payload) cutOff(from, to int64) int {
	return int(p.scanned.Original(int(to)) - p.scanned.Original(int(from)) - (to - from))
}

// texts bounds every text of the payload but the files of its documents, and every
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

// tooLong notes the text at the pointer, or the name that ends it.
func (r *rules) tooLong(pointer jsontext.Pointer, isName bool) {
	long := value{pointer: string(pointer), rules: r}
	switch {
	case r.contents[long.pointer]:
	case !isName:
		long.over("field.text-length")
	default:
		if r.payload.over = true; !r.twin(long.pointer).found {
			r.note(string(pointer.Parent()), "field.member-length")
		}
	}
}
