package archtest_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const architecture = "docs/architecture.md"

// homeRow matches a row of the table of libraries: purpose, library, homes.
var homeRow = regexp.MustCompile("(?m)^\\| [^|]+ \\| `([a-z0-9-]+\\.[a-z]+/[^`]+)` \\| ([^|]+) \\|$")

// librariesElsewhere compares the libraries' homes in docs/architecture.md with the
// actual imports.
func librariesElsewhere(files []file) []string {
	var found []string
	for _, f := range files {
		if f.path != architecture {
			continue
		}
		for _, row := range homeRow.FindAllStringSubmatchIndex(f.text, -1) {
			library, homes := f.text[row[2]:row[3]], strings.Split(strings.Trim(f.text[row[4]:row[5]], "`"), "`, `")
			line := 1 + strings.Count(f.text[:row[0]], "\n")
			importers := importersOf(files, library)
			for _, home := range homes {
				if !slices.ContainsFunc(importers, func(i importer) bool { return i.within(home) }) {
					found = append(found, fmt.Sprintf("%s:%d: %s does not import %s", architecture, line, home, library))
				}
			}
			for _, i := range importers {
				if !slices.ContainsFunc(homes, i.within) {
					found = append(found, fmt.Sprintf("%s: %s is no home of %s", i.place, i.dir, library))
				}
			}
		}
	}
	return found
}

// importer is a place that imports a library.
type importer struct{ dir, place string }

func (i importer) within(home string) bool {
	return i.dir == home || strings.HasPrefix(i.dir, home+"/")
}

func importersOf(files []file, library string) []importer {
	var all []importer
	for _, f := range files {
		if !f.ships() || !strings.Contains(f.text, `"`+library) {
			continue
		}
		specs, tokens := f.imports()
		for _, spec := range specs {
			if path := strings.Trim(spec.Path.Value, `"`); path == library || strings.HasPrefix(path, library+"/") {
				all = append(all, importer{f.dir(), fmt.Sprintf("%s:%d", f.path, tokens.Position(spec.Pos()).Line)})
			}
		}
	}
	return all
}
