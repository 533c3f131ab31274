package signing

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// Every entry of the table of objects points at its object.
func TestTextPDFHasItsObjectsWhereItSays(t *testing.T) {
	file := textPDF("One (1)", `a\b`, "Büro")
	_, tail, ok := bytes.Cut(file, []byte("startxref\n"))
	start, err := strconv.Atoi(strings.Fields(string(tail))[0])
	if !ok || err != nil || !bytes.HasPrefix(file[start:], []byte("xref\n0 6\n")) {
		t.Fatalf("no table at %d (%v): %s", start, err, file)
	}
	for i, line := range strings.Split(string(file[start:]), "\n")[3:8] {
		offset, err := strconv.Atoi(strings.TrimLeft(strings.Fields(line)[0], "0"))
		if err != nil || len(line) != 19 || !bytes.HasPrefix(file[offset:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
			t.Errorf("entry %q (%v)", line, err)
		}
	}
	for _, text := range []string{`(One \(1\)) Tj`, `(a\\b) Tj`, `(B?ro) Tj`} {
		if !bytes.Contains(file, []byte(text)) {
			t.Errorf("%s is missing", text)
		}
	}
}
