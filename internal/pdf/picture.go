package pdf

import (
	"bytes"
	"image/png"
	"math"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/requests"

	"countersign/internal/pdf/fonts"
)

// Picture is a page as a PNG.
type Picture struct {
	PNG []byte
	// Width and Height are in pixels.
	Width, Height int
	// Missing is the number of the page's characters for which nothing is drawn: their font
	// is not in the file, and no other one has them.
	Missing int
}

// maxPixels limits a picture's pixels; a larger page is scaled down.
const maxPixels = 8_000_000

// draw draws a page. Where characters are missing, it looks for fonts that have them, and
// draws it again.
func (e *engine) draw(in request) (picture Picture, ok bool, err error) {
	picture, missing, ok, err := e.drawOnce(in)
	if err != nil || picture.Missing == 0 {
		return picture, ok, err
	}
	learned := false
	for _, one := range missing {
		learned = e.fonts.Learn(one) || learned
	}
	if !learned {
		return picture, ok, nil
	}
	if err := e.renew(); err != nil {
		return picture, ok, err
	}
	if again, _, _, err := e.drawOnce(in); err == nil {
		return again, true, nil
	}
	return picture, ok, nil
}

// drawOnce draws a page; ok is false if there is none of that number.
func (e *engine) drawOnce(in request) (picture Picture, missing []fonts.MissingFont, ok bool, err error) {
	o, err := open(e, in.File)
	if err != nil {
		return picture, nil, false, err
	}
	defer o.close()
	if in.Page < 0 || in.Page >= o.count {
		return picture, nil, false, nil
	}
	p, err := o.page(in.Page)
	if err != nil {
		return picture, nil, false, err
	}
	defer p.close()
	picture, missing, err = p.draw(in.Width)
	return picture, missing, true, err
}

// draw draws the page so many pixels wide, with its form's values.
func (p *openPage) draw(width int) (Picture, []fonts.MissingFont, error) {
	ratio := p.size.Height / max(p.size.Width, 1)
	if pixels := float64(width) * float64(width) * ratio; pixels > maxPixels {
		width = int(math.Sqrt(maxPixels / ratio))
	}
	width, height := max(width, 1), max(int(math.Round(float64(width)*ratio)), 1)
	drawn, err := p.RenderPageInPixels(&requests.RenderPageInPixels{
		Page: p.ref(), Document: &p.document, Width: width, Height: height, RenderForm: true, RenderFlags: enums.FPDF_RENDER_FLAG_ANNOT,
	})
	if err != nil {
		return Picture{}, nil, &Refusal{Reason: reasonDamaged}
	}
	defer drawn.Cleanup()
	var file bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := encoder.Encode(&file, reduce(drawn.Result.RenderedImage)); err != nil {
		return Picture{}, nil, err
	}
	count, missing := p.missing(drawn.Result.RenderedImage)
	size := drawn.Result.RenderedImage.Bounds()
	return Picture{PNG: file.Bytes(), Width: size.Dx(), Height: size.Dy(), Missing: count}, missing, nil
}
