package signing

import (
	"bytes"
	"io"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
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

// The members of Countersign's own data that are changed alone: see Ownership.
const (
	ownForm        = "form"
	ownPage        = "page"
	ownProofs      = "proofs"
	ownKept        = "kept"
	ownCancelledBy = "cancelledBy"
)

// OwnData is a package's data (docs/platform.md S18), in which Countersign's own can be
// changed while everything else stays as it is.
type OwnData struct{ data, own map[string]jsontext.Value }

// ReadOwnData decodes a package's data; data that is no object counts as none.
func ReadOwnData(data jsontext.Value) OwnData {
	d := OwnData{data: objectOf(data)}
	d.own = objectOf(d.data["countersign"])
	return d
}

func objectOf(value jsontext.Value) map[string]jsontext.Value {
	members := map[string]jsontext.Value{}
	if value.Kind() != '{' || payload.Unmarshal(value, &members) != nil {
		return map[string]jsontext.Value{}
	}
	return members
}

// Proofs returns what is asked of the signers, as package proofs reads it; nil for nothing.
func (d OwnData) Proofs() jsontext.Value {
	if value := d.own[ownProofs]; value.Kind() != 'n' {
		return value
	}
	return nil
}

// Kept returns what signers proved, sealed by package proofs; "" for nothing.
func (d OwnData) Kept() (sealed string) {
	_ = json.Unmarshal(d.own[ownKept], &sealed) // a value of another kind is not ours
	return sealed
}

// WithProofs returns d with other proofs; nil asks for none.
func (d OwnData) WithProofs(value jsontext.Value) OwnData { return d.with(ownProofs, value) }

// WithForm returns d with another form and page; "" removes one.
func (d OwnData) WithForm(form, page string) OwnData {
	return d.withText(ownForm, form).withText(ownPage, page)
}

// WithKept returns d with another sealed text.
func (d OwnData) WithKept(sealed string) OwnData { return d.withText(ownKept, sealed) }

// WithCancelledBy returns d with the operator who takes the package back.
func (d OwnData) WithCancelledBy(user string) OwnData { return d.withText(ownCancelledBy, user) }

// withText returns d with a text of our own, base64url or a user id; "" removes it.
func (d OwnData) withText(name, text string) OwnData {
	if text == "" {
		return d.with(name, nil)
	}
	value, err := json.Marshal(text)
	if err != nil {
		panic(err) // it is UTF-8
	}
	return d.with(name, value)
}

func (d OwnData) with(name string, value jsontext.Value) OwnData {
	own := maps.Clone(d.own)
	if own[name] = value; value == nil {
		delete(own, name)
	}
	return OwnData{data: d.data, own: own}
}

// Changes returns the change of the package that stores d, for Client.Change.
func (d OwnData) Changes() (map[string]any, error) {
	data := maps.Clone(d.data)
	own, err := asStored(d.own)
	if err != nil {
		return nil, err
	}
	data["countersign"] = own
	return map[string]any{"data": data}, nil
}

// asStored encodes members that the platform has stored, as it stores them.
func asStored(members map[string]jsontext.Value) (jsontext.Value, error) {
	text, err := json.Marshal(members, json.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, fault.Wrap(fault.PlatformFailed, err)
	}
	return text, nil
}

// SetOwnership puts o into the payload, which is an object that passed a Check. original is the
// data of the package that it copies, nil for none: a copy has that too, but for Countersign's
// own, unless the payload has data.
func (p *Payload) SetOwnership(o Ownership, original jsontext.Value) error {
	own, err := json.Marshal(o)
	if err != nil {
		return err
	}
	data := ReadOwnData(original).data
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

// KeepOwnership makes an update of a package's data keep Countersign's own data. The
// payload is an object that passed a Check.
func (p *Payload) KeepOwnership(stored *Package) {
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
