package signing

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// withOrigin is the data of a package with its origin, which the platform adds
// where the client gives none (docs/platform.md S4).
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

// withCeremony is settings that are not null, and have what the SDKs read of them.
func withCeremony(settings jsontext.Value) jsontext.Value {
	const ceremony = `{"ceremony":{"inPerson":false}}`
	if !given(settings) || settings.Kind() != '{' {
		return jsontext.Value(ceremony)
	}
	return withoutNulls(settings)
}

// withoutNulls is a value without the members that are null: the SDKs read a
// member that is not there, and fail on one that is null (docs/platform.md S14).
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
