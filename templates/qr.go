package templates

import (
	"fmt"
	"strings"

	"rsc.io/qr"
)

// qrCode is a QR code: dark squares of one unit on a light square of Size units.
type qrCode struct {
	Size int
	// Path draws the dark squares, as the attribute d of a path has it.
	Path string
}

// quietZone is the light border of a QR code, in squares (ISO/IEC 18004).
const quietZone = 4

// QR returns the QR code of a text, with less correction where the text is too long otherwise; nil
// for a text that is too long for any.
func (View) QR(text string) *qrCode {
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		code, err = qr.Encode(text, qr.L)
	}
	if err != nil {
		return nil
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quietZone, y+quietZone, x-from, x-from)
			}
		}
	}
	return &qrCode{Size: code.Size + 2*quietZone, Path: path.String()}
}
