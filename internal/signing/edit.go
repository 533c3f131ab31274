package signing

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Ownership is the data that Countersign stores with a package, as data.countersign.
type Ownership struct {
	// Owner is the user who created the package.
	Owner string `json:"owner"`
	// OwnerName is the display name of the owner's account; "" if it has none.
	OwnerName string `json:"ownerName,omitzero"`
	// Key is the digest of the request's idempotency key; "" if it had none.
	Key string `json:"key,omitzero"`
	// Form is the form that a draft was prepared with, sealed; "" if there is none.
	Form string `json:"form,omitzero"`
	// Proofs is what is asked of the signers, and Kept, sealed, what they proved: see
	// package proofs.
	Proofs jsontext.Value `json:"proofs,omitzero"`
	Kept   string         `json:"kept,omitzero"`
	// CancelledBy is the operator who took back a package that is another's; "" if none did.
	CancelledBy string `json:"cancelledBy,omitzero"`
}

// edit replaces drop bytes of a payload by text.
type edit struct {
	at, drop int64
	text     string
}

// SetOwnership puts o into the payload, which is an object that passed a Check.
func (p *Payload) SetOwnership(o Ownership) error {
	text, err := json.Marshal(o)
	if err == nil {
		p.setCountersign(string(text))
	}
	return err
}

// KeepOwnership makes an update of a package's data keep Countersign's own data. The
// payload is an object that passed a Check.
func (p *Payload) KeepOwnership(s *Stored) {
	if p.Has("data") && s != nil && len(s.Data.Countersign) > 0 {
		p.setCountersign(string(s.Data.Countersign))
	}
}

// Has reports whether the payload is an object with one of members, which may be null.
func (p *Payload) Has(members ...string) bool {
	o := p.object()
	return slices.ContainsFunc(members, func(name string) bool {
		_, has := o.members[name]
		return has
	})
}

// Gives reports whether the payload is an object in which the member is present and not
// null.
func (p *Payload) Gives(member string) bool { return p.object().has(member) }

// SignsField reports whether the payload makes a field a signature.
func (p *Payload) SignsField() bool { return p.object().peek("type") == signature }

func (p *Payload) object() object {
	o, _ := value{text: p.text, rules: newRules(p, Context{})}.object()
	return o
}

func (p *Payload) setCountersign(text string) {
	o := p.object()
	at, given := o.members["data"]
	data, object := o.member("data")
	switch {
	case !given:
		p.insert(o, `"data":{"countersign":`+text+`}`)
	case !object:
		p.replace(at.from, at.to, `{"countersign":`+text+`}`)
	default:
		members, _ := data.object()
		if null, ok := members.members["countersign"]; ok {
			p.replace(data.offset+null.from, data.offset+null.to, text)
			return
		}
		p.insert(members, `"countersign":`+text)
	}
}

// insert puts a member before the members of o.
func (p *Payload) insert(o object, member string) {
	if len(o.members) > 0 {
		member += ","
	}
	begin := o.offset + bytes.IndexByte(o.text, '{') + 1
	p.replace(begin, begin, member)
}

// replace puts text in place of the skeleton's bytes from from to to.
func (p *Payload) replace(from, to int, text string) {
	at := p.scanned.Original(from)
	p.edits = append(p.edits, edit{at: at, drop: p.scanned.Original(to) - at, text: text})
}

// Size returns the length of the edited payload, in bytes.
func (p *Payload) Size() int64 {
	size := p.size
	for _, e := range p.edits {
		size += int64(len(e.text)) - e.drop
	}
	return size
}

// Edited returns the payload as it is sent on: byte for byte the original that it was
// read from, with Countersign's edits.
func (p *Payload) Edited(original io.Reader) io.Reader {
	edits := slices.SortedFunc(slices.Values(p.edits), func(a, b edit) int { return cmp.Compare(a.at, b.at) })
	var parts []io.Reader
	var at int64
	for _, e := range edits {
		parts = append(parts, io.LimitReader(original, e.at-at), strings.NewReader(e.text), dropped{io.LimitReader(original, e.drop)})
		at = e.at + e.drop
	}
	return io.MultiReader(append(parts, original)...)
}

// dropped consumes the bytes of its reader and yields none.
type dropped struct{ io.Reader }

func (d dropped) Read([]byte) (int, error) {
	if _, err := io.Copy(io.Discard, d.Reader); err != nil {
		return 0, err
	}
	return 0, io.EOF
}

// ownData refuses data that only Countersign may set, and limits the rest.
func (r *rules) ownData(o object) {
	if v, ok := o.member("data"); ok {
		data, ok := v.object()
		if ok && data.has("countersign") {
			data.note("countersign", "field.countersign")
		}
		data.limitData()
	}
}
