package signing

import (
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// The members of Countersign's own data that are changed alone: see Ownership.
const (
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

// WithKept returns d with another sealed text.
func (d OwnData) WithKept(sealed string) OwnData { return d.withText(ownKept, sealed) }

// WithCancelledBy returns d with the operator who takes the package back.
func (d OwnData) WithCancelledBy(user string) OwnData { return d.withText(ownCancelledBy, user) }

// withText returns d with a text of our own, base64url or a user id.
func (d OwnData) withText(name, text string) OwnData {
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
