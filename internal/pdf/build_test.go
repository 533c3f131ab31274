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
func deflated(head string, size int) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	zeros := make([]byte, 1<<20)
	for range size >> 20 {
		_, _ = w.Write(zeros) // writing to memory does not fail
	}
	_ = w.Close()
	return fmt.Sprintf("<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream", head, packed.Len(), packed.String())
}
