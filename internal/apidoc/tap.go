package apidoc

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// maxKept limits the bytes of a body that are kept; a longer one is not judged.
const maxKept = 4 << 20

// Tap returns a transport that tells each exchange whose response was read to its end. base is
// the address of the service; what goes elsewhere is not told.
func Tap(next http.RoundTripper, base string, tell func(Exchange)) http.RoundTripper {
	u, err := url.Parse(base)
	if err != nil {
		return next // nothing can go there
	}
	return &tap{next: next, base: u, tell: tell}
}

type tap struct {
	next http.RoundTripper
	base *url.URL
	tell func(Exchange)
}

// RoundTrip implements http.RoundTripper.
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	path, ok := strings.CutPrefix(r.URL.Path, strings.TrimSuffix(t.base.Path, "/"))
	if !ok || r.URL.Host != t.base.Host {
		return t.next.RoundTrip(r)
	}
	at := *r.URL
	at.Path, at.RawPath = path, strings.TrimPrefix(r.URL.EscapedPath(), strings.TrimSuffix(t.base.EscapedPath(), "/"))
	sent := &bodyRecorder{skip: isMultipart(r.Header)}
	sending := r
	if r.Body != nil && r.Body != http.NoBody {
		sending = r.Clone(r.Context())
		sending.Body = tee{r.Body, sent, func() {}}
	}
	header := r.Header.Clone()
	response, err := t.next.RoundTrip(sending)
	if err != nil {
		return nil, err
	}
	received := &bodyRecorder{skip: !isJSON(response.Header)}
	response.Body = tee{response.Body, received, sync.OnceFunc(func() {
		t.tell(Exchange{
			Method: r.Method, URL: &at, RequestHeader: header, Request: sent.bytes(),
			Status: response.StatusCode, ResponseHeader: response.Header.Clone(), Response: received.bytes(),
		})
	})}
	return response, nil
}

// bodyRecorder is what was read of a body. Reading and asking for it may happen at once, since a
// service may answer before it has read all.
type bodyRecorder struct {
	mu   sync.Mutex
	body bytes.Buffer
	skip bool
}

func (k *bodyRecorder) Write(p []byte) (int, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.body.Len()+len(p) > maxKept {
		k.skip = true
	}
	if !k.skip {
		k.body.Write(p)
	}
	return len(p), nil
}

// bytes returns what was read, nil if that is not kept.
func (k *bodyRecorder) bytes() []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.skip {
		return nil
	}
	return append([]byte{}, k.body.Bytes()...)
}

// tee keeps what is read, and calls ended at the end of the body, not if it breaks off.
type tee struct {
	io.ReadCloser
	into  *bodyRecorder
	ended func()
}

// Read implements io.Reader.
func (t tee) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	_, _ = t.into.Write(p[:n])
	if err == io.EOF {
		t.ended()
	}
	return n, err
}

// isJSON reports whether a body is JSON. The platform calls some of it text/html
// (docs/platform.md S8).
func isJSON(h http.Header) bool {
	media := mediaType(h)
	return media == "application/json" || media == "text/html"
}

func isMultipart(h http.Header) bool { return mediaType(h) == "multipart/form-data" }

// mediaType returns the media type without its parameters; "" for none that can be read.
func mediaType(h http.Header) string {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}
