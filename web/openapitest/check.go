package openapitest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/go-json-experiment/json/jsontext"
)

// exchange is a request and what came of it, bodies included.
type exchange struct {
	request *http.Request
	sent    []byte
	answer  *http.Response
	content []byte
}

// options hold for requests and answers. Schemas are judged by JSON Schema
// 2020-12, which the library does of itself for a 3.1 document.
func options() *openapi3filter.Options {
	o := &openapi3filter.Options{
		IncludeResponseStatus: true,
		MultiError:            true,
		SkipSettingDefaults:   true,
		AuthenticationFunc:    authenticated,
	}
	o.WithCustomSchemaErrorFunc(brief)
	return o
}

// brief says where a value is wrong and why; the library's own words show the
// whole schema.
func brief(err *openapi3.SchemaError) string {
	reason := err.Reason
	if heading, each, ok := strings.Cut(reason, "\n"); ok && strings.HasPrefix(heading, "jsonschema") {
		return each
	}
	if at := err.JSONPointer(); len(at) > 0 {
		return "at /" + strings.Join(at, "/") + ": " + reason
	}
	return reason
}

// check returns what of the exchange the document does not allow.
func (c *Checker) check(e exchange) []error {
	route, params := c.route(e.request)
	documented := route.Operation.Responses.Status(e.answer.StatusCode)
	if documented == nil || documented.Value == nil {
		return []error{fmt.Errorf("operation %s does not tell of this status", route.Operation.OperationID)}
	}
	c.meet(Answer{route.Operation.OperationID, e.answer.StatusCode})
	input := &openapi3filter.RequestValidationInput{
		Request: e.copy(), PathParams: params, Route: route, Options: options(),
	}
	violations := e.answerViolations(input, documented.Value)
	if e.answer.StatusCode/100 == 2 && !e.ledBack() {
		if err := openapi3filter.ValidateRequest(input.Request.Context(), input); err != nil {
			violations = append(violations, fmt.Errorf("it succeeded, but the request: %w", err))
		}
	}
	return violations
}

// route is the operation that a request is for, with the values in its path.
// HEAD is GET without the body.
func (c *Checker) route(r *http.Request) (*routers.Route, map[string]string) {
	wanted := r.Clone(r.Context())
	if wanted.Method == http.MethodHead {
		wanted.Method = http.MethodGet
	}
	if wanted.URL.Path == "" {
		wanted.URL.Path = "/"
	}
	route, params, err := c.router.FindRoute(wanted)
	if err != nil {
		return c.elsewhere, nil
	}
	for name, value := range params {
		if plain, err := url.PathUnescape(value); err == nil {
			params[name] = plain
		}
	}
	return route, params
}

// copy is the request as it was sent, to be read once more.
func (e exchange) copy() *http.Request {
	r := e.request.Clone(e.request.Context())
	r.Body = io.NopCloser(bytes.NewReader(e.sent))
	r.GetBody = nil
	r.ContentLength = int64(len(e.sent))
	return r
}

// ledBack reports whether the answer is the page that leads a navigation from
// another site back to the same address. Anybody is given it, instead of what
// the operation answers.
func (e exchange) ledBack() bool {
	h := e.request.Header
	return h.Get("Sec-Fetch-Mode") == "navigate" && h.Get("Sec-Fetch-Site") == "cross-site" && e.is("text/html")
}

// is reports whether the answer's content type is mediaType, whatever its
// parameters.
func (e exchange) is(mediaType string) bool { return e.mediaType() == mediaType }

func (e exchange) isJSON() bool {
	return e.is("application/json") || strings.HasSuffix(e.mediaType(), "+json")
}

func (e exchange) mediaType() string {
	got, _, _ := strings.Cut(e.answer.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(got))
}

// answerViolations compares the answer with what is documented for its status.
func (e exchange) answerViolations(input *openapi3filter.RequestValidationInput, documented *openapi3.Response) []error {
	var violations []error
	if err := e.bodyViolation(documented); err != nil {
		violations = append(violations, err)
	}
	judged := options()
	judged.ExcludeResponseBody = len(e.content) == 0
	asGet := *input
	asGet.Request = input.Request.Clone(input.Request.Context())
	asGet.Request.Method = http.MethodGet // of HEAD the library would look at nothing
	err := openapi3filter.ValidateResponse(asGet.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &asGet,
		Status:                 e.answer.StatusCode,
		Header:                 e.answer.Header,
		Body:                   io.NopCloser(bytes.NewReader(e.content)),
		Options:                judged,
	})
	if err != nil {
		violations = append(violations, err)
	}
	return violations
}

// bodyViolation looks at what the library passes over: a body where there is to
// be none, none where there is to be one, and JSON that only a lenient reader
// can read.
func (e exchange) bodyViolation(documented *openapi3.Response) error {
	given, told := len(e.content) > 0, len(documented.Content) > 0
	head := e.request.Method == http.MethodHead
	switch {
	case given && (head || !told):
		return fmt.Errorf("a body of %d bytes where there is to be none", len(e.content))
	case e.is("text/html") && e.answer.StatusCode/100 == 2 && documented.Content["application/json"] != nil && !e.ledBack():
		return errors.New("a page where there is to be JSON")
	case head && told && documented.Content.Get(e.answer.Header.Get("Content-Type")) == nil:
		return fmt.Errorf("content type %q is not documented", e.answer.Header.Get("Content-Type"))
	case !given && told && !head && e.answer.StatusCode/100 != 3:
		// A redirect has its body, if any, for old browsers, and on GET alone.
		return errors.New("no body where there is to be one")
	case given && e.isJSON() && !jsontext.Value(e.content).IsValid():
		return errors.New("the body is not JSON, or says something twice")
	}
	return nil
}

// authenticated reports, by its error, whether the request carries what a
// security scheme asks for.
func authenticated(_ context.Context, in *openapi3filter.AuthenticationInput) error {
	r, scheme := in.RequestValidationInput.Request, in.SecurityScheme
	switch {
	case scheme.Type == "apiKey" && scheme.In == "cookie":
		if _, err := r.Cookie(scheme.Name); err != nil {
			return fmt.Errorf("it carries no cookie %s", scheme.Name)
		}
		return nil
	case scheme.Type == "http":
		if got, _, _ := strings.Cut(r.Header.Get("Authorization"), " "); !strings.EqualFold(got, scheme.Scheme) {
			return fmt.Errorf("it carries no Authorization of scheme %s", scheme.Scheme)
		}
		return nil
	}
	return fmt.Errorf("security scheme %s is of a kind that is not known here", in.SecuritySchemeName)
}
