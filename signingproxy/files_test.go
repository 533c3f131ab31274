package signingproxy

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestFiles_Names(t *testing.T) {
	for theirs, want := range map[string]string{
		"":                             "attachment; filename*=UTF-8''doc.pdf",
		"inline":                       "attachment; filename*=UTF-8''doc.pdf",
		`inline; filename="a;b%.pdf"`:  "attachment; filename*=UTF-8''a%3Bb%25.pdf",
		`inline; filename="a'b\".pdf"`: "attachment; filename*=UTF-8''a%27b_.pdf",
		"attachment; filename*=UTF-8''a%0D%0ASet-Cookie%3A%20x.pdf": "attachment; filename*=UTF-8''aSet-Cookie_%20x.pdf",
		`attachment; filename="a b.pdf"`:                            "attachment; filename*=UTF-8''a%20b.pdf",
		"attachment; filename*=UTF-8''B%C3%BCro%20a_b.pdf":          "attachment; filename*=UTF-8''B%C3%BCro%20a_b.pdf",
		`attachment; filename="../../etc/passwd"`:                   "attachment; filename*=UTF-8''_.._etc_passwd",
		"attachment; filename*=UTF-8''%E2%80%AEfdp.exe":             "attachment; filename*=UTF-8''fdp.exe",
		`form-data; name="x"; filename="..."`:                       "attachment; filename*=UTF-8''file",
		"attachment; filename=\"unclosed":                           "attachment; filename*=UTF-8''doc.pdf",
	} {
		if got := disposition(theirs, "doc.pdf", false); got != want {
			t.Errorf("%s: %s, want %s", theirs, got, want)
		}
	}
}

// No file can act as a part of our origin. A browser opens only PDFs and pictures, and
// only if the client asked for that.
func TestFiles_Types(t *testing.T) {
	const html = "text/html"
	for theirs, want := range map[string]string{
		"application/pdf": "application/pdf", "image/png": "image/png", "image/jpeg": "image/jpeg", "image/webp": "image/webp", "IMAGE/GIF": "image/gif",
		"application/pdf; charset=x": "application/pdf",
		"text/plain; charset=utf-8":  "", "application/zip": "", "application/msword": "", "application/rtf": "", "application/octet-stream": "",
		"application/vnd.oasis.opendocument.text":                                 "",
		"application/vnd.openxmlformats-officedocument.wordprocessingml.document": "", "image/tiff": "",
		html: html, "TEXT/HTML; charset=utf-8": html, "application/xhtml+xml": html, "image/svg+xml": html, "image/SVG": html, "text/xml": html,
		"application/xml; charset=utf-8": html, "text/xsl": html, "application/rss+xml": html, "application/xml-dtd": html, "application/mathml+xml": html,
		"text/javascript": html, "application/ecmascript": html, "text/css": html, "multipart/x-mixed-replace; boundary=x": html, "message/rfc822": html,
		"": html, "pdf": html, "text/": html, "text/plain, text/html": html, "text/plain; x": html, ";": html,
	} {
		r := httptest.NewRequest(http.MethodGet, "/?inline=yes", nil)
		kind, open := typeFor(r, theirs, false)
		switch want {
		case html:
			if kind != "application/octet-stream" || open {
				t.Errorf("%q is sent as %q, to be opened: %v", theirs, kind, open)
			}
		case "":
			if kind != theirs || open {
				t.Errorf("%q is sent as %q, to be opened: %v", theirs, kind, open)
			}
		default:
			if kind != want || !open {
				t.Errorf("%q is sent as %q, to be opened: %v", theirs, kind, open)
			}
		}
		for _, query := range []string{"", "inline", "inline=", "inline=no", "inline=YES", "Inline=yes"} {
			r := httptest.NewRequest(http.MethodGet, "/?"+query, nil)
			if _, open := typeFor(r, theirs, false); open {
				t.Errorf("%q is opened though ?%s does not ask for it", theirs, query)
			}
		}
	}
}

// One range of bytes is passed on as the platform reads it, and one of no byte as one that
// no file has. A malformed range, or several, asks for the whole file.
func TestFiles_Ranges(t *testing.T) {
	for sent, want := range map[string]string{
		"bytes=0-3": "bytes=0-3", "bytes=5-": "bytes=5-", "bytes=-2": "bytes=-2", "Bytes=0-0": "bytes=0-0", "bytes= 1-2\t": "bytes=1-2",
		"bytes=99999999999999999999-": "bytes=99999999999999999999-", "bytes=7-99999999999999999999": "bytes=7-99999999999999999999",
		"bytes=-0": "bytes=9223372036854775807-", "bytes=-00": "bytes=9223372036854775807-",
		"": "", "bytes": "", "bytes=": "", "bytes=-": "", "bytes=3-2": "", "bytes=a-b": "", "bytes=1": "", "bytes=1-2-3": "", "bytes=-1-2": "", "bytes=+1-2": "",
		"bytes=0-1,3-4": "", "bytes=,0-1": "", "items=0-1": "", "bytes 0-1": "", "bytes=0x1-2": "", "bytes=99999999999999999999-7": "", "bytes=1 -2": "",
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Range", sent)
		if got, ok := rangeOf(r); got != want || ok != (want != "") {
			t.Errorf("%q asks for %q, %v", sent, got, ok)
		}
		r.Header.Add("Range", "bytes=0-1")
		if got, ok := rangeOf(r); ok {
			t.Errorf("two ask for %q", got)
		}
	}
	r := httptest.NewRequest(http.MethodHead, "/", nil)
	r.Header.Set("Range", "bytes=0-1")
	if got, ok := rangeOf(r); ok {
		t.Errorf("HEAD asks for %q", got)
	}
}
