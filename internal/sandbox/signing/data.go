package signing

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/sandbox/wire"
)

// edited returns an object after change, which is given its members; null counts as an empty
// one. Any other value is returned as it is.
func edited(value jsontext.Value, change func(members map[string]jsontext.Value)) jsontext.Value {
	members := map[string]jsontext.Value{}
	if wire.Given(value) && json.Unmarshal(value, &members) != nil {
		return value
	}
	change(members)
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return value
	}
	return text
}

// withOrigin returns the data of a package with its origin, which the platform adds if
// the client gives none (docs/platform.md S4).
func withOrigin(data jsontext.Value) jsontext.Value {
	return edited(data, func(members map[string]jsontext.Value) {
		if members["origin"] == nil {
			members["origin"] = jsontext.Value(`"api"`)
		}
	})
}

// ceremony has the members that the settings of a ceremony always have, with their defaults.
const ceremony = `{"ada":false,"declineButton":true,"declineReasons":[],"disableDeclineOther":false,"disableDownloadForUncompletedPackage":false,` +
	`"disableFirstInPersonAffidavit":false,"disableInPersonAffidavit":false,"disableOptOutOther":false,"disableSecondInPersonAffidavit":false,` +
	`"enforceCaptureSignature":false,"extractAcroFields":false,"extractTextTags":false,"hideCaptureText":false,"hideLanguageDropdown":true,` +
	`"hidePackageOwnerInPerson":false,"hideWatermark":false,"inPerson":false,"optOutButton":false,"optOutReasons":[]}`

// withCeremony returns settings that are not null, and have the members that the platform
// always answers with.
func withCeremony(settings jsontext.Value) jsontext.Value {
	return edited(withoutNulls(settings), func(members map[string]jsontext.Value) {
		members["ceremony"] = edited(jsontext.Value(ceremony), func(all map[string]jsontext.Value) {
			_ = json.Unmarshal(members["ceremony"], &all) // what is no object has no members
		})
	})
}

// withRequired returns a field's rules without nulls, and with the member that they always have.
func withRequired(rules jsontext.Value) jsontext.Value {
	if !wire.Given(rules) {
		return rules
	}
	return edited(withoutNulls(rules), func(members map[string]jsontext.Value) {
		if members["required"] == nil {
			members["required"] = jsontext.Value("false")
		}
	})
}

// withoutNulls returns a value without null members: the SDKs accept a missing member,
// and fail on a null (docs/platform.md S14).
func withoutNulls(value jsontext.Value) jsontext.Value {
	if value.Kind() != '{' {
		return value
	}
	return edited(value, func(members map[string]jsontext.Value) {
		for name, member := range members {
			if members[name] = withoutNulls(member); !wire.Given(member) {
				delete(members, name)
			}
		}
	})
}
