package openapitest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"
)

// exchange is a request and its answer, with their bodies.
type exchange struct {
	request *http.Request
	sent    []byte
	answer  *http.Response
	content []byte
}

// copy returns the request as it was sent, with its body unread.
func (e exchange) copy() *http.Request {
	r := e.request.Clone(e.request.Context())
	r.Body = io.NopCloser(bytes.NewReader(e.sent))
	r.GetBody = nil
	r.ContentLength = int64(len(e.sent))
	return r
}

// isInterstitial reports whether the answer is the page that leads a cross-site navigation back
// to the same address. Any operation may answer so, undocumented.
func (e exchange) isInterstitial() bool {
	h := e.request.Header
	return h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Site") == "cross-site" && e.is("text/html")
}

// is reports whether the answer's content type, without parameters, is mediaType.
// parameters.
func (e exchange) is(mediaType string) bool { return e.mediaType() == mediaType }

func (e exchange) isJSON() bool { return isJSON(e.answer.Header.Get("Content-Type")) }

func (e exchange) mediaType() string { return mediaType(e.answer.Header.Get("Content-Type")) }

func isJSON(contentType string) bool {
	media := mediaType(contentType)
	return media == "application/json" || strings.HasSuffix(media, "+json")
}

// mediaType returns contentType without its parameters.
func mediaType(contentType string) string {
	media, _, _ := strings.Cut(contentType, ";")
	return strings.ToLower(strings.TrimSpace(media))
}

// standsIn reports whether a page is documented only as what stands in for JSON: without
// x-for-people.
func standsIn(content openapi3.Content) bool {
	page := content["text/html"]
	return content["application/json"] != nil && (page == nil || page.Extensions["x-for-people"] == nil)
}

// bodyViolation checks what the library passes over: a body where none is documented, a
// missing body (a response with x-may-be-empty may lack one), and JSON that only a
// lenient reader accepts.
func (e exchange) bodyViolation(documented *openapi3.Response) error {
	given, told := len(e.content) > 0, len(documented.Content) > 0
	head := e.request.Method == http.MethodHead
	switch {
	case given && (head || !told):
		return fmt.Errorf("a body of %d bytes, expected an empty one", len(e.content))
	case e.is("text/html") && e.answer.StatusCode/100 == 2 && standsIn(documented.Content) && !e.isInterstitial():
		return errors.New("a page where there is to be JSON")
	case head && told && documented.Content.Get(e.answer.Header.Get("Content-Type")) == nil:
		return fmt.Errorf("content type %q is not documented", e.answer.Header.Get("Content-Type"))
	case !given && documented.Extensions["x-may-be-empty"] == true:
	case !given && told && !head && e.answer.StatusCode/100 != 3:
		// A redirect's body, if any, is for old browsers, and on GET alone.
		return errors.New("no body where there is to be one")
	case given && e.isJSON() && !jsontext.Value(e.content).IsValid():
		return errors.New("the body is not JSON, or says something twice")
	}
	return nil
}
