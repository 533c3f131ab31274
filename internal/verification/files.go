package verification

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"countersign/internal/fault"
	"countersign/internal/upstream"
)

// File is a file that the platform has begun to answer with. Whoever takes it closes
// Response.Body.
type File struct {
	// Response has the status 200, 206 or 304, and the file's own type as Content-Type.
	Response *http.Response
	// Name is the file's name, unless the platform gives it another one.
	Name string
}

// TrailRetry is when an audit trail that is being made may be there.
const TrailRetry = 2 * time.Second

// fileType says what a file begins with, its media type, and how its name ends.
type fileType struct {
	magic            []byte
	media, extension string
}

var (
	pdfs     = []fileType{{[]byte("%PDF-"), "application/pdf", ""}}
	pictures = []fileType{
		{[]byte("\x89PNG\r\n\x1a\n"), "image/png", ".png"},
		{[]byte("\xff\xd8\xff"), "image/jpeg", ".jpg"},
		{[]byte("RIFF"), "image/webp", ".webp"},
	}
)

// Evidence asks for the evidence of a completed transaction; want has the headers that say
// which part of the file is wanted. The methods below take want likewise, and refuse a file
// of another type than it must have as platform.failed.
func (c *Client) Evidence(ctx context.Context, id string, want http.Header) (*File, error) {
	return c.fileAt(ctx, getEvidence, of(id), want, "evidence-"+id+".pdf")
}

// Document asks for a document of a transaction.
func (c *Client) Document(ctx context.Context, id, document string, want http.Header) (*File, error) {
	return c.fileAt(ctx, getDocument, map[string]string{"transaction": id, "document": document}, want, document+".pdf")
}

func (c *Client) fileAt(ctx context.Context, o upstream.Operation, values map[string]string, want http.Header, name string) (*File, error) {
	path, ok := c.Path(o, values)
	if !ok {
		return nil, fault.New(fault.RequestNotFound)
	}
	return c.file(ctx, o, path, want, name, pdfs)
}

// Trail follows the link that GenerateAuditTrail returned. While the audit trail is being
// made, the error is verification.not-ready, verification.state or request.not-found.
func (c *Client) Trail(ctx context.Context, id, address string, want http.Header) (*File, error) {
	link, err := c.Link(address)
	if err != nil {
		return nil, err
	}
	return c.file(ctx, downloadAuditTrail, link.RequestURI()[len(c.Upstream.URL().Path):], want, "audit-trail-"+id+".pdf", pdfs)
}

// Picture asks for a picture in the platform's storage.
func (c *Client) Picture(ctx context.Context, image Image, want http.Header) (*File, error) {
	path, err := c.ImagePath(image)
	if err != nil {
		return nil, err
	}
	return c.file(ctx, getVerificationImage, path, want, image.Name, pictures)
}

// file asks for a file of one of the types.
func (c *Client) file(ctx context.Context, o upstream.Operation, path string, want http.Header, name string, types []fileType) (*File, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Upstream.URL().String()+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header = want.Clone()
	response, err := c.Upstream.Relay(o.Name, r)
	if err != nil {
		return nil, Translate(o, err)
	}
	f := &File{response, name}
	switch response.StatusCode {
	case http.StatusOK:
		err = f.recognize(types)
	case http.StatusPartialContent:
		response.Header.Set("Content-Type", types[0].media)
	case http.StatusNotModified:
	default:
		err = fault.Wrap(fault.VerificationNotReady, errors.New("a success without a file")).After(TrailRetry)
	}
	if err != nil {
		response.Body.Close()
		return nil, err
	}
	return f, nil
}

// recognize gives the file the type that its first bytes show.
func (f *File) recognize(types []fileType) error {
	body := bufio.NewReader(f.Response.Body)
	head, err := body.Peek(len(types[0].magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return unreadable(err)
	}
	i := slices.IndexFunc(types, func(t fileType) bool {
		return bytes.HasPrefix(head, t.magic[:min(len(t.magic), len(head))]) && len(head) > 0
	})
	if i < 0 {
		return unreadable(errors.New("the file is of another type"))
	}
	f.Response.Header.Set("Content-Type", types[i].media)
	f.Name += types[i].extension
	f.Response.Body = struct {
		io.Reader
		io.Closer
	}{body, f.Response.Body}
	return nil
}
