package fonts

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"

	"golang.org/x/image/font/sfnt"
)

// source is the bytes of a file of fonts, or of one made of it: with other bytes in some
// places.
type source struct {
	file  io.ReaderAt
	size  int64
	edits []edit
	// face is where the table directory of the file's first font begins; collection says
	// that the file has several.
	face       int64
	collection bool
}

// edit is other bytes at an offset, which may be the end of the file.
type edit struct {
	at    int64
	bytes []byte
}

// ReadAt reads the file with its edits.
func (s source) ReadAt(p []byte, off int64) (n int, err error) {
	if off >= s.size {
		return 0, io.EOF
	}
	p = p[:min(int64(len(p)), s.size-off)]
	if _, err := s.file.ReadAt(p, off); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	for _, e := range s.edits {
		if from, to := max(off, e.at), min(off+int64(len(p)), e.at+int64(len(e.bytes))); from < to {
			copy(p[from-off:to-off], e.bytes[from-e.at:])
		}
	}
	if off+int64(len(p)) == s.size {
		err = io.EOF
	}
	return len(p), err
}

// errNoFont is the error of a file that is no font, or a broken one.
var errNoFont = errors.New("fonts: no font")

// The tags that fonts and collections of fonts begin with.
const (
	tagTrueType   = "\x00\x01\x00\x00"
	tagOpenType   = "OTTO"
	tagCollection = "ttcf"
)

// read finds out what a file is.
func read(file io.ReaderAt, size int64) (source, error) {
	s := source{file: file, size: size}
	var head [16]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return s, errNoFont
	}
	switch string(head[:4]) {
	case tagTrueType, tagOpenType, "true":
	case tagCollection:
		s.collection, s.face = true, int64(binary.BigEndian.Uint32(head[12:]))
	default:
		return s, errNoFont
	}
	_, err := s.directory()
	return s, err
}

// The size of a table directory's head and of each entry in it; where an entry has the
// table's offset and size.
const (
	headSize, entrySize = 12, 16
	atOffset, atSize    = 8, 12
)

// directory returns the table directory of the first font.
func (s source) directory() ([]byte, error) {
	var head [headSize]byte
	if _, err := s.ReadAt(head[:], s.face); err != nil {
		return nil, errNoFont
	}
	all := make([]byte, headSize+entrySize*int(binary.BigEndian.Uint16(head[4:])))
	if _, err := s.ReadAt(all, s.face); err != nil {
		return nil, errNoFont
	}
	return all, nil
}

// table returns the entry of a table in a directory; nil if there is none.
func table(directory []byte, tag string) []byte {
	for at := headSize; at+entrySize <= len(directory); at += entrySize {
		if string(directory[at:at+4]) == tag {
			return directory[at : at+entrySize]
		}
	}
	return nil
}

// named returns the first font of the file under another name, as a separate file. A
// character that the font lacks is drawn as nothing, so that it can be told from others.
func (s source) named(family, style string) source {
	directory, err := s.directory()
	if err != nil || s.collection && s.covered(directory) {
		return s
	}
	entry := table(directory, "name")
	if entry == nil {
		return s
	}
	s.edits = s.withoutNotdef(directory)
	names := nameTable(family, style)
	at := (s.size + 3) &^ 3
	binary.BigEndian.PutUint32(entry[atOffset:], uint32(at))
	binary.BigEndian.PutUint32(entry[atSize:], uint32(len(names)))
	s.edits = append(s.edits, edit{0, directory}, edit{at, names})
	s.size, s.face, s.collection = at+int64(len(names)), 0, false
	return s
}

// covered reports whether a table begins where the directory would stand.
func (s source) covered(directory []byte) bool {
	for at := headSize; at+entrySize <= len(directory); at += entrySize {
		if int64(binary.BigEndian.Uint32(directory[at+atOffset:])) < int64(len(directory)) {
			return true
		}
	}
	return false
}

// withoutNotdef returns the edit by which the font's first glyph, which stands for what it
// lacks, is empty. It knows TrueType's outlines alone.
func (s source) withoutNotdef(directory []byte) []edit {
	head, loca := table(directory, "head"), table(directory, "loca")
	if head == nil || loca == nil {
		return nil
	}
	const atFormat = 50
	var format [2]byte
	if _, err := s.ReadAt(format[:], int64(binary.BigEndian.Uint32(head[atOffset:]))+atFormat); err != nil {
		return nil
	}
	width := 2 + 2*int(format[1]&1)
	at := int64(binary.BigEndian.Uint32(loca[atOffset:]))
	second := make([]byte, width)
	if _, err := s.ReadAt(second, at+int64(width)); err != nil {
		return nil
	}
	return []edit{{at, second}}
}

// nameTable returns a table that names a font.
func nameTable(family, style string) []byte {
	const windows, unicode, english, isFamily, isStyle = 3, 1, 0x409, 1, 2
	first, second := utf16.Encode([]rune(family)), utf16.Encode([]rune(style))
	sizes := [2]uint16{uint16(2 * len(first)), uint16(2 * len(second))}
	var out bytes.Buffer
	for _, part := range [][]uint16{
		{0, 2, 6 + 2*12},
		{windows, unicode, english, isFamily, sizes[0], 0},
		{windows, unicode, english, isStyle, sizes[1], sizes[0]},
		first, second,
	} {
		_ = binary.Write(&out, binary.BigEndian, part) // writing to memory does not fail
	}
	return out.Bytes()
}

// characters returns the first font of the file as far as its characters are concerned.
func (s source) characters() (*sfnt.Font, error) {
	if !s.collection {
		return sfnt.ParseReaderAt(s)
	}
	all, err := sfnt.ParseCollectionReaderAt(s)
	if err != nil {
		return nil, err
	}
	return all.Font(0)
}
