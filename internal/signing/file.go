package signing

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/payload"
)

// fileContent checks a file in base64 that is read in pieces.
type fileContent struct {
	payload.Base64

	kind fileKind
	size int64
}

// Take takes more of the text.
func (f *fileContent) Take(text []byte) {
	content := f.Decode(text)
	f.size += int64(len(content))
	f.kind.take(content)
}

// Result returns the message id of the content's violation; for a file that can be signed
// the number of its bytes.
func (f *fileContent) Result() string {
	switch {
	case !f.Valid():
		return "field.base64"
	case !f.kind.known():
		return f.kind.violation()
	}
	return strconv.FormatInt(f.size, 10)
}

// kindSize is the number of bytes at a file's beginning that tell its kind: as many as readers of
// PDFs look through for its header.
const kindSize = 1024

// fileKind tells whether a file can be signed: a PDF, doc, docx, odt or rtf, by its first
// bytes, or a text, which has no control characters other than white space. An empty file
// cannot.
type fileKind struct {
	head   []byte
	binary bool   // the complete head begins a binary format
	noText bool   // the bytes so far are no text
	begun  []byte // an incomplete character
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

// refused reports whether the file cannot be signed, whatever follows.
func (k *fileKind) refused() bool { return len(k.head) == kindSize && !k.binary && k.noText }

// known reports whether the file, now complete, can be signed.
func (k *fileKind) known() bool {
	if len(k.head) < kindSize && binaryKind(k.head) {
		return true
	}
	return k.binary || len(k.head) > 0 && !k.noText && len(k.begun) == 0
}

// violation returns the message id of a file that cannot be signed.
func (k *fileKind) violation() string {
	if bytes.Contains(k.head, []byte("%PDF-")) {
		return "field.pdf-header"
	}
	return "field.file"
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

// magics are the first bytes of the formats that can be signed, except archives, and
// PDFs, before which readers skip white space.
var magics = [][]byte{
	{0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1}, // a compound file, such as doc
	[]byte(`{\rtf`),
}

func binaryKind(head []byte) bool {
	begins := func(magic []byte) bool { return bytes.HasPrefix(head, magic) }
	if bytes.HasPrefix(bytes.TrimLeft(head, "\ufeff \t\f\r\n"), []byte("%PDF-")) {
		return true
	}
	return slices.ContainsFunc(magics, begins) || begins([]byte("PK\x03\x04")) && officeArchive(head)
}

// officeEntries are names, or beginnings of names, of the first entry of a docx or an
// odt.
var officeEntries = []string{
	"[Content_Types].xml", "_rels/", "docProps/", "word/", "customXml/",
	"content.xml", "styles.xml", "meta.xml", "settings.xml", "META-INF/",
}

// officeArchive reports whether an archive is a docx or an odt, by the name of its first
// entry (PKWARE APPNOTE, 4.3.7). If the name cannot be read, it reports true and leaves
// the file to the platform.
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
