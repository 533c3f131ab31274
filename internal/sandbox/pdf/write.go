// Package pdf writes the PDF documents of the sandbox. internal/pdf reads documents, and draws
// the one over the other.
package pdf

import (
	"context"
	"strings"

	"countersign/internal/pdf"
)

// largestPage is the width and height, in points, that a page may have at most.
const largestPage = 14_400

// Write returns the file with the marks drawn in. A file that cannot be read is a
// *pdf.Refusal.
func Write(ctx context.Context, workers *pdf.Workers, file []byte, marks []Mark) ([]byte, error) {
	if len(marks) == 0 {
		return file, nil
	}
	var f pdf.Filling
	shown := map[int]*strings.Builder{}
	var texts strings.Builder
	for _, m := range marks {
		if shown[m.Page] == nil {
			shown[m.Page] = &strings.Builder{}
			f.Pages = append(f.Pages, m.Page)
		}
		shown[m.Page].WriteString(m.operators(largestPage))
		texts.WriteString(m.Text)
		if m.Field != "" {
			f.Entries = append(f.Entries, pdf.Entry{Page: m.Page, Field: m.Field, Text: m.Text})
		}
	}
	var contents []string
	for _, page := range f.Pages {
		contents = append(contents, shown[page].String())
	}
	f.Over = document(largestPage, largestPage, texts.String(), contents)
	return workers.Fill(ctx, file, f)
}
