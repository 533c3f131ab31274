package openapitest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// options apply to requests and answers. Schemas are judged by JSON Schema 2020-12, the
// library's default for a 3.1 document.
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

// brief says where a value is wrong and why; the library's own text shows the whole
// schema.
func brief(err *openapi3.SchemaError) string {
	reason := withoutHeading(err.Reason)
	if at := err.JSONPointer(); len(at) > 0 && reason == err.Reason {
		return "at /" + strings.Join(at, "/") + ": " + reason
	}
	return reason
}

// withoutHeading returns a jsonschema error without its first line, which only names the
// schema.
func withoutHeading(reason string) string {
	if heading, each, ok := strings.Cut(reason, "\n"); ok && strings.HasPrefix(heading, "jsonschema") {
		return each
	}
	return reason
}

// check returns the violations of the document in an exchange.
func (c *Checker) check(e exchange) []error {
	route, params := c.route(e.request)
	documented := route.Operation.Responses.Status(e.answer.StatusCode)
	if documented == nil || documented.Value == nil {
		return []error{fmt.Errorf("operation %s does not tell of this status", route.Operation.OperationID)}
	}
	c.meet(Answer{route.Operation.OperationID, e.answer.StatusCode})
	if err := c.keeper.keep(route.Operation.OperationID, e); err != nil {
		return []error{err}
	}
	input := &openapi3filter.RequestValidationInput{
		Request: e.copy(), PathParams: params, Route: route, Options: options(),
	}
	violations := c.answerViolations(e, input, documented.Value)
	if e.answer.StatusCode/100 == 2 && !e.isInterstitial() {
		if err := c.requestViolation(e, input); err != nil {
			violations = append(violations, fmt.Errorf("it succeeded, but the request: %w", err))
		}
	}
	return violations
}

// requestViolation compares a request with its operation. It skips the parts of a form
// with files: the library knows neither their types nor clients' ways of writing them.
func (c *Checker) requestViolation(e exchange, input *openapi3filter.RequestValidationInput) error {
	contentType := e.request.Header.Get("Content-Type")
	if body := input.Route.Operation.RequestBody; body != nil && len(e.sent) > 0 && isJSON(contentType) {
		if media := body.Value.Content.Get(contentType); media != nil {
			input.Options.ExcludeRequestBody = true
			if err := c.schemas.judge(media.Schema, e.sent); err != nil {
				return err
			}
		}
	}
	if strings.HasPrefix(contentType, "multipart/") {
		input.Options.ExcludeRequestBody = true
	}
	return openapi3filter.ValidateRequest(input.Request.Context(), input)
}

// route returns the operation of a request, with the values in its path. HEAD is GET
// without the body, and below /api one trailing slash does not count.
func (c *Checker) route(r *http.Request) (*routers.Route, map[string]string) {
	wanted := r.Clone(r.Context())
	if wanted.Method == http.MethodHead {
		wanted.Method = http.MethodGet
	}
	if path := wanted.URL; strings.HasPrefix(path.Path, "/api/") {
		path.Path, path.RawPath = strings.TrimSuffix(path.Path, "/"), strings.TrimSuffix(path.RawPath, "/")
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

// answerViolations compares the answer with the documentation of its status.
func (c *Checker) answerViolations(e exchange, input *openapi3filter.RequestValidationInput, documented *openapi3.Response) []error {
	var violations []error
	media := documented.Content.Get(e.answer.Header.Get("Content-Type"))
	if err := e.bodyViolation(documented); err != nil {
		violations = append(violations, err)
	} else if media != nil && e.isJSON() && len(e.content) > 0 {
		if err := c.schemas.judge(media.Schema, e.content); err != nil {
			violations = append(violations, err)
		}
	}
	judged := options()
	judged.ExcludeResponseBody = len(e.content) == 0 || media != nil && e.isJSON()
	asGet := *input
	asGet.Request = input.Request.Clone(input.Request.Context())
	asGet.Request.Method = http.MethodGet // of a HEAD answer the library checks nothing
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

// authenticated returns an error unless the request carries the credential of a security
// scheme.
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
