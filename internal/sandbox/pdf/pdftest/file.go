package pdftest

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"strings"
)

// File returns a PDF document of these objects, numbered from 1; the first one is its
// catalog.
func File(objects ...string) []byte {
	var file bytes.Buffer
	var table strings.Builder
	file.WriteString("%PDF-1.7\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table.String(), len(objects)+1, start)
	return file.Bytes()
}

// Form returns a PDF with fields in every form: nested, by annotation alone, with a field
// whose annotation does not name it, on turned and cropped pages.
func Form() []byte {
	return File(
		"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[5 0 R 8 0 R 10 0 R]>>>>",
		"<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 600 800]>>",
		"<</Type/Page/Parent 2 0 R/Annots[6 0 R 7 0 R 8 0 R 9 0 R]>>",
		"<</Type/Page/Parent 2 0 R/Rotate 90/CropBox[100 100 500 700]/Annots[11 0 R]>>",
		"<</T(person)/FT/Tx/Kids[6 0 R 7 0 R]>>",
		"<</T(name)/Parent 5 0 R/Subtype/Widget/Rect[100 700 300 720]/Ff 4098>>",
		"<</T(age)/Parent 5 0 R/Subtype/Widget/Rect[300 650 100 630]/MaxLen 3>>",
		"<</T(\xfe\xff\x00\xfc)/FT/Btn/Subtype/Widget/Rect[10 10 20 20]>>",
		"<</T(stray)/FT/Sig/Subtype/Widget/Rect[0 0 50.5 25]>>",
		"<</T(choice)/FT/Ch/Opt[(Red)[(b)(Blue\\nsky)]()]/Kids[11 0 R]>>",
		"<</Subtype/Widget/Parent 10 0 R/Rect[150 200 250 220]>>",
	)
}

// OnePage returns a PDF of one page with these contents, and fonts for its resources.
// Objects 4 and 5 are the contents, and the others follow.
func OnePage(first, second, fonts string, objects ...string) []byte {
	return File(append([]string{
		"<</Type/Catalog/Pages 2 0 R>>",
		"<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 600 800]>>",
		"<</Type/Page/Parent 2 0 R/Contents[4 0 R 5 0 R]/Resources<</Font<<" + fonts + ">>>>>>",
		first, second,
	}, objects...)...)
}

// Japanese returns a PDF of one page with three characters in a font that is not in it and
// that only a folder of fonts may have.
func Japanese() []byte {
	const shown = "BT /F 40 Tf 50 600 Td <93fa967b8cea> Tj ET"
	return OnePage(fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(shown), shown), "<</Length 0>>stream\n\nendstream", "/F 6 0 R",
		"<</Type/Font/Subtype/Type0/BaseFont/HeiseiMin-W3/Encoding/90ms-RKSJ-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/HeiseiMin-W3"+
			"/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>]>>")
}

// Scan returns a PDF of one page of A4 that is a picture of dpi dots per inch, as scanners
// make them: paper with lines of ink.
func Scan(dpi int) []byte {
	const line = 60
	width, height := 2480*dpi/300, 3508*dpi/300
	paper := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			shade := uint8(240 + (x*7+y*13)%16)
			if y%line < line/3 && x*x/7%5 < 2 {
				shade = 30
			}
			paper.SetRGBA(x, y, color.RGBA{shade, shade, shade, 255})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, paper, nil); err != nil {
		panic(err)
	}
	const shown = "595 0 0 842 0 0 cm /I Do"
	return File("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</XObject<</I 5 0 R>>>>/Contents 4 0 R>>",
		fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(shown), shown),
		fmt.Sprintf("<</Type/XObject/Subtype/Image/Width %d/Height %d/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode/Length %d>>stream\n%s\nendstream", width, height, file.Len(), file.String()))
}
