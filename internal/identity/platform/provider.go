package platform

import (
	_ "embed" // the list of providers
	"strings"
	"sync"
)

// aaguids has a line "AAGUID,name" for each model or keeper of passkeys whose name is public,
// in order; make aaguids renews it.
//
//go:embed aaguids.csv
var aaguids string

var providers = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(aaguids) {
		aaguid, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ",")
		all[aaguid] = name
	}
	return all
})

// Provider returns the name of the provider of a passkey, by its AAGUID: a name that its maker
// publishes. It helps people to recognise their passkeys, and decides nothing. Empty if
// unknown.
func Provider(aaguid string) string { return providers()[strings.ToLower(aaguid)] }
