package signingproxy

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

const (
	// anyType is the type of a file that browsers keep and never show.
	anyType = "application/octet-stream"
	pdfType = "application/pdf"
)

// inlineParameter asks that a browser opens a file in place of keeping it.
const inlineParameter = "inline"

// shownTypes are the types of files that a browser may open on our origin.
var shownTypes = []string{pdfType, "image/png", "image/jpeg", "image/gif", "image/webp"}

// typeFor returns the type that a file of the platform has here, and whether a browser is
// to open it: a PDF or a picture that was asked for so. An octet stream counts as a PDF if
// octetsArePDF says so.
func typeFor(r *http.Request, theirs string, octetsArePDF bool) (kind string, open bool) {
	kind = mediaType(theirs)
	if isActive(kind) {
		kind, theirs = anyType, anyType
	}
	if r.URL.Query().Get(inlineParameter) != "yes" {
		return theirs, false
	}
	if kind == anyType && octetsArePDF {
		kind = pdfType
	}
	if !slices.Contains(shownTypes, kind) {
		return theirs, false
	}
	return kind, true
}

// isActive reports whether what has that media type could act as a part of the origin that
// serves it: HTML, SVG, other XML, scripts, what is made of parts of any type, and what is
// no media type, of which a browser would guess.
func isActive(kind string) bool {
	major, minor, _ := strings.Cut(kind, "/")
	for _, part := range []string{"html", "svg", "javascript", "ecmascript", "xslt", "css"} {
		if strings.Contains(minor, part) {
			return true
		}
	}
	isXML := minor == "xml" || minor == "xsl" || strings.HasSuffix(minor, "+xml") || strings.HasPrefix(minor, "xml-")
	return isXML || minor == "" || major == "multipart" || major == "message"
}

// disposition is the Content-Disposition of a file: an attachment unless open has a browser
// open it, under the platform's name or fallback, made one that every system takes.
func disposition(theirs, fallback string, open bool) string {
	_, parameters, err := mime.ParseMediaType(theirs)
	kind := "attachment"
	if open {
		kind = "inline"
	}
	name := fallback
	if err == nil && parameters["filename"] != "" {
		name = parameters["filename"]
	}
	return kind + "; filename*=UTF-8''" + strings.ReplaceAll(url.QueryEscape(safeName(name)), "+", "%20")
}

// safeName is name without what leads elsewhere or cannot stand in a file's name.
func safeName(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`*/\:<>|?"`, r):
			return '_'
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, name)
	name = strings.Trim(name, ". ")
	if name == "" {
		return "file"
	}
	if runes := []rune(name); len(runes) > 255 {
		name = string(runes[:255])
	}
	return name
}

// mediaType is the type of a Content-Type without its parameters, "" if it is none.
func mediaType(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return kind
}
