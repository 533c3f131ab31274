package explain

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"slices"
)

// maxLine limits the bytes of a line that is read; of longer ones the beginning counts.
const maxLine = 1 << 20

// errCompressed says that a log is compressed in a way that is not read.
var errCompressed = errors.New("it is compressed, and not by gzip: unpack it first")

// read has add called with every record of the source that names id.
func read(source Source, id string, add func(record)) error {
	file, err := source.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	buffered := bufio.NewReaderSize(file, 64<<10)
	begin, _ := buffered.Peek(4)
	switch {
	case bytes.HasPrefix(begin, []byte{0x1f, 0x8b}):
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return err
		}
		buffered = bufio.NewReaderSize(unzipped, 64<<10)
	case slices.Contains([]string{"\x28\xb5\x2f\xfd", "\xfd7zX", "BZh9", "PK\x03\x04"}, string(begin)):
		return errCompressed
	}
	var pieces joiner
	for {
		line, err := nextLine(buffered)
		if line, whole := pieces.join(line); whole && bytes.Contains(line, []byte(id)) {
			if r := parse(line); r.names(id) {
				add(r)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// nextLine returns a line, which is good until the next call unless it is long.
func nextLine(from *bufio.Reader) (line []byte, err error) {
	for {
		part, more, err := from.ReadLine()
		if !more && line == nil {
			return part, err
		}
		line = append(line, part[:min(len(part), maxLine-len(line))]...)
		if !more || err != nil {
			return line, err
		}
	}
}
