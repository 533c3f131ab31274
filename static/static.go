// Package static has the stylesheets, scripts and pictures of the pages. They are part of the
// binary and are served under one hash of all their content, so that a browser keeps them for
// good and never mixes two releases.
//
// It does not know which page needs which asset, and sets no header that concerns the
// whole site.
package static

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// prefix is the path that all assets live under.
const prefix = "/static/"

// caching lets a browser keep an asset without ever asking again: its address
// changes whenever its content does.
const caching = "public, max-age=31536000, immutable"

// types names the media types here, because the machine's own tables differ.
var types = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

//go:embed *.css *.js *.svg
var files embed.FS

// Assets are the embedded files, ready to be sent. They are safe for
// concurrent use.
type Assets struct {
	base   string
	byName map[string]asset
}

type asset struct {
	mediaType string
	plain     []byte
	// zipped returns plain compressed. It is compressed at the first request: compressing
	// all of them would prolong the start considerably.
	zipped func() []byte
}

// New reads the embedded files and hashes them.
func New() (*Assets, error) { return load(files) }

func load(fsys fs.FS) (*Assets, error) {
	names, err := fs.Glob(fsys, "*")
	if err != nil {
		return nil, fmt.Errorf("static: %w", err)
	}
	a := &Assets{byName: make(map[string]asset, len(names))}
	sum := sha256.New()
	for _, name := range names { // Glob sorts, so the hash is the same everywhere
		content, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, fmt.Errorf("static: %w", err)
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(content))
		sum.Write(content)
		mediaType := types[path.Ext(name)]
		if mediaType == "" {
			return nil, fmt.Errorf("static: %s: no media type for %q", name, path.Ext(name))
		}
		content = minify(name, content)
		a.byName[name] = asset{mediaType, content, sync.OnceValue(func() []byte { return Compress(content) })}
	}
	a.base = prefix + hex.EncodeToString(sum.Sum(nil)[:8]) + "/"
	return a, nil
}

// Compress returns content compressed by gzip, as small as can be.
func Compress(content []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression) // the error would be an unknown level
	_, _ = w.Write(content)                                 // writing to a buffer never fails
	_ = w.Close()
	return out.Bytes()
}

// Has reports whether the asset name exists.
func (a *Assets) Has(name string) bool {
	_, ok := a.byName[name]
	return ok
}

// Serves reports whether path is the URL of an asset.
func (a *Assets) Serves(path string) bool {
	name, ours := strings.CutPrefix(path, a.base)
	return ours && a.Has(name)
}

// URL returns the path of the asset name, with the content hash.
func (a *Assets) URL(name string) string { return a.base + name }

// Handler serves the assets to GET and HEAD under their URL, to be cached for good.
// Everything else below Prefix is 404, even under another release's hash, because the
// answer would be cached under the wrong name.
func (a *Assets) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name, ours := strings.CutPrefix(r.URL.Path, a.base)
		found, ok := a.byName[name]
		if !ours || !ok {
			http.NotFound(w, r)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		found.send(w, r)
	})
}

func (f asset) send(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", f.mediaType)
	header.Set("Cache-Control", caching)
	header.Set("Vary", "Accept-Encoding")
	body := f.plain
	if AcceptsGzip(r.Header.Values("Accept-Encoding")) {
		header.Set("Content-Encoding", "gzip")
		body = f.zipped()
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(body) // fails only if the client went away
}

// AcceptsGzip reports whether Accept-Encoding (RFC 9110, 12.5.3) names gzip as
// acceptable.
func AcceptsGzip(headers []string) bool {
	for coding := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, parameter, _ := strings.Cut(coding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		quality, given := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
		weight, err := strconv.ParseFloat(quality, 64)
		return !given || err == nil && weight > 0
	}
	return false
}
