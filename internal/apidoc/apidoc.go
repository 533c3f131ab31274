// Package apidoc validates exchanges with a service against its OpenAPI 3.0 documents.
//
// Documents allow members that they do not name. A request is judged more strictly: what
// Countersign builds itself has no such member.
package apidoc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
)

// Documents are the OpenAPI documents of one or several services.
type Documents struct {
	all []document
	// words are the values of enumerations and the names of members in all documents.
	words map[string]bool
	// segments are the fixed parts of paths.
	segments map[string]bool
	numbers  map[string]bool // parameters that are numbers or booleans, by name
	patterns []string
}

// document is one of them. Its paths are below a part of the address that our own paths may
// have, or the address of the service.
type document struct {
	routers.Router
	below string
}

// Read reads OpenAPI 3.0 documents, JSON or YAML. Their servers' hosts do not count, and of
// their servers' paths the first one's.
func Read(files ...string) (*Documents, error) {
	var contents [][]byte
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		contents = append(contents, content)
	}
	d, err := Parse(contents...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(files, ", "), err)
	}
	return d, nil
}

// Parse is Read of the documents' texts.
func Parse(contents ...[]byte) (*Documents, error) {
	d := &Documents{words: map[string]bool{}, segments: map[string]bool{}, numbers: map[string]bool{}}
	for _, content := range contents {
		content, err := repaired(content)
		if err != nil {
			return nil, fmt.Errorf("read the document: %w", err)
		}
		read, err := openapi3.NewLoader().LoadFromData(content)
		if err != nil {
			return nil, fmt.Errorf("read the document: %w", err)
		}
		if read.Paths == nil || read.Paths.Len() == 0 {
			return nil, errors.New("the document has no paths")
		}
		below := ""
		if len(read.Servers) > 0 {
			if u, err := url.Parse(read.Servers[0].URL); err == nil {
				below = strings.TrimSuffix(u.Path, "/")
			}
		}
		read.Servers = nil
		router, err := gorillamux.NewRouter(read)
		if err != nil {
			return nil, fmt.Errorf("route by the document: %w", err)
		}
		d.all = append(d.all, document{router, below})
		d.learn(read, below)
	}
	return d, nil
}

// Exchange is a request to the service, and its response. A body that is nil was not kept, as
// that of a file, and is not judged.
type Exchange struct {
	Method string
	// URL is the path, and the query, below the service's base address.
	URL            *url.URL
	RequestHeader  http.Header
	Request        []byte
	Status         int
	ResponseHeader http.Header
	Response       []byte
}

// Violation is one way in which an exchange differs from the documents.
type Violation struct {
	// Operation is the method and the path's template; the path itself where the documents
	// have no such operation.
	Operation string
	// Side is operation, request, member (one that the documents do not name in a request)
	// or response.
	Side string
	// Reason says what differs, with the pointer to a value and without the value; * is any
	// place in a list.
	Reason string
}

// String returns the violation as one line.
func (v Violation) String() string { return v.Operation + ": " + v.Side + ": " + v.Reason }

// Judge returns the violations in an exchange. An operation that is in no document is one
// violation.
func (d *Documents) Judge(e Exchange) []Violation {
	if f, ok := d.find(e); ok {
		return judge(e, f)
	}
	return []Violation{{Operation: e.Method + " " + d.shape(e.URL.Path), Side: "operation", Reason: "is in no document"}}
}

// found is a request, with its operation.
type found struct {
	request *http.Request
	route   *routers.Route
	params  map[string]string
}

func (d *Documents) find(e Exchange) (found, bool) {
	for _, document := range d.all {
		for _, below := range []string{document.below, ""} {
			request, ok := e.request(below)
			if !ok {
				continue
			}
			route, params, err := document.FindRoute(request)
			if err != nil {
				continue
			}
			for name, value := range params {
				if plain, err := url.PathUnescape(value); err == nil {
					params[name] = plain
				}
			}
			return found{request, route, params}, true
		}
	}
	return found{}, false
}

