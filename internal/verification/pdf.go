package verification

import (
	"bytes"
	"encoding/base64"
	"strconv"
)

const (
	// maxPDF limits one document and maxPDFs all documents together, in bytes.
	maxPDF  = 10_000_000
	maxPDFs = 50_000_000
)

// pdfContent decodes a document in base64 piece by piece (payload.Content).
type pdfContent struct {
	rest   []byte // of the last quantum
	plain  []byte // of a piece
	head   []byte
	size   int
	padded bool // the end of the base64 was read
	broken bool
}

// Take takes more of the text, ignoring line breaks.
func (c *pdfContent) Take(text []byte) {
	for _, b := range text {
		if b != '\r' && b != '\n' {
			c.rest = append(c.rest, b)
		}
	}
	whole := c.rest[:len(c.rest)/4*4]
	if len(whole) > 0 && !c.broken {
		var err error
		c.plain, err = base64.StdEncoding.AppendDecode(c.plain[:0], whole)
		c.broken = c.padded || err != nil
		c.padded = whole[len(whole)-1] == '='
		c.size += len(c.plain)
		if len(c.head) < headSize {
			c.head = append(c.head, c.plain[:min(len(c.plain), headSize-len(c.head))]...)
		}
	}
	c.rest = append(c.rest[:0], c.rest[len(whole):]...)
}

// headSize is the number of leading bytes that are kept to recognize a PDF.
const headSize = 64

// Verdict returns the message id of the content's violation, or else its size.
func (c *pdfContent) Verdict() string {
	switch {
	case c.broken, len(c.rest) > 0:
		return "field.base64"
	case !bytes.HasPrefix(bytes.TrimLeft(c.head, "\ufeff \t\r\n"), []byte("%PDF-")):
		return "field.pdf"
	case c.size > maxPDF:
		return "field.pdf-size"
	}
	return strconv.Itoa(c.size)
}
