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

// ceremony has the members that the settings of a ceremony always have, with their defaults.
const ceremony = `{"ada":false,"declineButton":true,"declineReasons":[],"disableDeclineOther":false,"disableDownloadForUncompletedPackage":false,` +
	`"disableFirstInPersonAffidavit":false,"disableInPersonAffidavit":false,"disableOptOutOther":false,"disableSecondInPersonAffidavit":false,` +
	`"enforceCaptureSignature":false,"extractAcroFields":false,"extractTextTags":false,"hideCaptureText":false,"hideLanguageDropdown":true,` +
	`"hidePackageOwnerInPerson":false,"hideWatermark":false,"inPerson":false,"optOutButton":false,"optOutReasons":[]}`

// withCeremony returns settings that are not null, and have the members that the platform
// always answers with.
func withCeremony(settings jsontext.Value) jsontext.Value {
	members, all := map[string]jsontext.Value{}, map[string]jsontext.Value{}
	if settings = withoutNulls(settings); given(settings) && json.Unmarshal(settings, &members) != nil {
		return settings
	}
	if json.Unmarshal([]byte(ceremony), &all) != nil || members["ceremony"] != nil && json.Unmarshal(members["ceremony"], &all) != nil {
		return settings
	}
	var err error
	if members["ceremony"], err = json.Marshal(all, json.Deterministic(true)); err != nil {
		return settings
	}
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return settings
	}
	return text
}

// withRequired returns a field's rules without nulls, and with the member that they always have.
func withRequired(rules jsontext.Value) jsontext.Value {
	members := map[string]jsontext.Value{}
	if rules = withoutNulls(rules); !given(rules) || json.Unmarshal(rules, &members) != nil || members["required"] != nil {
		return rules
	}
	members["required"] = jsontext.Value("false")
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return rules
	}
	return text
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
