package pdftest

import (
	"bytes"
	"fmt"
	"strings"
)

// File is a PDF document of these objects, numbered from 1; the first one is its catalog.
func File(objects ...string) []byte {
	var file bytes.Buffer
	var table strings.Builder
	file.WriteString("%PDF-1.7\n")
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table.String(), len(objects)+1, start)
	return file.Bytes()
}
