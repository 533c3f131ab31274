package main

import (
	"os"
	"strings"
	"testing"
)

// The bill of a program's file is the one that the program prints.
func TestSBOM_OfProgramFile(t *testing.T) {
	status, own, _ := runs(t, t.Context(), "sbom")
	other, bill, err := runs(t, t.Context(), "sbom "+os.Args[0])
	if status != 0 || other != 0 || own != bill || !strings.Contains(bill, `"bomFormat": "CycloneDX"`) {
		t.Errorf("%d, %d %s:\n%s\n%s", status, other, err, own, bill)
	}
	for arguments, want := range map[string]int{"sbom sbom_test.go": 1, "sbom missing": 1, "sbom a b": 2} {
		if status, out, err := runs(t, t.Context(), arguments); status != want || out != "" || err == "" {
			t.Errorf("%s: %d %q %q", arguments, status, out, err)
		}
	}
}
