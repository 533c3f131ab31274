package idv

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"countersign/internal/sandbox/wire"
)

// The members of a verification's images, which are also the names of the pictures.
const (
	documentFront = "image_submitted_document_front"
	documentBack  = "image_submitted_document_back"
	selfie        = "image_submitted_selfie"
)

// The colours of the pictures, by their index in the palette.
const (
	paper = iota
	card
	ink
	shadow
	alarm
)

var colours = color.Palette{
	paper: color.RGBA{0xe9, 0xef, 0xf7, 0xff}, card: color.RGBA{0xc4, 0xd6, 0xec, 0xff}, ink: color.RGBA{0x1f, 0x3a, 0x5f, 0xff},
	shadow: color.RGBA{0x8a, 0xa4, 0xc4, 0xff}, alarm: color.RGBA{0xb0, 0x00, 0x20, 0xff},
}

// pictures returns the names of a check's images. The face is compared with the document,
// so the document's front is among the images of both checks.
func (t *transaction) pictures(one check) []string {
	switch {
	case one.kind == faceCheck:
		return []string{selfie, documentFront}
	case t.played.documentKind().Back:
		return []string{documentFront, documentBack}
	default:
		return []string{documentFront}
	}
}

// picture is drawn by the program: no face and no document is real.
type picture struct{ *image.Paletted }

// draw answers with the picture of that name.
func (t *transaction) draw(name string) (any, error) {
	p := picture{image.NewPaletted(image.Rect(0, 0, 320, 200), colours)}
	switch name {
	case selfie:
		p.person(image.Pt(160, 100), t.played.face)
		p.write(image.Pt(10, 8), 2, ink, "SAMPLE SELFIE")
	case documentBack:
		p.fill(image.Rect(10, 10, 310, 190), card)
		p.fill(image.Rect(10, 30, 310, 60), ink)
		p.write(image.Pt(20, 80), 3, ink, "SAMPLE")
		p.write(image.Pt(20, 150), 2, ink, "<<<<<<<<<<<<<<<<<<")
	default:
		p.fill(image.Rect(10, 10, 310, 190), card)
		p.person(image.Pt(70, 100), good)
		p.write(image.Pt(130, 20), 1, ink, strings.ToUpper(t.played.documentKind().Name))
		p.write(image.Pt(130, 45), 4, ink, "SAMPLE")
		for y := 115; y < 150; y += 15 {
			p.fill(image.Rect(130, y, 290, y+5), shadow)
		}
		if t.played.document == bad {
			p.write(image.Pt(130, 155), 2, alarm, "EXPIRED")
		}
	}
	var content bytes.Buffer
	err := png.Encode(&content, p.Paletted)
	return wire.Raw{Media: "image/png", Body: content.Bytes()}, err
}

func (p picture) fill(where image.Rectangle, colour uint8) {
	draw.Draw(p, where, image.NewUniform(colours[colour]), image.Point{}, draw.Src)
}

// person draws a head on shoulders; the head of another person is square.
func (p picture) person(centre image.Point, face string) {
	p.fill(image.Rect(centre.X-40, centre.Y+30, centre.X+40, centre.Y+70), ink)
	if face == bad {
		p.fill(image.Rect(centre.X-30, centre.Y-35, centre.X+30, centre.Y+25), shadow)
		return
	}
	const radius = 32
	for y := -radius; y <= radius; y++ {
		for x := -radius; x <= radius; x++ {
			if x*x+y*y <= radius*radius {
				p.SetColorIndex(centre.X+x, centre.Y-7+y, shadow)
			}
		}
	}
}

// write draws text at a place, its letters enlarged so many times.
func (p picture) write(where image.Point, times int, colour uint8, text string) {
	face := basicfont.Face7x13
	letters := image.NewAlpha(image.Rect(0, 0, face.Advance*len(text), face.Height))
	pen := font.Drawer{Dst: letters, Src: image.Opaque, Face: face, Dot: fixed.P(0, face.Ascent)}
	pen.DrawString(text)
	for y := range face.Height {
		for x := range face.Advance * len(text) {
			if letters.AlphaAt(x, y).A > 0 {
				from := where.Add(image.Pt(x, y).Mul(times))
				p.fill(image.Rectangle{from, from.Add(image.Pt(times, times))}, colour)
			}
		}
	}
}
