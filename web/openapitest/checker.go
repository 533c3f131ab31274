// Package openapitest checks a server against its OpenAPI document: every answer must be
// documented, and every documented answer should occur in some test.
//
// A Checker gets the document that the server serves, and wraps the clients of tests. It
// checks status, headers, content type and body of every answer, and, if a request
// succeeded, whether the document allows the request. It makes no requests and
// changes none.
package openapitest

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/go-json-experiment/json/jsontext"
)

// Answer is one documented kind of answer.
type Answer struct {
	// Operation is the operationId, or Elsewhere.
	Operation string
	Status    int
}

// Elsewhere is the operation of a request without a documented path; the document
// describes its answers under x-elsewhere.
const Elsewhere = "elsewhere"

// String returns the answer as in "login 409".
func (a Answer) String() string { return a.Operation + " " + strconv.Itoa(a.Status) }

// Checker compares answers with a document. Any number of tests may use it concurrently.
type Checker struct {
	router     routers.Router
	elsewhere  *routers.Route
	documented []Answer
	schemas    *schemas
	keeper     *keeper // nil: nothing is kept

	mu  sync.Mutex
	met map[Answer]bool
}

// Validate returns an error if an OpenAPI 3.1 document in JSON is invalid, its own
// examples included, contains something twice, or makes no Checker.
func Validate(document []byte) error {
	if !jsontext.Value(document).IsValid() {
		return errors.New("openapitest: the document is not JSON, or says something twice")
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		return fmt.Errorf("openapitest: read the document: %w", err)
	}
	if err := doc.Validate(loader.Context); err != nil {
		return fmt.Errorf("openapitest: the document is not valid: %w", err)
	}
	_, err = New(document)
	return err
}

// New makes a Checker of an OpenAPI 3.1 document in JSON that passes Validate, which
// takes seconds: one test of the document is enough.
func New(document []byte) (*Checker, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("openapitest: read the document: %w", err)
	}
	elsewhere, err := elsewhereOf(doc)
	if err != nil {
		return nil, err
	}
	bodies, err := newSchemas(document)
	if err != nil {
		return nil, fmt.Errorf("openapitest: read the schemas: %w", err)
	}
	doc.Servers = nil // a test's client brings the server's address
	router, err := gorillamux.NewRouter(doc)
	if err != nil {
		return nil, fmt.Errorf("openapitest: route by the document: %w", err)
	}
	return &Checker{
		router: router, elsewhere: elsewhere, documented: answersOf(doc, elsewhere), schemas: bodies, met: map[Answer]bool{},
	}, nil
}

// Client returns base with its answers checked. Each violation is reported, as by
// testing.T.Errorf, before the answer is returned.
func (c *Checker) Client(base *http.Client, report func(format string, args ...any)) *http.Client {
	client := *base
	client.Transport = c.roundTripper(base.Transport, report)
	return &client
}

// Unmet lists the documented answers that no client received, by operation and status.
func (c *Checker) Unmet() []Answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(c.documented), func(a Answer) bool { return c.met[a] })
}

func (c *Checker) meet(a Answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.met[a] = true
}

// elsewhereOf makes an operation of x-elsewhere, which the library does not know; without
// x-elsewhere it returns none, and no answer is allowed there.
func elsewhereOf(doc *openapi3.T) (*routers.Route, error) {
	responses := openapi3.NewResponsesWithCapacity(4)
	told, _ := doc.Extensions["x-elsewhere"].(map[string]any)
	byStatus, _ := told["responses"].(map[string]any)
	if doc.Components == nil {
		doc.Components = &openapi3.Components{}
	}
	for status, value := range byStatus {
		reference, _ := value.(map[string]any)
		name, _ := reference["$ref"].(string)
		response := doc.Components.Responses[strings.TrimPrefix(name, "#/components/responses/")]
		if response == nil {
			return nil, fmt.Errorf("openapitest: x-elsewhere: %s: unknown response %q", status, name)
		}
		responses.Set(status, response)
	}
	operation := &openapi3.Operation{OperationID: Elsewhere, Responses: responses}
	return &routers.Route{Spec: doc, Operation: operation, PathItem: &openapi3.PathItem{}}, nil
}

// answersOf lists all answers that doc documents, by operation and status.
func answersOf(doc *openapi3.T, elsewhere *routers.Route) []Answer {
	operations := []*openapi3.Operation{elsewhere.Operation}
	for _, item := range doc.Paths.Map() {
		for _, operation := range item.Operations() {
			operations = append(operations, operation)
		}
	}
	var all []Answer
	for _, operation := range operations {
		for text := range operation.Responses.Map() {
			if status, err := strconv.Atoi(text); err == nil {
				all = append(all, Answer{operation.OperationID, status})
			}
		}
	}
	slices.SortFunc(all, func(a, b Answer) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Status, b.Status))
	})
	return all
}
