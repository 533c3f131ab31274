package signingproxy

import (
	"mime"
	"net/url"
	"strings"
	"unicode"
)

// disposition is the Content-Disposition of a file: the platform's, with a name that
// is one on every system, or that of fallback; open has a browser open it.
func disposition(theirs, fallback string, open bool) string {
	kind, parameters, err := mime.ParseMediaType(theirs)
	switch {
	case open:
		kind = "inline"
	case err != nil || kind != "inline":
		kind = "attachment"
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
