package signing

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// MaxProse limits the length of a text written to people, in characters.
const MaxProse = 4000

const (
	// maxText limits a text, and the name of a member, in bytes of UTF-8.
	maxText = 64 << 10
	// maxName limits the name of a package, document or person, maxProse a text written
	// to people, both in characters.
	maxName, maxProse = 255, MaxProse
	// maxEntries limits the elements of an array and the members of an object, wherever no
	// less is allowed.
	maxEntries = 1000
	// maxAllElements limits the elements of all arrays of a payload, and maxAllMembers the
	// members of all its objects.
	maxAllElements, maxAllMembers = 20_000, 100_000
	// maxData limits the data that a client stores with a package, in bytes.
	maxData = 16 << 10
)

// noteBound notes that the value at the pointer exceeds a bound, unless the platform has the same value already:
// a client may send back a whole package with one change.
func (r *rules) noteBound(pointer, detail string) {
	r.payload.over = true
	if !r.isUnchanged(pointer) {
		r.Note(pointer, detail)
	}
}

// limitLength notes the named texts that have more than most characters.
func (r *rules) limitLength(o payload.Object, most int, detail string, names ...string) {
	for _, name := range names {
		if v, ok := o.Member(name); ok && utf8.RuneCountInString(v.StringOrEmpty()) > most {
			r.noteBound(v.Pointer(), detail)
		}
	}
}

// sized checks that a text, if present, has 1 to 255 characters.
func (r *rules) sized(o payload.Object, name string) {
	if text, ok := o.Text(name); ok && text == "" {
		o.Note(name, "field.length")
	}
	r.limitLength(o, maxName, "field.length", name)
	r.onLine(o, name)
}

// limitNames limits what parts of a package are called.
func (r *rules) limitNames(o payload.Object, names ...string) {
	r.limitLength(o, maxName, "field.name-length", names...)
	r.onLine(o, names...)
}

// limitProse limits texts written to people.
func (r *rules) limitProse(o payload.Object, names ...string) {
	r.limitLength(o, maxProse, "field.prose-length", names...)
}

// limitPerson limits what a signer or a sender is called.
func (r *rules) limitPerson(o payload.Object) {
	r.limitNames(o, "firstName", "lastName", "name", "title", "company")
}

// limitEmailMessage limits the message to the signer of a role, a text or an object with
// one.
func (r *rules) limitEmailMessage(o payload.Object) {
	r.limitProse(o, "emailMessage")
	if v, ok := o.Member("emailMessage"); ok && v.Kind() == '{' {
		message, _ := v.Object()
		r.limitProse(message, "content")
	}
}

// limitDescriptions limits the descriptions of the objects in a list.
func (r *rules) limitDescriptions(o payload.Object, list string) {
	if v, ok := o.Member(list); ok && v.Kind() == '[' {
		for element := range v.Elements() {
			if element.Kind() == '{' {
				one, _ := element.Object()
				r.limitProse(one, "description")
			}
		}
	}
}

// limitData limits a package's data, not counting Countersign's own. Members that are all
// stored already are allowed, since the platform adds some itself.
func (r *rules) limitData(o payload.Object) {
	size := len("{}") - len(",")
	var members []payload.Value
	for _, name := range o.Names() {
		if member, _ := o.RawMember(name); name != "countersign" {
			size += len(name) + len(`"":,`) + r.payload.plainSize(member)
			members = append(members, member)
		}
	}
	if size <= maxData {
		return
	}
	r.payload.over = true
	if slices.ContainsFunc(members, func(member payload.Value) bool { return !r.isUnchanged(member.Pointer()) }) {
		o.NoteSelf("field.data-size")
	}
}

// plainSize returns the size of v in bytes, without white space and escapes.
func (p *Payload) plainSize(v payload.Value) (size int) {
	at := v.Place()
	size = p.cutOff(int64(at.From), int64(at.To))
	for d := jsontext.NewDecoder(bytes.NewReader(v.Raw())); ; {
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

// everywhere limits every text and number of the payload, except the files of its documents,
// every member's name, and how many entries every array and object has, and all together. Texts
// that no other rule names are prose.
func (r *rules) everywhere(root payload.Value) {
	var all entries
	for d := jsontext.NewDecoder(bytes.NewReader(root.Raw())); ; {
		from := d.InputOffset()
		token, err := d.ReadToken()
		if err != nil {
			return
		}
		kind, length := d.StackIndex(d.StackDepth())
		isName := kind == '{' && length%2 == 1
		if isLong := token.Kind() == '"' || token.Kind() == '0'; isLong && len(token.String())+r.payload.cutOff(from, d.InputOffset()) > maxText {
			r.tooLong(d.StackPointer(), isName)
		}
		if token.Kind() == '"' && !isName {
			r.inProse(token.String(), d.StackPointer)
		}
		switch {
		case kind == '[' && length == maxEntries+1:
			if list := string(d.StackPointer().Parent()); !r.fieldLists[list] {
				r.noteBound(list, "field.items-most")
			}
		case isName && length == 2*maxEntries+1:
			r.noteBound(string(d.StackPointer().Parent()), "field.members-most")
		}
		if all.count(kind, length) {
			r.noteAll(string(d.StackPointer().Parent()))
		}
	}
}

// entries counts the members and elements of all objects and arrays of a JSON value.
type entries struct{ elements, members int }

// count counts the last token, which has the given place in its array or object, and
// reports whether it is the first beyond a limit.
func (e *entries) count(kind jsontext.Kind, length int64) bool {
	switch {
	case kind == '[' && length > 0: // 0 is the beginning
		e.elements++
		return e.elements == maxAllElements+1
	case kind == '{' && length%2 == 1:
		e.members++
		return e.members == maxAllMembers+1
	}
	return false
}

// noteAll notes that all arrays, or all objects, of the payload have too many entries, unless
// the stored package has as many itself.
func (r *rules) noteAll(pointer string) {
	r.payload.over = true
	if given := countEntries(r.payload.text); r.storedPackage() != nil {
		stored := countEntries(r.storedPackage().raw)
		if given.elements <= max(stored.elements, maxAllElements) && given.members <= max(stored.members, maxAllMembers) {
			return
		}
	}
	r.Note(pointer, "field.total-most")
}

func countEntries(text jsontext.Value) (all entries) {
	for d := jsontext.NewDecoder(bytes.NewReader(text), payload.Tolerant()); ; {
		if _, err := d.ReadToken(); err != nil {
			return all
		}
		all.count(d.StackIndex(d.StackDepth()))
	}
}

// tooLong notes the text at the pointer, or the member name that ends the pointer.
func (r *rules) tooLong(at jsontext.Pointer, isName bool) {
	pointer := string(at)
	switch {
	case r.contents[pointer]:
	case !isName:
		r.noteBound(pointer, "field.text-length")
	default:
		if r.payload.over = true; !r.twin(pointer).found {
			r.Note(string(at.Parent()), "field.member-length")
		}
	}
}
