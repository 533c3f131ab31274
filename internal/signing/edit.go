package signing

import (
	"bytes"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
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
	// Page is the once of the page from which the package was sent; "" if none was.
	Page string `json:"page,omitzero"`
	// Proofs says what signers must prove, and Kept holds, sealed, what they proved: see
	// package proofs.
	Proofs jsontext.Value `json:"proofs,omitzero"`
	Kept   string         `json:"kept,omitzero"`
	// CancelledBy is the operator who took back a package that is another's; "" if none did.
	CancelledBy string `json:"cancelledBy,omitzero"`
}

// SetOwnership puts o into the payload, which is an object that passed a Check.
func (p *Payload) SetOwnership(o Ownership) error {
	text, err := json.Marshal(o)
	if err == nil {
		p.setCountersign(string(text))
	}
	return err
}

// SetOwnershipOfCopy is SetOwnership for a copy of a package with that data, which the copy
// has too, but for Countersign's own, unless the payload names data of its own.
func (p *Payload) SetOwnershipOfCopy(o Ownership, original jsontext.Value) error {
	data := ReadOwnData(original).data
	if len(data) == 0 || p.Has("data") {
		return p.SetOwnership(o)
	}
	own, err := json.Marshal(o)
	if err != nil {
		return err
	}
	data["countersign"] = own
	text, err := asStored(data)
	if err == nil {
		p.insert(p.object(), `"data":`+string(text))
	}
	return err
}

// KeepOwnership makes an update of a package's data keep Countersign's own data. The
// payload is an object that passed a Check.
func (p *Payload) KeepOwnership(s *Stored) {
	if s == nil || !p.Has("data") {
		return
	}
	if own := objectOf(s.Data)["countersign"]; len(own) > 0 {
		p.setCountersign(string(own))
	}
}

// Has reports whether the payload is an object with one of members, which may be null.
func (p *Payload) Has(members ...string) bool {
	o := p.object()
	return slices.ContainsFunc(members, func(name string) bool {
		_, has := o.Part(name)
		return has
	})
}

// Gives reports whether the payload is an object in which the member is present and not
// null.
func (p *Payload) Gives(member string) bool { return p.object().Has(member) }

// SignsField reports whether the payload makes a field a signature.
func (p *Payload) SignsField() bool { return p.object().Peek("type") == signature }

func (p *Payload) object() payload.Object {
	o, _ := new(payload.Violations).Examine(p.text).Object()
	return o
}

func (p *Payload) setCountersign(text string) {
	o := p.object()
	data, given := o.Part("data")
	switch {
	case !given:
		p.insert(o, `"data":{"countersign":`+text+`}`)
	case data.Kind() == 'n':
		p.replace(data.Place(), `{"countersign":`+text+`}`)
	default:
		members, _ := data.Object()
		if null, ok := members.Part("countersign"); ok {
			p.replace(null.Place(), text)
			return
		}
		p.insert(members, `"countersign":`+text)
	}
}

// insert puts a member before the members of o.
func (p *Payload) insert(o payload.Object, member string) {
	if len(o.Names()) > 0 {
		member += ","
	}
	begin := o.Place().From + bytes.IndexByte(o.Raw(), '{') + 1
	p.replace(payload.Place{From: begin, To: begin}, member)
}

// replace puts text in place of a part of the skeleton.
func (p *Payload) replace(at payload.Place, text string) {
	p.edits = append(p.edits, payload.Edit{From: p.scanned.Original(at.From), To: p.scanned.Original(at.To), Text: text})
}

// Size returns the length of the edited payload, in bytes.
func (p *Payload) Size() int64 { return p.edits.Size(p.size) }

// Edited returns the payload as it is sent on: byte for byte the original that it was
// read from, with Countersign's edits.
func (p *Payload) Edited(original io.Reader) io.Reader { return p.edits.Apply(original) }

// ownData refuses data that only Countersign may set, and limits the rest.
func (r *rules) ownData(o payload.Object) {
	if v, ok := o.Member("data"); ok {
		data, ok := v.Object()
		if ok && data.Has("countersign") {
			data.Note("countersign", "field.countersign")
		}
		r.limitData(data)
	}
}
