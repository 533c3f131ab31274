package pdf_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
)

func content(text string) string {
	return fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(text), text)
}

// deflated returns a stream of zeros.
func deflated(head string, size int) string { return repeated(head, "\x00", size) }

// repeated returns a stream object that decompresses to so many bytes of a text, again and
// again.
func repeated(head, text string, size int) string {
	var packed bytes.Buffer
	w, _ := zlib.NewWriterLevel(&packed, zlib.BestSpeed) // which is one of its levels
	part := bytes.Repeat([]byte(text), 1<<20/len(text))
	for range size / len(part) {
		_, _ = w.Write(part) // writing to memory does not fail
	}
	_ = w.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", head, packed.Len(), packed.String())
}
