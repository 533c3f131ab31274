package pdf

import (
	"bytes"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"
)

// Picture is a page as a PNG.
type Picture struct {
	PNG []byte
	// Width and Height are in pixels.
	Width, Height int
}

// maxPixels limits a picture's pixels; a larger page is scaled down.
const maxPixels = 8_000_000

// draw draws the page so many pixels wide, with its form's values.
func (p *openPage) draw(width int) (Picture, error) {
	ratio := p.size.Height / max(p.size.Width, 1)
	if pixels := float64(width) * float64(width) * ratio; pixels > maxPixels {
		width = int(math.Sqrt(maxPixels / ratio))
	}
	width, height := max(width, 1), max(int(math.Round(float64(width)*ratio)), 1)
	drawn, err := p.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: p.ref(), Document: &p.document, Width: width, Height: height, RenderForm: true, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if err != nil {
		return Picture{}, &Refusal{Reason: reasonDamaged}
	}
	defer drawn.Cleanup()
	var file bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&file, reduce(drawn.Result.RenderedImage)); err != nil {
		return Picture{}, err
	}
	size := drawn.Result.RenderedImage.Bounds()
	return Picture{PNG: file.Bytes(), Width: size.Dx(), Height: size.Dy()}, nil
}
