package idempotency

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"sync"

	"countersign/internal/fault"
)

const (
	// maxPartHeader limits the header of a part, and the text before the first part, in
	// bytes.
	maxPartHeader = 64 << 10
	// maxPartNames limits how many different names the parts of a body have.
	maxPartNames = 64
)

// digester digests a request in constant memory while its body is read. Two requests are
// the same if their method and path are, and
//
//   - in multipart/form-data, for each name of a part, the parts of that name have the
//     same file names and contents in the same order, because files belong to documents
//     by their order. The order of parts with different names does not count, since the
//     payload may come before its files or after them, and nor do boundary, content
//     types, other headers and how they are spelt;
//   - in any other body, the bytes are the same.
type digester struct {
	head  string
	pipe  *io.PipeWriter
	parts chan parts
	read  *parts // once they are all read
}

// parts holds the parts' digests by name, or the error that keeps them from being read.
type parts struct {
	byName map[string]hash.Hash
	err    error
}

func newDigester(method, path, contentType string) *digester {
	read, write := io.Pipe()
	d := &digester{head: fmt.Sprintf("%q %q", method, path), pipe: write, parts: make(chan parts, 1)}
	digest := wholeBody
	media, params, err := mime.ParseMediaType(contentType)
	if err == nil && media == "multipart/form-data" {
		digest = func(r io.Reader) (map[string]hash.Hash, error) { return partsOf(r, params["boundary"]) }
	}
	go func() {
		byName, err := digest(read)
		_ = read.CloseWithError(err) // the rest is not read
		d.parts <- parts{byName, err}
	}()
	return d
}

// write takes the next bytes of the body. sum reports what is wrong with them.
func (d *digester) write(p []byte) { _, _ = d.pipe.Write(p) }

// sum ends the body and returns the digest of the request.
func (d *digester) sum() ([]byte, error) {
	if d.read == nil {
		d.pipe.Close()
		read := <-d.parts
		d.read = &read
	}
	if d.read.err != nil {
		return nil, d.read.err
	}
	all := sha256.New()
	fmt.Fprintln(all, d.head)
	for _, name := range slices.Sorted(maps.Keys(d.read.byName)) {
		fmt.Fprintf(all, "%q %x\n", name, d.read.byName[name].Sum(nil))
	}
	return all.Sum(nil), nil
}

// wholeBody treats a body as one part without a name.
func wholeBody(r io.Reader) (map[string]hash.Hash, error) {
	content := sha256.New()
	_, err := io.Copy(content, r)
	return map[string]hash.Hash{"": content}, err
}

// partsOf digests the parts of a multipart body.
func partsOf(r io.Reader, boundary string) (map[string]hash.Hash, error) {
	bounded := &io.LimitedReader{R: r}
	// The line feed is for a last boundary without one. A body that ends before it ends
	// in an error; multipart.Reader takes some of those for whole.
	reader := multipart.NewReader(io.MultiReader(bounded, strings.NewReader("\r\n"), brokenOff{}), boundary)
	byName := map[string]hash.Hash{}
	for {
		bounded.N = maxPartHeader
		part, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, r) // text after the last boundary does not count
			return byName, err
		}
		if err != nil {
			return nil, err
		}
		bounded.N = math.MaxInt64
		content := sha256.New()
		if _, err := io.Copy(content, part); err != nil {
			return nil, err
		}
		name, fileName := namesOfPart(part)
		if byName[name] == nil {
			byName[name] = sha256.New()
		}
		if len(byName) > maxPartNames {
			return nil, errors.New("too many names of parts")
		}
		fmt.Fprintf(byName[name], "%q %x\n", fileName, content.Sum(nil))
	}
}

// brokenOff follows the body, so that a body without its last boundary is an error.
type brokenOff struct{}

// Read returns an error that is not io.EOF.
func (brokenOff) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// namesOfPart returns a part's name and file name, as the client gave them.
func namesOfPart(part *multipart.Part) (name, fileName string) {
	disposition := part.Header.Get("Content-Disposition")
	_, params, err := mime.ParseMediaType(disposition)
	if err != nil {
		return disposition, ""
	}
	return params["name"], params["filename"]
}

// body is a request's body, digested as it is read. It is safe for concurrent use.
type body struct {
	mu     sync.Mutex
	from   io.Reader
	to     *digester
	closed bool
}

func newBody(r Request) *body {
	return &body{from: r.Body, to: newDigester(r.Method, r.Path, r.ContentType)}
}

// Read reads the request's own body and digests it.
func (b *body) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return 0, io.ErrClosedPipe
	}
	n, err := b.from.Read(p)
	b.to.write(p[:n])
	return n, err
}

// digest reads what is left and returns the digest of all, or request.too-large or
// request.malformed.
func (b *body) digest() ([]byte, error) {
	if _, err := io.Copy(io.Discard, b); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, fault.Wrap(fault.RequestTooLarge, err)
		}
		return nil, fault.Wrap(fault.RequestMalformed, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	digest, err := b.to.sum()
	if err != nil {
		return nil, fault.Wrap(fault.RequestMalformed, err)
	}
	return digest, nil
}

// close ends the digest: later reads of the body fail.
func (b *body) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	_, _ = b.to.sum()
}
