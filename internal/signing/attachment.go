package signing

import (
	"bytes"
	"errors"
	"io"
	"mime"

	"countersign/internal/fault"
	"countersign/internal/intake"
)

// NewAttachment is multipart/form-data with what a signer attaches on its way to the
// platform: parts file of any kind, at least one, and a part payload, which the SDKs
// send empty. It is read in constant memory, up to its first file before there is a
// Body. What is not multipart/form-data is request.media-type.
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
	b := &Body{next: a.following, failure: formFailure}
	first, err := a.first()
	if err == nil {
		err = b.begin(first)
	}
	if err != nil {
		return nil, formFailure(err)
	}
	return b, nil
}

// attachment reads the parts of one.
type attachment struct {
	parts   *partReader
	file    *part // the first one, where the payload goes before it
	payload bool  // was read
}

// first is the first part; the first file is known to be there.
func (a *attachment) first() (*part, error) {
	p, err := a.following()
	if err != nil || p == nil || p.name == "file" {
		return p, orMissing(p, err)
	}
	text, err := io.ReadAll(io.LimitReader(p.content, maxPayload+1))
	if err == nil && len(text) > maxPayload {
		err = fault.Wrap(fault.RequestTooLarge, intake.ErrTooLarge)
	}
	if err != nil {
		return nil, err
	}
	p.content = bytes.NewReader(text)
	file, err := a.following()
	a.file = file
	return p, orMissing(file, err)
}

func orMissing(file *part, err error) error {
	if err == nil && file == nil {
		return violation("/file", "field.required")
	}
	return err
}

// following is the next part, nil behind the last.
func (a *attachment) following() (*part, error) {
	if p := a.file; p != nil {
		a.file = nil
		return p, nil
	}
	p, err := a.parts.next()
	switch {
	case last(err):
		return nil, nil //nolint:nilnil // that is the end
	case err != nil:
		return nil, err
	case p.name == "payload" && a.payload:
		return nil, errors.New("there are two parts payload")
	}
	a.payload = a.payload || p.name == "payload"
	return p, nil
}
