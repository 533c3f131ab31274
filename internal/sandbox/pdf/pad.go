package pdf

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// PaddedFile is a file made by Text, followed by an unreferenced object that gives it the
// requested size. The padding takes no memory.
type PaddedFile struct {
	file, head, tail []byte
	padding          int64
}

var (
	sizeOfTable = regexp.MustCompile(`/Size ([0-9]+)`)
	startOfXref = regexp.MustCompile(`startxref\n([0-9]+)\n`)
)

// Pad pads file to size bytes; a file that is already as large, or nearly, stays
// unchanged.
func Pad(file []byte, size int64) PaddedFile {
	last, table := startOfXref.FindSubmatch(file), sizeOfTable.FindAllSubmatch(file, -1)
	if last == nil || table == nil {
		return PaddedFile{file: file}
	}
	number, err := strconv.Atoi(string(table[len(table)-1][1]))
	if err != nil {
		return PaddedFile{file: file}
	}
	parts := func(padding int64) (head, tail string) {
		head = fmt.Sprintf("%d 0 obj\n<</Length %010d>>\nstream\n", number, padding)
		tail = "\nendstream\nendobj\n"
		xref := int64(len(file)+len(head)+len(tail)) + padding
		return head, tail + fmt.Sprintf("xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size %d/Root 1 0 R/Prev %s>>\nstartxref\n%010d\n%%%%EOF\n",
			number, len(file), number+1, last[1], xref)
	}
	head, tail := parts(0)
	padding := size - int64(len(file)+len(head)+len(tail))
	if padding <= 0 {
		return PaddedFile{file: file}
	}
	head, tail = parts(padding)
	return PaddedFile{file, []byte(head), []byte(tail), padding}
}

// Size returns the number of bytes.
func (p PaddedFile) Size() int64 {
	return int64(len(p.file)+len(p.head)+len(p.tail)) + p.padding
}

// WriteTo writes the file.
func (p PaddedFile) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, io.MultiReader(bytes.NewReader(p.file), bytes.NewReader(p.head), io.LimitReader(blank{}, p.padding), bytes.NewReader(p.tail)))
}

// blank is an endless stream of spaces.
type blank struct{}

// Read fills p.
func (blank) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
