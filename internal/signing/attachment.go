package signing

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"strings"

	"countersign/internal/fault"
	"countersign/internal/payload"
)

// NewAttachment returns the multipart/form-data of a signer's attachments for the
// platform: at least one part file, of any kind, and one part payload, which the SDKs send
// empty and clients may leave out. It reads in constant memory, and up to the first file before it
// returns. Any other content type is request.media-type.
func NewAttachment(contentType string, body io.Reader) (*Body, error) {
	media, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || media != "multipart/form-data" {
		return nil, fault.Wrap(fault.RequestMediaType, err)
	}
	parts, err := newPartReader(body, parameters["boundary"])
	if err != nil {
		return nil, err
	}
	a := &attachment{parts: parts}
	b := &Body{next: a.nextPart, failure: formFailure}
	first, err := a.first()
	if err == nil {
		err = b.begin(first)
	}
	if err != nil {
		return nil, formFailure(err)
	}
	return b, nil
}

// attachment reads the parts of a signer's attachments.
type attachment struct {
	parts   *partReader
	file    *part // the first file, if the payload came before it
	payload bool  // the part payload was read
	files   bool  // a part file was read
	ended   bool  // nothing more is read
}

// first returns the first part, after making sure that there is a file.
func (a *attachment) first() (*part, error) {
	p, err := a.nextPart()
	if err != nil || p == nil || p.name == "file" {
		return p, orMissing(p, err)
	}
	text, err := io.ReadAll(io.LimitReader(p.content, maxPayload+1))
	if err == nil && len(text) > maxPayload {
		err = fault.Wrap(fault.RequestTooLarge, payload.ErrTooLarge)
	}
	if err != nil {
		return nil, err
	}
	p.content = bytes.NewReader(text)
	file, err := a.nextPart()
	a.file = file
	return p, orMissing(file, err)
}

func orMissing(file *part, err error) error {
	if err == nil && file == nil {
		return payload.Violation("/file", "field.required")
	}
	return err
}

// nextPart returns the next part, nil after the last. The platform requires a part payload:
// an empty one follows files without one.
func (a *attachment) nextPart() (*part, error) {
	if p := a.file; p != nil {
		a.file = nil
		return p, nil
	}
	if a.ended {
		return nil, nil //nolint:nilnil // the end
	}
	p, err := a.parts.next()
	switch a.ended = isEnd(err); {
	case a.ended && a.files && !a.payload:
		return &part{name: "payload", content: strings.NewReader("")}, nil
	case a.ended:
		return nil, nil //nolint:nilnil // the end
	case err != nil:
		return nil, err
	case p.name == "payload" && a.payload:
		return nil, errors.New("there are two parts payload")
	}
	a.payload, a.files = a.payload || p.name == "payload", a.files || p.name == "file"
	return p, nil
}
