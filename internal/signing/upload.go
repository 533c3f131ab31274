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

// Upload is a payload with its files, as JSON or as multipart/form-data (docs/platform.md
// S3), read in constant memory: first Payload and a Check of it, then Body.
type Upload struct {
	payload     *Payload
	contentType string         // of JSON
	spool       *payload.Spool // the JSON as it came; of multipart, the files before the payload
	parts       *partReader
	own         *part // the payload's
	text        []byte
	waiting     []*part // files that came before the payload
	next        *part   // the next file after those, not passed on yet
	files       int     // files that passed their checks
	streaming   bool    // the waiting files have been passed on
}

// NewUpload reads an upload from body up to its payload; files before the payload wait in
// a nameless file in spoolDir until Close. A content type other than JSON and
// multipart/form-data is request.media-type.
func NewUpload(contentType string, body io.Reader, spoolDir string) (*Upload, error) {
	u := &Upload{spool: &payload.Spool{Dir: spoolDir}, contentType: contentType}
	if err := u.open(body); err != nil {
		u.Close()
		return nil, u.failure(err)
	}
	return u, nil
}

func (u *Upload) open(body io.Reader) error {
	media, parameters, err := mime.ParseMediaType(u.contentType)
	charset, given := parameters["charset"]
	switch {
	case err != nil, given && !strings.EqualFold(charset, "utf-8"):
		return fault.Wrap(fault.RequestMediaType, err)
	case media == "application/json":
		return u.readJSON(body)
	case media == "multipart/form-data":
		u.parts, err = newPartReader(body, parameters["boundary"])
		for err == nil && u.payload == nil {
			err = u.readToPayload()
		}
		return err
	}
	return fault.New(fault.RequestMediaType)
}

// Close frees the upload's resources.
func (u *Upload) Close() { u.spool.Close() }

// Payload returns the payload, for a Check.
func (u *Upload) Payload() *Payload { return u.payload }

func (u *Upload) readJSON(body io.Reader) (err error) {
	u.payload, err = readPayload(io.TeeReader(body, u.spool))
	return err
}

// readToPayload reads one part: a file to the spool, or the payload.
func (u *Upload) readToPayload() error {
	p, err := u.parts.next()
	if isEnd(err) {
		return errors.New("the part payload is missing")
	}
	if err != nil {
		return err
	}
	if p.name == "payload" {
		return u.readPayload(p)
	}
	from := u.spool.Size()
	_, err = io.Copy(io.MultiWriter(&p.kind, u.spool), p.content)
	p.size = u.spool.Size() - from
	p.content = u.spool.Section(from, p.size)
	u.waiting = append(u.waiting, p)
	return err
}

func (u *Upload) readPayload(p *part) error {
	text, err := io.ReadAll(io.LimitReader(p.content, maxPayload+1))
	if err != nil {
		return err
	}
	if len(text) > maxPayload {
		return fault.Wrap(fault.RequestTooLarge, payload.ErrTooLarge)
	}
	u.own, u.text = p, text
	if u.payload, err = readPayload(bytes.NewReader(text)); err == nil {
		u.payload.attached = true
	}
	return err
}

// fetch reads the head of the next file into u.next. After the last file, u.next is nil,
// and their number is checked.
func (u *Upload) fetch() error {
	u.next = nil
	p, err := u.parts.next()
	switch {
	case isEnd(err):
		return u.complete()
	case err != nil:
		return err
	case p.name == "payload":
		return errors.New("there are two parts payload")
	}
	head, err := io.ReadAll(io.LimitReader(p.content, kindSize))
	if err != nil {
		return err
	}
	p.kind.take(head)
	pointer, err := u.place(&p.kind, p.kind.refused() || len(head) < kindSize && !p.kind.known())
	if err != nil {
		return err
	}
	p.content = io.MultiReader(bytes.NewReader(head), &checkedFile{kind: &p.kind, pointer: pointer, rest: p.content, limits: u.payload.limits, size: int64(len(head))})
	u.next = p
	return nil
}

// place returns the pointer of the document that the next file belongs to.
func (u *Upload) place(kind *fileKind, refused bool) (string, error) {
	if u.files == len(u.payload.files) {
		return "", payload.Violation(u.payload.list, "field.files")
	}
	pointer := u.payload.files[u.files]
	if refused {
		return "", payload.Violation(pointer, kind.violation())
	}
	u.files++
	return pointer, nil
}

// complete checks, after the last part, that every document got its file.
func (u *Upload) complete() error {
	if u.files < len(u.payload.files) && !u.payload.optional {
		return payload.Violation(u.payload.list, "field.files")
	}
	return nil
}

// isEnd reports whether err says that there are no more parts. An upload that breaks off
// wraps io.EOF instead.
func isEnd(err error) bool { return err == io.EOF } //nolint:errorlint // see above
