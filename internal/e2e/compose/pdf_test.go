package compose_test

import "countersign/internal/sandbox/pdf/pdftest"

// formPDF is a page with the text Lease and the form field Given Name.
var formPDF = string(pdftest.File(
	"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]>>>>",
	"<</Type/Pages/Kids[3 0 R]/Count 1>>",
	"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Annots[4 0 R]/Contents 5 0 R/Resources<</Font<</F1 6 0 R>>>>>>",
	"<</Type/Annot/Subtype/Widget/FT/Tx/T(Given Name)/Rect[100 600 300 620]/P 3 0 R>>",
	"<</Length 38>>stream\nBT /F1 12 Tf 72 700 Td (Lease) Tj ET    \nendstream",
	"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
))
