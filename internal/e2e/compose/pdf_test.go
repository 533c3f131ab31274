package compose_test

import (
	"fmt"
	"strings"
)

// formPDF is a page that says Lease, with the form field Given Name on it.
var formPDF = file(
	"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
	"<</Type/Pages/Kids[3 0 R]/Count 1>>",
	"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Annots[4 0 R]/Contents 5 0 R/Resources<</Font<</F1 6 0 R>>>>>>",
	"<</Type/Annot/Subtype/Widget/FT/Tx/T(Given Name)/Rect[100 600 300 620]/P 3 0 R>>",
	"<</Length 38>>stream\nBT /F1 12 Tf 72 700 Td (Lease) Tj ET    \nendstream",
	"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
)

// file is a PDF of objects, the first of which is its catalog.
func file(objects ...string) string {
	var out strings.Builder
	out.WriteString("%PDF-1.7\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := out.Len()
	fmt.Fprintf(&out, "%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", table, len(objects)+1, at)
	return out.String()
}
