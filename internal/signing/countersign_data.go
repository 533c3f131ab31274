package signing

import (
	"bytes"
	"io"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// CountersignData is what Countersign stores with a package, as the member countersign of its
// data (docs/platform.md S18).
type CountersignData struct {
	// Owner is the user who created the package.
	Owner string `json:"owner,omitzero"`
	// OwnerName is the display name of the owner's account; "" if it has none.
	OwnerName string `json:"ownerName,omitzero"`
	// Key is the digest of the request's idempotency key; "" if it had none.
	Key string `json:"key,omitzero"`
	// Form is the form that a draft was prepared with, sealed; "" if there is none.
	Form string `json:"form,omitzero"`
	// SendToken is the form token of the page that sent the package; "" if none did.
	SendToken string `json:"page,omitzero"`
	// Proofs says what signers must prove, and Kept holds, sealed, what they proved: see
	// package proofs.
	Proofs jsontext.Value `json:"proofs,omitzero"`
	Kept   string         `json:"kept,omitzero"`
	// CancelledBy is the operator who took back a package that is another's; "" if none did.
	CancelledBy string `json:"cancelledBy,omitzero"`
	// Rest holds members that this version does not know.
	Rest map[string]jsontext.Value `json:",embed"`
}

// WithCountersign returns the change of the package that stores d, for Client.Change; everything
// else in its data stays as it is.
func (p Package) WithCountersign(d CountersignData) (map[string]any, error) {
	own, err := asStored(d)
	if err != nil {
		return nil, err
	}
	data := objectOf(p.Data)
	data["countersign"] = own
	return map[string]any{"data": data}, nil
}

// objectOf returns the members of value; a value that is no object has none.
func objectOf(value jsontext.Value) map[string]jsontext.Value {
	members := map[string]jsontext.Value{}
	if value.Kind() != '{' || payload.Unmarshal(value, &members) != nil {
		return map[string]jsontext.Value{}
	}
	return members
}

// asStored encodes data that the platform has stored, as it stores it.
func asStored(data any) (jsontext.Value, error) {
	text, err := json.Marshal(data, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	return text, nil
}

// SetCountersign puts d into the payload, which is an object that passed a Check. original is the
// data of the package that it copies, nil for none: a copy has that too, but for Countersign's
// own, unless the payload has data.
func (p *Payload) SetCountersign(d CountersignData, original jsontext.Value) error {
	own, err := json.Marshal(d)
	if err != nil {
		return err
	}
	data := objectOf(original)
	if len(data) == 0 || p.Has("data") {
		p.setCountersign(string(own))
		return nil
	}
	data["countersign"] = own
	text, err := asStored(data)
	if err == nil {
		p.insert(p.object(), `"data":`+string(text))
	}
	return err
}

// KeepCountersign makes an update of a package's data keep Countersign's own data. The
// payload is an object that passed a Check.
func (p *Payload) KeepCountersign(stored *Package) {
	if stored == nil || !p.Has("data") {
		return
	}
	if own := objectOf(stored.Data)["countersign"]; len(own) > 0 {
		p.setCountersign(string(own))
	}
}

// Has reports whether the payload is an object with one of members, which may be null.
func (p *Payload) Has(members ...string) bool {
	o := p.object()
	return slices.ContainsFunc(members, func(name string) bool {
		_, has := o.RawMember(name)
		return has
	})
}

// Gives reports whether the payload is an object in which the member is present and not
// null.
func (p *Payload) Gives(member string) bool { return p.object().Has(member) }

// SignsField reports whether the payload makes a field a signature.
func (p *Payload) SignsField() bool { return p.object().StringOrEmpty("type") == signature }

func (p *Payload) object() payload.Object {
	o, _ := new(payload.Violations).Examine(p.text).Object()
	return o
}

func (p *Payload) setCountersign(text string) {
	o := p.object()
	data, given := o.RawMember("data")
	switch {
	case !given:
		p.insert(o, `"data":{"countersign":`+text+`}`)
	case data.Kind() == 'n':
		p.replace(data.Place(), `{"countersign":`+text+`}`)
	default:
		members, _ := data.Object()
		if null, ok := members.RawMember("countersign"); ok {
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

// replace puts text instead of a part of the skeleton.
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
