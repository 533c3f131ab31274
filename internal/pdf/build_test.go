package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"

	"countersign/internal/pdf/pdftest"
)

func content(text string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text)
}

// deflated is a stream of zeros.
func deflated(head string, size int) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	zeros := make([]byte, 1<<20)
	for range size >> 20 {
		_, _ = w.Write(zeros) // It writes into memory.
	}
	_ = w.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", head, packed.Len(), packed.String())
}

// form is a PDF with fields in every manner: nested, by annotation alone, with a
// field whose annotation does not name it, on pages that are turned and cropped.
func form() []byte {
	return pdftest.File(
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
		"<</Subtype/Widget/Rect[150 200 250 220]>>",
	)
}
