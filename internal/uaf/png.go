package uaf

import (
	"bytes"
	"encoding/binary"

	"github.com/go-json-experiment/json/jsontext"
)

// PNGCharacteristics describes a picture, or an authenticator's display: the fields of a
// PNG's IHDR chunk and its palette (UAF protocol, section on
// DisplayPNGCharacteristicsDescriptor).
type PNGCharacteristics struct {
	Width       uint32 `json:"width"`
	Height      uint32 `json:"height"`
	BitDepth    uint8  `json:"bitDepth"`
	ColorType   uint8  `json:"colorType"`
	Compression uint8  `json:"compression"`
	Filter      uint8  `json:"filter"`
	Interlace   uint8  `json:"interlace"`
	Palette     []RGB  `json:"plte,omitempty"`
}

// RGB is one entry of a palette.
type RGB struct {
	R uint16 `json:"r"`
	G uint16 `json:"g"`
	B uint16 `json:"b"`
}

type pngWire struct {
	Width       *uint32   `json:"width"`
	Height      *uint32   `json:"height"`
	BitDepth    *uint8    `json:"bitDepth"`
	ColorType   *uint8    `json:"colorType"`
	Compression *uint8    `json:"compression"`
	Filter      *uint8    `json:"filter"`
	Interlace   *uint8    `json:"interlace"`
	Palette     list[RGB] `json:"plte"`
}

// UnmarshalJSONFrom reads the dictionary; all but the palette is required.
func (p *PNGCharacteristics) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[pngWire](dec)
	if err != nil {
		return err
	}
	if len(wire.Palette) > maxPalette {
		return unacceptable("palette of %d colours", len(wire.Palette))
	}
	p.Palette = wire.Palette
	return first(
		need(&p.Width, wire.Width, "width"),
		need(&p.Height, wire.Height, "height"),
		need(&p.BitDepth, wire.BitDepth, "bitDepth"),
		need(&p.ColorType, wire.ColorType, "colorType"),
		need(&p.Compression, wire.Compression, "compression"),
		need(&p.Filter, wire.Filter, "filter"),
		need(&p.Interlace, wire.Interlace, "interlace"),
	)
}

// UnmarshalJSONFrom reads the entry; its three members are required.
func (c *RGB) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	wire, err := readObject[struct {
		R *uint16 `json:"r"`
		G *uint16 `json:"g"`
		B *uint16 `json:"b"`
	}](dec)
	if err != nil {
		return err
	}
	return first(need(&c.R, wire.R, "r"), need(&c.G, wire.G, "g"), need(&c.B, wire.B, "b"))
}

// A PNG begins with its signature and the IHDR chunk, 13 bytes long.
var pngStart = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR")

// describePNG reads the characteristics from the picture's IHDR chunk.
func describePNG(data []byte) (PNGCharacteristics, error) {
	header, ok := bytes.CutPrefix(data, pngStart)
	if !ok || len(header) < 13 {
		return PNGCharacteristics{}, unacceptable("the transaction's content is not a PNG")
	}
	return PNGCharacteristics{
		Width:       binary.BigEndian.Uint32(header),
		Height:      binary.BigEndian.Uint32(header[4:]),
		BitDepth:    header[8],
		ColorType:   header[9],
		Compression: header[10],
		Filter:      header[11],
		Interlace:   header[12],
	}, nil
}

// sameImage compares everything except the palettes, which are optional.
func (p PNGCharacteristics) sameImage(q PNGCharacteristics) bool {
	return p.Width == q.Width && p.Height == q.Height && p.BitDepth == q.BitDepth && p.ColorType == q.ColorType &&
		p.Compression == q.Compression && p.Filter == q.Filter && p.Interlace == q.Interlace
}
