package static

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path"
	"regexp"
	"strings"
	"time"
)

// FolderPrefix is the path below which a Folder is served.
const FolderPrefix = "/app/"

const (
	// folderIndex is the document of a single-page application.
	folderIndex = "index.html"
	// checked lets a browser keep a file, and has it ask whether it is still the same.
	checked = "no-cache"
	// asMade has proxies leave a page as it is (RFC 9111, 5.2.2.6).
	asMade = ", no-transform"
	// folderPolicy lets the application load its own files and call this origin. base-uri is
	// for frameworks that route below a <base>.
	folderPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
		"connect-src 'self'; media-src 'self'; manifest-src 'self'; worker-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'"
)

// folderTypes are the media types of a Folder beside types; any other file is to be downloaded.
var folderTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".mjs": types[".js"], ".json": "application/json", ".map": "application/json",
	".webmanifest": "application/manifest+json", ".txt": "text/plain; charset=utf-8", ".png": "image/png", ".jpg": "image/jpeg",
	".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".ico": "image/vnd.microsoft.icon",
	".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf", ".mp4": "video/mp4", ".webm": "video/webm", ".wasm": "application/wasm",
}

// Folder is the build of a single-page application: files that a browser gets as they are, and
// an index for every other path. It is safe for concurrent use, and serves what is in the
// folder at the time.
type Folder struct{ root *os.Root }

// OpenFolder opens the folder dir. The error says that it has no index.html.
func OpenFolder(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("static: open the application's folder: %w", err)
	}
	f := &Folder{root}
	index, err := f.open(folderIndex)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("static: read the application's index: %w", err), root.Close())
	}
	return f, index.Close()
}

// Close gives the folder back.
func (f *Folder) Close() error { return f.root.Close() }

// Serve answers GET and HEAD of a path below FolderPrefix, and returns false, without having
// written anything, for a file that is not there. A path whose last part has no extension, and
// any other without a file to which a browser navigates, is a page of the application, which its
// index shows.
func (f *Folder) Serve(w http.ResponseWriter, r *http.Request) bool {
	name, below := strings.CutPrefix(path.Clean(r.URL.Path)+"/", FolderPrefix)
	name = strings.TrimSuffix(name, "/")
	if !below {
		return false
	}
	if path.Ext(name) == "" {
		name = folderIndex
	}
	file, err := f.open(name)
	if err != nil && strings.Contains(r.Header.Get("Accept"), "text/html") {
		name = folderIndex
		file, err = f.open(name)
	}
	if err != nil {
		return false
	}
	defer file.Close()
	// Files of reproducible builds all have the same time, so the content tells versions apart.
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return false
	}
	header := w.Header()
	header.Set("Content-Security-Policy", folderPolicy)
	header.Set("Content-Type", cmp.Or(types[path.Ext(name)], folderTypes[path.Ext(name)], "application/octet-stream"))
	kept := checked
	if isNamedByContent(name) {
		kept = caching
	}
	if path.Ext(name) == ".html" {
		kept += asMade
	}
	header.Set("Cache-Control", kept)
	header.Set("ETag", `"`+base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])+`"`)
	http.ServeContent(w, r, "", time.Time{}, file) // which begins anywhere
	return true
}

// open opens a file; the error is fs.ErrNotExist for what is not to be served: a folder, and
// whatever a part of its path hides by a dot.
func (f *Folder) open(name string) (*os.File, error) {
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") {
			return nil, fs.ErrNotExist
		}
	}
	info, err := f.root.Stat(name) // a pipe would be waited for
	if err == nil && !info.Mode().IsRegular() {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	return f.root.Open(name)
}

var (
	// contentHash is what bundlers put at the end of a file's name, before its extension.
	contentHash = regexp.MustCompile(`[.-]([A-Za-z0-9_-]{8,})\.[a-z0-9]+$`)
	// wordAndNumber is such an end that a person may have written.
	wordAndNumber = regexp.MustCompile(`^([A-Za-z_-]*[0-9_-]*|[0-9_-]{4,}[A-Za-z_-]*)$`)
)

// isNamedByContent reports whether a file's name changes with its content, as far as names
// show: they end in eight letters and digits or more, mixed as in no word or date. A file of
// another name is asked for again each time.
func isNamedByContent(name string) bool {
	found := contentHash.FindStringSubmatch(name)
	return found != nil && !wordAndNumber.MatchString(found[1])
}
