package pdf_test

import (
	"testing"

	sandboxpdf "countersign/internal/sandbox/pdf"
)

// A page's lines come with their positions; a missing page has none.
func TestLines_WithPositions(t *testing.T) {
	w := workers(t)
	file := sandboxpdf.Text("First line", "Second line")
	got, err := w.Lines(t.Context(), file, 0)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Text != "First line" || got[1].Text != "Second line" {
		t.Fatalf("the lines are %v", got)
	}
	if a, b := got[0].Rect, got[1].Rect; a.Width < 20 || a.Height <= 0 || b.Top <= a.Top || a.Left != b.Left {
		t.Errorf("they stand at %v", got)
	}
	if got, err := w.Lines(t.Context(), file, 1); err != nil || got != nil {
		t.Errorf("a page that is not there: %v, %v", got, err)
	}
	if _, err := w.Lines(t.Context(), []byte("%PDF-1.7 broken"), 0); err == nil {
		t.Error("a broken file has lines")
	}
}
