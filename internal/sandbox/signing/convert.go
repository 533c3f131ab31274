package signing

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"countersign/internal/sandbox/pdf"
)

// The kinds of documents other than PDF, by their first bytes.
var (
	pdfMark = []byte("%PDF-")
	zipMark = []byte("PK\x03\x04")                       // docx and odt
	docMark = []byte{0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1} // doc
	rtfMark = []byte(`{\rtf`)
)

// markWithin is the number of first bytes in which readers look for a PDF's mark.
const markWithin = 1024

// extensionOf returns the usual extension of a document's file name.
func extensionOf(content []byte) string {
	switch {
	case isPDF(content):
		return ".pdf"
	case bytes.HasPrefix(content, docMark):
		return ".doc"
	case bytes.HasPrefix(content, rtfMark):
		return ".rtf"
	case bytes.HasPrefix(content, zipMark) && bytes.Contains(content, []byte("opendocument")):
		return ".odt"
	case bytes.HasPrefix(content, zipMark):
		return ".docx"
	default:
		return ".txt"
	}
}

func isPDF(content []byte) bool {
	return bytes.Contains(content[:min(len(content), markWithin)], pdfMark)
}

// convert converts a document to PDF. It keeps only the words of word processors' files,
// and not even these of older formats.
func convert(content []byte) ([]byte, error) {
	switch {
	case isPDF(content):
		return content, nil
	case bytes.HasPrefix(content, zipMark):
		return convertZip(content)
	case bytes.HasPrefix(content, docMark), bytes.HasPrefix(content, rtfMark):
		return pdf.Text("This document was made by a word processor. The sandbox does not show its text."), nil
	case len(content) == 0:
		return nil, errors.New("it is empty")
	case !utf8.Valid(content) || bytes.ContainsFunc(content, isControl):
		return nil, errors.New("the file is not PDF, doc, docx, odt, rtf or txt")
	default:
		return pdf.Text(strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")...), nil
	}
}

func isControl(r rune) bool { return r < ' ' && !strings.ContainsRune("\t\n\v\f\r", r) || r == 0x7f }

// maxWords limits how much of a word processor's file is unpacked.
const maxWords = 16 << 20

// convertZip reads the part of a docx or odt file that contains its text.
func convertZip(content []byte) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, errors.New("it is damaged")
	}
	for _, name := range []string{"word/document.xml", "content.xml"} {
		part, err := archive.Open(name)
		if err != nil {
			continue
		}
		lines, err := paragraphsOf(io.LimitReader(part, maxWords))
		if err := errors.Join(err, part.Close()); err != nil {
			return nil, errors.New("it is damaged")
		}
		return pdf.Text(lines...), nil
	}
	return nil, errors.New("the file is not docx or odt")
}

// paragraphsOf returns the texts of the elements p, in either format.
func paragraphsOf(part io.Reader) ([]string, error) {
	lines, line := []string{}, ""
	decoder := xml.NewDecoder(part)
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		switch one := token.(type) {
		case xml.CharData:
			line += string(one)
		case xml.EndElement:
			if one.Name.Local == "p" {
				lines, line = append(lines, line), ""
			}
		}
	}
}
