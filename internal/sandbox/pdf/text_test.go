package pdf_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/sandbox/pdf"
)

// Every entry of the table of objects points at its object.
func TestText_ObjectOffsets(t *testing.T) {
	for lines, pages := range map[int]int{0: 1, 1: 1, 52: 1, 53: 2, 520: 10} {
		file := pdf.Text(slicesOf("One (1)", lines)...)
		_, tail, ok := bytes.Cut(file, []byte("startxref\n"))
		start, err := strconv.Atoi(strings.Fields(string(tail))[0])
		if !ok || err != nil || !bytes.HasPrefix(file[start:], []byte("xref\n0 ")) {
			t.Fatalf("no table at %d (%v): %s", start, err, file)
		}
		table := strings.Split(string(file[start:]), "\n")
		count, _ := strconv.Atoi(strings.TrimPrefix(table[1], "0 "))
		for i, line := range table[3 : 2+count] {
			offset, err := strconv.Atoi(strings.TrimLeft(strings.Fields(line)[0], "0"))
			if err != nil || len(line) != 19 || !bytes.HasPrefix(file[offset:], fmt.Appendf(nil, "%d 0 obj\n", i+1)) {
				t.Errorf("entry %q (%v)", line, err)
			}
		}
		if n := bytes.Count(file, []byte("/Type/Page/")); n != pages {
			t.Errorf("%d lines on %d pages, want %d", lines, n, pages)
		}
	}
}

func TestText_ShowsLines(t *testing.T) {
	file := string(pdf.Text("One (1)", `a\b`, "Büro", "山\x00", strings.Repeat("word ", 60)+"end", strings.Repeat("x", 300), "\xff"))
	for _, text := range []string{`(One \(1\)) Tj`, `(a\\b) Tj`, `(B\374ro) Tj`, `<5c71> Tj`} {
		if !strings.Contains(file, text) {
			t.Errorf("%s is missing", text)
		}
	}
	if n := strings.Count(file, " Tj\n"); n < 10 {
		t.Errorf("%d pieces: long lines are not broken", n)
	}
}

func slicesOf(line string, n int) []string {
	var all []string
	for range n {
		all = append(all, line)
	}
	return all
}
