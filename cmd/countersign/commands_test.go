package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/commands.md")

// docs/commands.md has the help of each command as the program prints it.
func TestDocument_HasEveryHelp(t *testing.T) {
	const document = "../../docs/commands.md"
	var page strings.Builder
	page.WriteString("# Commands\n\nThe program prints these texts. `countersign config` explains wrong [settings](configuration.md).\n")
	for _, command := range append([]string{""}, commandsWithHelp(t)...) {
		status, out, _ := runs(t, t.Context(), strings.TrimSpace(command+" --help"))
		if status != 0 {
			t.Errorf("countersign %s --help: status %d", command, status)
		}
		fmt.Fprintf(&page, "\n## countersign%s\n\n```\n%s\n```\n", strings.TrimRight(" "+command, " "), strings.TrimSpace(strings.ReplaceAll(out, "\t", "    ")))
	}
	text, err := os.ReadFile(document)
	if *update {
		err = os.WriteFile(document, []byte(page.String()), 0o600)
	} else if string(text) != page.String() {
		t.Errorf("%s is not what the commands print; go test ./cmd/countersign -run Document_Has -update writes it", document)
	}
	if err != nil {
		t.Error(err)
	}
}

// commandsWithHelp returns the commands whose line in the help refers to their own.
func commandsWithHelp(t *testing.T) (names []string) {
	t.Helper()
	for _, match := range regexp.MustCompile(`(?m)^  countersign (\w+) .*--help has more$`).FindAllStringSubmatch(usage, -1) {
		names = append(names, match[1])
	}
	if len(names) < 5 {
		t.Errorf("only %q have a help of their own", names)
	}
	return names
}
