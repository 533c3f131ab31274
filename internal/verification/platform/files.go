package platform

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	"countersign/internal/fault"
	"countersign/internal/upstream"
	"countersign/internal/verification"
)

// File is a file that the platform has begun to send. The caller must close
// Response.Body.
type File struct {
	// Response has the status 200, 206 or 304. The Content-Type of a 200 is the type that
	// its first bytes show.
	Response *http.Response
	// Name is the name of the file if the platform gives none.
	Name string
}

// fileType is a type of files: their first bytes, media type and extension.
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

// Evidence fetches the evidence of a completed transaction. Here and below, want holds
// the client's headers that ask for a part of a file or for a newer version, and a file
// of the wrong type is platform.failed.
func (c *Client) Evidence(ctx context.Context, id string, want http.Header) (*File, error) {
	return c.fileAt(ctx, getEvidence, of(id), want, "evidence-"+id+".pdf")
}

// Document fetches a document of a transaction.
func (c *Client) Document(ctx context.Context, id, document string, want http.Header) (*File, error) {
	return c.fileAt(ctx, getDocument, map[string]string{"transaction": id, "document": document}, want, document+".pdf")
}

func (c *Client) fileAt(ctx context.Context, o upstream.Operation, values map[string]string, want http.Header, name string) (*File, error) {
	path, ok := c.path(o, values)
	if !ok {
		return nil, fault.New(fault.RequestNotFound)
	}
	return c.file(ctx, o, path, want, name, pdfs)
}

// file fetches a file that must be of one of types.
func (c *Client) file(ctx context.Context, o upstream.Operation, path string, want http.Header, name string, types []fileType) (*File, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Upstream.URL().String()+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header = want.Clone()
	whole := len(types) > 1 // a part of it does not show which of the types it has
	if whole {
		r.Header.Del("Range")
		r.Header.Del("If-Range")
	}
	response, err := c.Upstream.Relay(o.Name, r)
	if err != nil {
		return nil, translate(o, err)
	}
	f := &File{response, name}
	switch response.StatusCode {
	case http.StatusOK:
		err = f.recognize(types)
		if whole {
			response.Header.Del("Accept-Ranges")
		}
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

// recognize sets the type that the file's first bytes show.
func (f *File) recognize(types []fileType) error {
	body := bufio.NewReader(f.Response.Body)
	head, err := body.Peek(len(types[0].magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return verification.Unreadable(err)
	}
	i := slices.IndexFunc(types, func(t fileType) bool {
		return bytes.HasPrefix(head, t.magic[:min(len(t.magic), len(head))]) && len(head) > 0
	})
	if i < 0 {
		return verification.Unreadable(errors.New("the file is of another type"))
	}
	f.Response.Header.Set("Content-Type", types[i].media)
	f.Name += types[i].extension
	f.Response.Body = struct {
		io.Reader
		io.Closer
	}{body, f.Response.Body}
	return nil
}
