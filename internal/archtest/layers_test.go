package archtest_test

import (
	"fmt"
	"slices"
	"strings"
)

// layers are the packages from the top to the bottom. A package imports what
// lies below it and its neighbours in the same layer, and nothing above. A name stands for
// everything below its folder that no other name stands for.
var layers = [][]string{
	{"cmd"},
	{"internal/app", "internal/explain"},
	{"web"},
	{"handlers", "signingproxy", "internal/request"},
	{"internal/signin", "internal/account", "internal/signing/compose", "internal/signing/service", "internal/verification/service", "internal/retention"},
	{
		"session", "internal/signing/index", "internal/verification/index", "internal/access", "internal/audit", "internal/decoy", "internal/events", "internal/formrecovery", "internal/idempotency",
		"internal/identity/platform", "internal/signing/platform", "internal/verification/platform",
	},
	{"internal/signing", "internal/verification", "internal/ceremony", "internal/dpop", "internal/uaf", "templates"},
	{
		"internal/config", "internal/fault", "internal/i18n", "internal/reqctx", "internal/safetext", "internal/pdf", "static", "internal/bearer",
		"internal/payload", "internal/ratelimit", "internal/redisdb", "internal/reload", "internal/seal", "internal/upstream",
	},
}

// beside are the packages beside the layers: who imports them, and what they import of ours.
var beside = []struct {
	name         string
	importers    []string
	mayImportAll []string
}{
	{"internal/sandbox", []string{"cmd", "internal/app"}, []string{"internal/uaf", "internal/pdf"}},
	{"internal/authenticator", []string{"cmd", "internal/conformance"}, []string{"internal/dpop", "internal/uaf"}},
	{"internal/apidoc", []string{"cmd", "internal/app"}, nil},
	{"internal/conformance", []string{"cmd", "internal/app"}, []string{
		"internal/authenticator", "internal/config", "internal/identity", "internal/signing", "internal/verification",
		"internal/upstream", "internal/ceremony", "internal/fault", "internal/uaf", "internal/payload",
	}},
}

// floorOf returns the number of dir's layer, from the top, and the name that stands for it;
// -1 for none.
func floorOf(dir string) (floor int, name string) {
	floor = -1
	for i, layer := range layers {
		for _, n := range layer {
			if within(dir, n) && len(n) > len(name) {
				floor, name = i, n
			}
		}
	}
	return floor, name
}

func within(dir, top string) bool { return dir == top || strings.HasPrefix(dir, top+"/") }

// arrowsBack are the imports that lead up the layers, past what is beside them, or from a
// package that has no layer.
func arrowsBack(files []file) []string {
	var found []string
	for _, f := range files {
		if !f.ships() || f.dir() == "internal/archtest" {
			continue
		}
		if refuse := placeOf(f.dir()); refuse != "" {
			found = append(found, fmt.Sprintf("%s:1: %s", f.path, refuse))
			continue
		}
		specs, tokens := f.imports()
		for _, spec := range specs {
			to, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
			if ours && !mayImport(f.dir(), to) {
				found = append(found, fmt.Sprintf("%s:%d: %s may not import %s", f.path, tokens.Position(spec.Pos()).Line, f.dir(), to))
			}
		}
	}
	return found
}

// placeOf returns why dir has no layer; "" for one that has.
func placeOf(dir string) string {
	if floor, _ := floorOf(dir); floor >= 0 {
		return ""
	}
	for _, b := range beside {
		if within(dir, b.name) {
			return ""
		}
	}
	return "the package has no layer"
}

func mayImport(from, to string) bool {
	for _, b := range beside {
		switch {
		case within(from, b.name):
			return within(to, b.name) || slices.ContainsFunc(b.mayImportAll, func(n string) bool { return within(to, n) })
		case within(to, b.name):
			return slices.ContainsFunc(b.importers, func(n string) bool { return within(from, n) })
		}
	}
	above, _ := floorOf(from)
	below, _ := floorOf(to)
	return below >= above
}
