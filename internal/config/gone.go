package config

import "strings"

// gone are the settings of earlier versions, without Prefix, and what is said of each: the
// first words are what to set instead.
var gone = map[string]string{
	"VERIFICATION_CREATORS": "is " + Prefix + "IDV_CREATORS now",
	"VERIFICATION_ERASURE":  "is " + Prefix + "IDV_ERASURE now",
}

// goneSetting is what is said of a setting of an earlier version, or of its _FILE.
func goneSetting(name string) (says string, ok bool) {
	says, ok = gone[strings.TrimSuffix(name, "_FILE")]
	return says, ok
}
