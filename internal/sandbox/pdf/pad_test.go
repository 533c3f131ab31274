package pdf_test

import (
	"bytes"
	"strings"
	"testing"

	reading "countersign/internal/pdf"
	"countersign/internal/sandbox/pdf"
	"countersign/internal/sandbox/pdf/pdftest"
)

// A padded file has the requested size, and is still a document with its pages.
func TestPad_RequestedSize(t *testing.T) {
	w := pdftest.Workers()
	text := pdf.Text(strings.Split(strings.Repeat("line\n", 200), "\n")...)
	for _, size := range []int64{0, int64(len(text)) + 5, 100_000, 3_000_001} {
		padded := pdf.Pad(text, size)
		want := size
		if size < 50_000 {
			want = int64(len(text))
		}
		var file bytes.Buffer
		if n, err := padded.WriteTo(&file); err != nil || n != want || padded.Size() != want || int64(file.Len()) != want {
			t.Errorf("%d of %d bytes, said to be %d: %v", n, want, padded.Size(), err)
		}
		d, err := w.Read(t.Context(), file.Bytes(), []reading.Anchor{{Text: "line", Index: 150}})
		if err != nil || len(d.Pages) != 4 || !d.Places[0].Found {
			t.Errorf("%d bytes: %d pages, %v, %v", size, len(d.Pages), d.Places, err)
		}
	}
}

func TestPad_InvalidFileUnchanged(t *testing.T) {
	var file bytes.Buffer
	if _, err := pdf.Pad([]byte("%PDF-1.7\n"), 100).WriteTo(&file); err != nil || file.String() != "%PDF-1.7\n" {
		t.Errorf("%q, %v", file.String(), err)
	}
}
