package signing

import (
	"bytes"
	"io"
	"mime/multipart"
	"sync/atomic"

	"countersign/internal/payload"
)

// Body is an upload on its way to the platform: the payload, then the files, each checked
// as it passes. A violation that only a later part reveals ends the body without its last
// boundary.
type Body struct {
	// ContentType is the body's media type.
	ContentType string
	// Length is the body's size in bytes; -1 if unknown.
	Length int64

	// next returns the part that follows, nil after the last; failure returns the fault
	// for a part that could not be read.
	next     func() (*part, error)
	failure  func(error) error
	form     *multipart.Writer
	frame    bytes.Buffer // the boundaries and headers that form writes
	current  io.Reader
	finished bool // nothing follows

	err atomic.Pointer[error]
}

// begin makes b multipart/form-data with p as its first part.
func (b *Body) begin(p *part) error {
	b.form, b.Length = multipart.NewWriter(&b.frame), -1
	b.ContentType = b.form.FormDataContentType()
	return b.add(p)
}

// Body returns the upload as it is sent on, after a Check of the payload. A violation by
// the files up to the beginning of the first one after the payload is request.invalid.
func (u *Upload) Body() (*Body, error) {
	b := &Body{ContentType: u.contentType, Length: u.payload.Size(), next: u.nextPart, failure: u.failure}
	if u.parts == nil {
		b.current, b.finished = u.payload.Edited(u.spool.Section(0, u.spool.Size())), true
		return b, nil
	}
	for _, p := range u.waiting {
		pointer, err := u.place(&p.kind, !p.kind.known())
		if err == nil && u.payload.limits.TooLarge(p.size) {
			err = payload.Violation(pointer, TooLargeDocument)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := u.fetch(); err != nil {
		return nil, u.failure(err)
	}
	u.own.content = u.payload.Edited(bytes.NewReader(u.text))
	return b, b.begin(u.own)
}

// Err returns the error that ended the body early; nil if none did.
func (b *Body) Err() error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Read reads the body. It returns the error that Err returns too: request.invalid,
// request.malformed or request.too-large.
func (b *Body) Read(p []byte) (int, error) {
	for {
		n, err := b.current.Read(p)
		if n > 0 || err == nil {
			return n, nil
		}
		if err == io.EOF { //nolint:errorlint // a reader's end is io.EOF itself
			if b.finished {
				return 0, io.EOF
			}
			err = b.advance()
		}
		if err != nil {
			err = b.failure(err)
			b.err.Store(&err)
			return 0, err
		}
	}
}

// nextPart returns the next part after the payload: first the files that came before the
// payload, then those still to be read.
func (u *Upload) nextPart() (*part, error) {
	if len(u.waiting) > 0 {
		p := u.waiting[0]
		u.waiting = u.waiting[1:]
		return p, nil
	}
	if u.streaming {
		if err := u.fetch(); err != nil {
			return nil, err
		}
	}
	u.streaming = true
	return u.next, nil
}

// advance starts the next part, or the last boundary.
func (b *Body) advance() error {
	p, err := b.next()
	if err != nil {
		return err
	}
	if p == nil {
		b.finished, b.current = true, &b.frame
		return b.form.Close()
	}
	return b.add(p)
}

// add starts a part, its header before its content.
func (b *Body) add(p *part) error {
	if _, err := b.form.CreatePart(p.header()); err != nil {
		return err
	}
	frame := bytes.Clone(b.frame.Bytes())
	b.frame.Reset()
	b.current = io.MultiReader(bytes.NewReader(frame), p.content)
	return nil
}

// checkedFile is the rest of a file after its head, checked while it is read.
type checkedFile struct {
	kind    *fileKind
	pointer string // of the file's document
	rest    io.Reader
	limits  Limits
	size    int64 // so far
}

func (f *checkedFile) Read(p []byte) (int, error) {
	n, err := f.rest.Read(p)
	f.kind.take(p[:n])
	if f.size += int64(n); f.limits.TooLarge(f.size) {
		return 0, payload.Violation(f.pointer, TooLargeDocument)
	}
	ended := err == io.EOF
	if f.kind.refused() || ended && !f.kind.known() {
		return 0, payload.Violation(f.pointer, f.kind.violation())
	}
	return n, err
}
