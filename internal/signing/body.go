package signing

import (
	"bytes"
	"io"
	"mime/multipart"
	"sync/atomic"
)

// Body is an upload on its way to the platform: the payload, then the files, each
// judged as it passes. What only later parts can show ends it without its last
// boundary.
type Body struct {
	// ContentType is its media type.
	ContentType string
	// Length is its size in bytes; -1 where it is not known.
	Length int64

	// next is the part that follows, nil behind the last; failure says what became of a
	// part that could not be read.
	next     func() (*part, error)
	failure  func(error) error
	form     *multipart.Writer
	frame    bytes.Buffer // the boundaries and headers that form writes
	current  io.Reader
	finished bool // nothing follows

	err atomic.Pointer[error]
}

// begin makes b multipart/form-data, and p its first part.
func (b *Body) begin(p *part) error {
	b.form, b.Length = multipart.NewWriter(&b.frame), -1
	b.ContentType = b.form.FormDataContentType()
	return b.add(p)
}

// Body is the upload as it is sent on. The payload was checked; what is wrong with the
// files so far, up to the beginning of the first behind it, is request.invalid.
func (u *Upload) Body() (*Body, error) {
	b := &Body{ContentType: u.contentType, Length: u.payload.Size(), next: u.following, failure: u.failure}
	if u.parts == nil {
		b.current, b.finished = u.payload.Edited(u.spool.Section(0, u.spool.Size())), true
		return b, nil
	}
	for _, p := range u.waiting {
		if _, err := u.place(!p.kind.known()); err != nil {
			return nil, err
		}
	}
	if err := u.fetch(); err != nil {
		return nil, u.failure(err)
	}
	u.own.content = u.payload.Edited(bytes.NewReader(u.text))
	return b, b.begin(u.own)
}

// Err is what ended the body before its end; nil where nothing did.
func (b *Body) Err() error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// Read reads the body. Its error is also Err's: request.invalid, request.malformed or
// request.too-large.
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

// following is the next part behind the payload: what waited, then what is still to be
// read.
func (u *Upload) following() (*part, error) {
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

// advance goes on to the next part, or to the last boundary.
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

// add puts the part's header before its content.
func (b *Body) add(p *part) error {
	if _, err := b.form.CreatePart(p.header()); err != nil {
		return err
	}
	frame := bytes.Clone(b.frame.Bytes())
	b.frame.Reset()
	b.current = io.MultiReader(bytes.NewReader(frame), p.content)
	return nil
}

// checkedFile is what follows the head of a file, judged while it is read.
type checkedFile struct {
	kind    *fileKind
	pointer string // of its document
	rest    io.Reader
}

func (f *checkedFile) Read(p []byte) (int, error) {
	n, err := f.rest.Read(p)
	f.kind.take(p[:n])
	ended := err == io.EOF
	if f.kind.refused() || ended && !f.kind.known() {
		return 0, violation(f.pointer, "field.file")
	}
	return n, err
}
