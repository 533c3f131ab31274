package verification

import (
	"bytes"
	"strconv"

	"countersign/internal/payload"
)

const (
	// maxPDF limits one document and maxPDFs all documents together, in bytes.
	maxPDF  = 10_000_000
	maxPDFs = 50_000_000
)

// pdfContent decodes a document in base64 piece by piece (payload.Content).
type pdfContent struct {
	payload.Base64

	head []byte
	size int
}

// Take takes more of the text.
func (c *pdfContent) Take(text []byte) {
	plain := c.Decode(text)
	c.size += len(plain)
	if len(c.head) < headSize {
		c.head = append(c.head, plain[:min(len(plain), headSize-len(c.head))]...)
	}
}

// headSize is the number of leading bytes that are kept to recognize a PDF.
const headSize = 64

// Result returns the message id of the content's violation, or else its size.
func (c *pdfContent) Result() string {
	switch {
	case !c.Valid():
		return "field.base64"
	case !bytes.HasPrefix(bytes.TrimLeft(c.head, "\ufeff \t\r\n"), []byte("%PDF-")):
		return "field.pdf"
	case c.size > maxPDF:
		return "field.pdf-size"
	}
	return strconv.Itoa(c.size)
}
