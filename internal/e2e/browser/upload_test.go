package browser_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"countersign/internal/sandbox/pdf/pdftest"
)

// upload is a file to choose.
type upload struct{ name, content string }

// form returns a PDF with one form field.
func form(name, field string) upload {
	return upload{name, string(pdftest.File(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Annots[4 0 R]>>",
		"<</Type/Annot/Subtype/Widget/FT/Tx/T("+field+")/Rect[100 600 300 620]/P 3 0 R>>",
	))}
}

// takes chooses files, as in the browser's own dialogue.
func (b *tab) takes(files ...upload) {
	b.t.Helper()
	list := make([]string, len(files))
	for i, f := range files {
		list[i] = fmt.Sprintf("[%q, %q]", f.name, base64.StdEncoding.EncodeToString([]byte(f.content)))
	}
	b.until("the page's scripts having run", func(context.Context) (bool, string) {
		return evaluate[bool](b, `document.readyState === "complete" && document.getElementById("files") !== null`), ""
	})
	evaluate[bool](b, fmt.Sprintf(`(() => {
		const files = document.getElementById("files"), all = new DataTransfer();
		for (const [name, content] of [%s]) {
			all.items.add(new File([Uint8Array.from(atob(content), (c) => c.charCodeAt(0))], name, { type: "application/pdf" }));
		}
		files.files = all.files;
		return files.dispatchEvent(new Event("change", { bubbles: true }));
	})()`, strings.Join(list, ", ")))
}
