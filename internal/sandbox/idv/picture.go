package idv

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"strings"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

// The members of a verification's images, and the names of the pictures.
const (
	documentFront = "image_submitted_document_front"
	documentBack  = "image_submitted_document_back"
	selfie        = "image_submitted_selfie"
)

// The colours of the pictures.
var (
	paper  = color.RGBA{0xe9, 0xef, 0xf7, 0xff}
	card   = color.RGBA{0xc4, 0xd6, 0xec, 0xff}
	ink    = color.RGBA{0x1f, 0x3a, 0x5f, 0xff}
	shadow = color.RGBA{0x8a, 0xa4, 0xc4, 0xff}
	alarm  = color.RGBA{0xb0, 0x00, 0x20, 0xff}
)

// pictures are the names of the images of a check. The face is compared with the
// document, so that the latter's front is among those of both.
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
type picture struct{ *image.RGBA }

// ServeHTTP answers with the picture.
func (p picture) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	var content bytes.Buffer
	if err := png.Encode(&content, p); err != nil {
		http.Error(w, "Internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(content.Bytes()) // A client that went away is no concern of the platform's.
}

// draw is the picture of that name.
func (t *transaction) draw(name string) picture {
	p := picture{image.NewRGBA(image.Rect(0, 0, 640, 400))}
	p.fill(p.Bounds(), paper)
	switch name {
	case selfie:
		p.person(image.Pt(320, 200), t.played.face)
		p.write(image.Pt(20, 20), 4, ink, "SAMPLE SELFIE")
	case documentBack:
		p.fill(image.Rect(20, 20, 620, 380), card)
		p.fill(image.Rect(20, 60, 620, 120), ink)
		p.write(image.Pt(40, 160), 6, ink, "SAMPLE")
		p.write(image.Pt(40, 300), 3, ink, "<<<<<<<<<<<<<<<<<<<<<<<<")
	default:
		p.fill(image.Rect(20, 20, 620, 380), card)
		p.person(image.Pt(140, 200), good)
		p.write(image.Pt(260, 50), 3, ink, strings.ToUpper(t.played.documentKind().Name))
		p.write(image.Pt(260, 130), 7, ink, "SAMPLE")
		for y := 250; y < 330; y += 30 {
			p.fill(image.Rect(260, y, 580, y+10), shadow)
		}
		if t.played.document == bad {
			p.write(image.Pt(260, 335), 3, alarm, "EXPIRED")
		}
	}
	return p
}

func (p picture) fill(where image.Rectangle, c color.Color) {
	draw.Draw(p, where, image.NewUniform(c), image.Point{}, draw.Src)
}

// person draws a head on shoulders; the head of somebody else is square.
func (p picture) person(centre image.Point, face string) {
	p.fill(image.Rect(centre.X-80, centre.Y+60, centre.X+80, centre.Y+140), ink)
	if face == bad {
		p.fill(image.Rect(centre.X-60, centre.Y-70, centre.X+60, centre.Y+50), shadow)
		return
	}
	const radius = 65
	for y := -radius; y <= radius; y++ {
		for x := -radius; x <= radius; x++ {
			if x*x+y*y <= radius*radius {
				p.Set(centre.X+x, centre.Y-15+y, shadow)
			}
		}
	}
}

// write puts text there, its letters so many times as large as they come.
func (p picture) write(where image.Point, times int, c color.Color, text string) {
	face := basicfont.Face7x13
	small := image.NewRGBA(image.Rect(0, 0, face.Advance*len(text), face.Height))
	pen := font.Drawer{Dst: small, Src: image.NewUniform(c), Face: face, Dot: fixed.P(0, face.Ascent)}
	pen.DrawString(text)
	size := small.Bounds().Size().Mul(times)
	draw.NearestNeighbor.Scale(p, image.Rectangle{where, where.Add(size)}, small, small.Bounds(), draw.Over, nil)
}
