package signing

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// fileContent is a file in base64 that is read in pieces.
type fileContent struct {
	rest    []byte // of the last quantum
	decoded []byte // of a piece
	padded  bool   // the end of the base64 was read
	broken  bool
	kind    fileKind
}

// Take takes more of the text. Line breaks in it are none of base64's.
func (f *fileContent) Take(text []byte) {
	for _, b := range text {
		if b != '\r' && b != '\n' {
			f.rest = append(f.rest, b)
		}
	}
	whole := f.rest[:len(f.rest)/4*4]
	if len(whole) > 0 && !f.broken {
		var err error
		f.decoded, err = base64.StdEncoding.AppendDecode(f.decoded[:0], whole)
		f.broken = f.padded || err != nil
		f.padded = whole[len(whole)-1] == '='
		f.kind.take(f.decoded)
	}
	f.rest = append(f.rest[:0], f.rest[len(whole):]...)
}

// Verdict is the message id of what is wrong with the content; "" for a file.
func (f *fileContent) Verdict() string {
	switch {
	case f.broken, len(f.rest) > 0:
		return "field.base64"
	case !f.kind.known():
		return "field.file"
	}
	return ""
}

// kindSize is how much of a file tells its kind, in bytes.
const kindSize = 512

// fileKind finds out whether a file is one that can be signed: a PDF, doc, docx, odt
// or rtf by its first bytes, or a text, which has no control characters but white
// space. An empty file is none.
type fileKind struct {
	head   []byte
	binary bool   // as a whole head tells
	noText bool   // as what was read tells
	begun  []byte // a character that is not whole yet
}

// Write takes more of the file. It never fails.
func (k *fileKind) Write(p []byte) (int, error) {
	k.take(p)
	return len(p), nil
}

func (k *fileKind) take(p []byte) {
	if more := min(len(p), kindSize-len(k.head)); more > 0 {
		k.head = append(k.head, p[:more]...)
		k.binary = len(k.head) == kindSize && binaryKind(k.head)
	}
	if !k.binary && !k.noText {
		k.readText(p)
	}
}

// refused reports whether the file is none that can be signed, whatever follows.
func (k *fileKind) refused() bool { return len(k.head) == kindSize && !k.binary && k.noText }

// known reports whether the file, now whole, can be signed.
func (k *fileKind) known() bool {
	if len(k.head) < kindSize && binaryKind(k.head) {
		return true
	}
	return k.binary || len(k.head) > 0 && !k.noText && len(k.begun) == 0
}

func (k *fileKind) readText(p []byte) {
	text := p
	if len(k.begun) > 0 {
		text = append(k.begun, p...)
	}
	for len(text) > 0 && utf8.FullRune(text) {
		r, size := utf8.DecodeRune(text)
		if r == utf8.RuneError && size == 1 || unicode.IsControl(r) && !unicode.IsSpace(r) {
			k.noText = true
			return
		}
		text = text[size:]
	}
	k.begun = append([]byte(nil), text...)
}

// magics are how files of formats that can be signed begin, but for archives and PDFs,
// before which readers pass over white space.
var magics = [][]byte{
	{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}, // a compound file, as doc is
	[]byte(`{\rtf`),
}

func binaryKind(head []byte) bool {
	begins := func(magic []byte) bool { return bytes.HasPrefix(head, magic) }
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\r\n"), []byte("%PDF-")) {
		return true
	}
	return slices.ContainsFunc(magics, begins) || begins([]byte("PK\x03\x04")) && officeArchive(head)
}

// officeEntries are what the first entry of a docx or an odt is named, or begins with.
var officeEntries = []string{
	"[Content_Types].xml", "_rels/", "docProps/", "word/", "customXml/",
	"content.xml", "styles.xml", "meta.xml", "settings.xml", "META-INF/",
}

// officeArchive tells a docx or odt from other archives by the name of its first entry
// (PKWARE APPNOTE, 4.3.7). One whose name is not to be read is left to the platform.
func officeArchive(head []byte) bool {
	const header = 30
	if len(head) < header {
		return true
	}
	end := header + int(binary.LittleEndian.Uint16(head[26:]))
	if end == header || end > len(head) {
		return true
	}
	name := string(head[header:end])
	if name == "mimetype" {
		content := head[min(len(head), end+int(binary.LittleEndian.Uint16(head[28:]))):]
		return bytes.HasPrefix(content, []byte("application/vnd.oasis.opendocument.text"))
	}
	return slices.ContainsFunc(officeEntries, func(entry string) bool { return strings.HasPrefix(name, entry) })
}
