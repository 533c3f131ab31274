package pdf

import (
	"image"
	"image/color"
)

// maxColors is the number of colours that a palette of a PNG can have.
const maxColors = 256

// reduce returns the picture with a palette if it has few colours, as pages of text do: a
// PNG of it takes a quarter of the time, and a fraction of the bytes. Any other picture is
// returned as it is.
func reduce(picture image.Image) image.Image {
	full, ok := picture.(*image.RGBA)
	if !ok {
		return picture
	}
	bounds := full.Bounds()
	small := image.NewPaletted(bounds, nil)
	numbers := map[color.RGBA]uint8{}
	var last color.RGBA
	var number uint8
	for y := range bounds.Dy() {
		from, to := full.Pix[y*full.Stride:], small.Pix[y*small.Stride:]
		for x := range bounds.Dx() {
			c := color.RGBA{from[4*x], from[4*x+1], from[4*x+2], from[4*x+3]}
			if c != last || len(small.Palette) == 0 {
				var known bool
				if number, known = numbers[c]; !known {
					if len(small.Palette) == maxColors {
						return full
					}
					number = uint8(len(small.Palette))
					numbers[c], small.Palette = number, append(small.Palette, c)
				}
				last = c
			}
			to[x] = number
		}
	}
	return small
}
