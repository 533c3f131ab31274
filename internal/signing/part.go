package signing

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/textproto"
	"slices"
	"strings"
	"unicode/utf8"

	"countersign/internal/payload"
	"countersign/internal/safetext"
)

const (
	// maxParts limits the parts of an upload.
	maxParts = 256
	// maxPartHeader limits the bytes between two parts' contents.
	maxPartHeader = 16 << 10
)

// part is a part of an upload: the payload, or a file.
type part struct {
	name        string
	fileName    string
	named       bool // it has a file name, which may be empty
	contentType string
	content     io.Reader
	size        int64 // of a file that waits
	kind        fileKind
}

// header returns the part's header for the platform.
func (p *part) header() textproto.MIMEHeader {
	disposition := fmt.Sprintf("form-data; name=%q", p.name)
	if p.named {
		disposition = multipart.FileContentDisposition(p.name, p.fileName)
	}
	h := textproto.MIMEHeader{"Content-Disposition": {disposition}}
	if p.contentType != "" {
		h.Set("Content-Type", p.contentType)
	}
	return h
}

// partReader reads the parts of an upload one after the other.
type partReader struct {
	parts  *multipart.Reader
	header *headerLimit
	read   int
}

func newPartReader(body io.Reader, boundary string) (*partReader, error) {
	if boundary == "" {
		return nil, malformedForm(errors.New("the boundary is missing"))
	}
	header := &headerLimit{reader: body}
	return &partReader{parts: multipart.NewReader(header, boundary), header: header}, nil
}

// next returns the next part, whose content must be read before the call of next that
// follows; after the last boundary it returns io.EOF itself.
func (r *partReader) next() (*part, error) {
	r.header.left, r.header.on = maxPartHeader, true
	raw, err := r.parts.NextRawPart()
	r.header.on = false
	if err != nil {
		return nil, err
	}
	if r.read++; r.read > maxParts {
		return nil, errors.New("there are too many parts")
	}
	return newPart(raw)
}

func newPart(raw *multipart.Part) (*part, error) {
	kind, parameters, err := mime.ParseMediaType(raw.Header.Get("Content-Disposition"))
	if err != nil || kind != "form-data" {
		return nil, fmt.Errorf("the disposition of a part: %q, %w", kind, err)
	}
	p := &part{name: parameters["name"], contentType: raw.Header.Get("Content-Type"), content: raw}
	p.fileName, p.named = parameters["filename"]
	if p.name != "payload" && p.name != "file" {
		return nil, fmt.Errorf("the part %q is unknown", p.name)
	}
	encoding := strings.ToLower(raw.Header.Get("Content-Transfer-Encoding"))
	if !slices.Contains([]string{"", "7bit", "8bit", "binary"}, encoding) { // RFC 7578, 4.7
		return nil, fmt.Errorf("a part is encoded as %q", encoding)
	}
	switch {
	case !safetext.IsLine(p.fileName):
		return nil, payload.Violation("/"+p.name, "field.controls")
	case utf8.RuneCountInString(p.fileName) > maxName:
		return nil, payload.Violation("/"+p.name, "field.name-length")
	}
	return p, nil
}

// headerLimit limits what is read while it is on.
type headerLimit struct {
	reader io.Reader
	on     bool
	left   int
}

func (l *headerLimit) Read(p []byte) (int, error) {
	n, err := l.reader.Read(p)
	if l.left -= n; l.on && l.left < 0 {
		return 0, errors.New("the header of a part is too long")
	}
	return n, err
}

// failure returns the fault for a body that could not be read to its end.
func (u *Upload) failure(err error) error {
	if u.parts != nil {
		return formFailure(err)
	}
	return payload.ReadFailed(err, payload.Malformed)
}

// formFailure returns the fault for multipart/form-data that could not be read to its
// end.
func formFailure(err error) error { return payload.ReadFailed(err, malformedForm) }
