package upstream

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/payload"
)

// isForeign reports whether a refusal comes from whatever stands before the platform, such
// as a firewall or a gateway without a route, and so says nothing about what was asked for:
//
//   - a page, with any status;
//   - a 403 without a JSON object;
//   - a 404 or a 410 without a whole JSON object that is labelled as JSON: what is dropped
//     because it is missing is dropped on the platform's own word alone.
func (r *response) isForeign() bool {
	object := r.isObject()
	switch r.status {
	case http.StatusNotFound, http.StatusGone:
		return !object || !isJSON(r.mediaType())
	case http.StatusForbidden:
		return !object
	}
	return !object && (isPage(r.mediaType()) || bytes.HasPrefix(r.text(), []byte("<")))
}

// isObject reports whether the body is one whole JSON object.
func (r *response) isObject() bool {
	text := jsontext.Value(r.text())
	return !r.broken && text.Kind() == '{' && text.IsValid(payload.Tolerant())
}

// text returns the body without a byte order mark and white space around it.
func (r *response) text() []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(r.body), []byte("\ufeff")))
}

// mediaType returns the media type in lower case; "" for none that can be read.
func (r *response) mediaType() string {
	media, _, err := mime.ParseMediaType(r.header.Get("Content-Type"))
	if err != nil {
		return ""
	}
	return media
}

func isJSON(media string) bool {
	return media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

func isPage(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }
