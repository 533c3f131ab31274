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
	// anyType is the media type of a file that browsers download and never display.
	anyType = "application/octet-stream"
	pdfType = "application/pdf"
)

// inlineParameter is the query parameter that asks the browser to open a file instead of
// downloading it.
const inlineParameter = "inline"

// shownTypes lists the media types that a browser may open on our origin.
var shownTypes = []string{pdfType, "image/png", "image/jpeg", "image/gif", "image/webp"}

// typeFor returns the media type under which a platform file is served, and whether a
// browser may open it: a PDF or a picture for which the client asked so. An octet stream
// counts as a PDF if octetsArePDF is true.
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

// isActive reports whether a file of that media type could act as a part of the origin
// that serves it: HTML, SVG, other XML, scripts, multipart types, and missing or
// malformed types, which a browser would guess.
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

// disposition returns the Content-Disposition of a file: inline if open is true, else
// attachment. The file name is the platform's or, if there is none, fallback, made safe
// for every system.
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

// safeName returns name without paths, control characters and characters that some
// systems forbid in file names, cut to 255 characters; "file" if nothing is left.
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

// mediaType returns the media type of a Content-Type without its parameters, "" if it is
// malformed.
func mediaType(contentType string) string {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		return ""
	}
	return kind
}
