package signing

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// withOrigin returns the data of a package with its origin, which the platform adds if
// the client gives none (docs/platform.md S4).
func withOrigin(data jsontext.Value) jsontext.Value {
	members := map[string]jsontext.Value{}
	if given(data) && (json.Unmarshal(data, &members) != nil || members["origin"] != nil) {
		return data
	}
	if len(members) == 0 {
		return jsontext.Value(`{"origin":"api"}`)
	}
	text := data.Clone()
	if text.Compact() != nil {
		return data
	}
	return append(text[:len(text)-1], `,"origin":"api"}`...)
}

// withCeremony returns settings that are not null, and have the members that the SDKs
// read.
func withCeremony(settings jsontext.Value) jsontext.Value {
	const ceremony = `{"ceremony":{"inPerson":false}}`
	if !given(settings) || settings.Kind() != '{' {
		return jsontext.Value(ceremony)
	}
	return withoutNulls(settings)
}

// withoutNulls returns a value without null members: the SDKs accept a missing member,
// and fail on a null (docs/platform.md S14).
func withoutNulls(value jsontext.Value) jsontext.Value {
	if !given(value) || value.Kind() != '{' {
		return value
	}
	members := map[string]jsontext.Value{}
	if json.Unmarshal(value, &members) != nil {
		return value
	}
	for name, member := range members {
		if !given(member) {
			delete(members, name)
			continue
		}
		members[name] = withoutNulls(member)
	}
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return value
	}
	return text
}