// shape returns a path without what can be an identifier.
func (d *Documents) shape(path string) string {
	segments := strings.Split(path, "/")
	for i, segment := range segments {
		if !d.segments[segment] {
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}

// request returns the request with its path below a part of the address; false if it is not
// there.
func (e Exchange) request(below string) (*http.Request, bool) {
	at := *e.URL
	var ok bool
	if at.Path, ok = strings.CutPrefix(at.Path, below); !ok {
		return nil, false
	}
	at.RawPath = strings.TrimPrefix(at.RawPath, below)
	return (&http.Request{
		Method: e.Method, URL: &at, Header: e.RequestHeader.Clone(), Host: "service", ContentLength: int64(len(e.Request)),
		Body: io.NopCloser(bytes.NewReader(e.Request)),
	}).WithContext(context.Background()), true
}

func judge(e Exchange, f found) []Violation {
	request, route := f.request, f.route
	operation := e.Method + " " + route.Path
	var all []Violation
	add := func(side string, err error) {
		for _, reason := range reasons(err) {
			if v := (Violation{operation, side, reason}); !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
	}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: f.params, Route: route, Options: options()}
	input.Options.ExcludeRequestBody = e.Request == nil && isMultipart(e.RequestHeader) || len(e.Request) == 0 && route.Operation.RequestBody == nil
	// A service says itself what it refuses.
	if e.Status < http.StatusBadRequest || e.Status >= http.StatusInternalServerError {
		add("request", openapi3filter.ValidateRequest(request.Context(), input))
		for _, pointer := range unknownMembers(route.Operation, e) {
			add("member", errors.New(pointer+" is not in the document"))
		}
	}
	add("response", validateResponse(e, input, route.Operation))
	return all
}

func validateResponse(e Exchange, input *openapi3filter.RequestValidationInput, operation *openapi3.Operation) error {
	documented := operation.Responses.Status(e.Status)
	if documented == nil || documented.Value == nil {
		return fmt.Errorf("status %d is not documented", e.Status)
	}
	options := options()
	options.ExcludeResponseBody = !isJSON(e.ResponseHeader) || len(e.Response) == 0 || len(documented.Value.Content) == 0
	header := e.ResponseHeader.Clone()
	if media := documented.Value.Content; media.Get("application/json") != nil {
		header.Set("Content-Type", "application/json") // some are labelled as text, and are JSON
	}
	switch {
	case e.Response == nil:
		options.ExcludeResponseBody = true
	case len(e.Response) == 0 && documented.Value.Content.Get("application/json") != nil && e.Method != http.MethodHead:
		return fmt.Errorf("status %d has no body", e.Status)
	}
	return openapi3filter.ValidateResponse(input.Request.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: e.Status, Header: header,
		Body: io.NopCloser(bytes.NewReader(e.Response)), Options: options,
	})
}

func options() *openapi3filter.Options {
	o := &openapi3filter.Options{
		IncludeResponseStatus: true, MultiError: true, SkipSettingDefaults: true,
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		RegexCompiler:      compile,
	}
	o.WithCustomSchemaErrorFunc(func(err *openapi3.SchemaError) string {
		return "at /" + strings.Join(kinds(err.JSONPointer()), "/") + ": " + err.Reason
	})
	return o
}

// kinds returns a pointer with * instead of the places in lists.
func kinds(pointer []string) []string {
	out := slices.Clone(pointer)
	for i, step := range out {
		if step != "" && strings.Trim(step, "0123456789") == "" {
			out[i] = "*"
		}
	}
	return out
}

// reasons returns the single errors of err.
func reasons(err error) []string {
	var inner []string
	switch e := err.(type) { //nolint:errorlint // An error in another one has another place.
	case nil:
		return nil
	case openapi3.MultiError:
		for _, one := range e {
			inner = append(inner, reasons(one)...)
		}
		return inner
	case *openapi3filter.RequestError:
		if e.Err == nil {
			return []string{e.Reason}
		}
		if inner = reasons(e.Err); e.Parameter != nil {
			return prefixed(e.Parameter.In+" "+e.Parameter.Name+": ", inner)
		}
		return inner
	case *openapi3filter.ParseError: // whose text has the value
		if e.Reason != "" {
			return []string{e.Reason}
		}
		return []string{"cannot be read"}
	case *openapi3filter.ResponseError:
		if e.Err == nil {
			return []string{e.Reason}
		}
		return prefixed(fmt.Sprintf("status %d: ", e.Input.Status), reasons(e.Err))
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return []string{first}
}

func prefixed(prefix string, all []string) []string {
	for i := range all {
		all[i] = prefix + all[i]
	}
	return all
}
