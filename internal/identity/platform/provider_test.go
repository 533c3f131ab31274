package platform_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	identityapi "countersign/internal/identity/platform"
	"countersign/internal/safetext"
)

const aaguidList = "aaguids.csv"

// from is a list of AAGUIDs whose names are taken over: a JSON object {AAGUID: {"name": …}}, or
// lines "AAGUID,name".
var from = flag.String("from", "", "a list of AAGUIDs to renew "+aaguidList+" from")

var aaguidForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// Each line of the list can be shown, in order, and is found by its AAGUID in any case.
func TestProviders_FoundByAAGUID(t *testing.T) {
	if *from != "" {
		renew(t)
	}
	file, err := os.ReadFile(aaguidList)
	if err != nil {
		t.Fatal(err)
	}
	names := readAAGUIDs(t, file)
	if len(names) < 200 || string(file) != listed(names) {
		t.Errorf("%s has %d models, or is not in order: make aaguids FROM=%s", aaguidList, len(names), aaguidList)
	}
	for aaguid, name := range names {
		if !aaguidForm.MatchString(aaguid) || !isProviderName(name) {
			t.Errorf("%q, %q cannot be shown", aaguid, name)
		}
	}
	if *from != "" {
		return // what was embedded is the list as it was
	}
	for aaguid, name := range names {
		if got := identityapi.Provider(strings.ToUpper(aaguid)); got != name {
			t.Errorf("%s is %q, want %q", aaguid, got, name)
		}
	}
	for _, unknown := range []string{"", "00000000-0000-0000-0000-000000000000", "fbfc3007-154e-4ecc-8c0b-6e020557d7b", "x\n"} {
		if got := identityapi.Provider(unknown); got != "" {
			t.Errorf("%q is %q", unknown, got)
		}
	}
}

func isProviderName(name string) bool {
	return name != "" && name == strings.TrimSpace(name) && safetext.IsLine(name) && utf8.RuneCountInString(name) <= 80
}

// renew takes over the names of another list that can be shown; models that it does not have
// stay.
func renew(t *testing.T) {
	known, err := os.ReadFile(aaguidList)
	if err != nil {
		t.Fatal(err)
	}
	other, err := os.ReadFile(*from)
	if err != nil {
		t.Fatal(err)
	}
	names := readAAGUIDs(t, known)
	for aaguid, name := range readAAGUIDs(t, other) {
		if aaguid, name = strings.ToLower(aaguid), strings.TrimSpace(name); !aaguidForm.MatchString(aaguid) || !isProviderName(name) {
			t.Logf("left out: %q, %q", aaguid, name)
			continue
		}
		names[aaguid] = name
	}
	if err := os.WriteFile(aaguidList, []byte(listed(names)), 0o644); err != nil {
		t.Fatal(err)
	}
}

func listed(names map[string]string) string {
	var lines strings.Builder
	for _, aaguid := range slices.Sorted(maps.Keys(names)) {
		lines.WriteString(aaguid + "," + names[aaguid] + "\n")
	}
	return lines.String()
}

func readAAGUIDs(t *testing.T, text []byte) map[string]string {
	t.Helper()
	names := map[string]string{}
	models := map[string]struct{ Name string }{}
	if json.Unmarshal(text, &models) == nil {
		for aaguid, model := range models {
			names[aaguid] = model.Name
		}
		return names
	}
	for line := range strings.Lines(string(text)) {
		aaguid, name, ok := strings.Cut(strings.TrimSpace(line), ",")
		if !ok {
			t.Fatalf("%q is no AAGUID and name", line)
		}
		names[aaguid] = name
	}
	return names
}
