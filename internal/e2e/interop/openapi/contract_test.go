// Package judge_test compares the exchanges that the end-to-end tests kept with the OpenAPI documents of
// the programs that answered, by pb33f/libopenapi-validator: a second opinion beside the
// library that judges each answer while the tests run.
//
// It is a module of its own, so that its libraries are none of Countersign's.
package judge_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"github.com/pb33f/libopenapi-validator/config"
	"github.com/pb33f/libopenapi-validator/errors"
)

// kept is openapitest.Kept.
type kept struct {
	Document, Operation, Method, URL string
	Header                           http.Header
	Sent                             []byte
	Status                           int
	Answered                         http.Header
	Content                          []byte

	mayBeEmpty bool
}

func TestResponses_KeepContract(t *testing.T) {
	folder := os.Getenv("EXCHANGES")
	if folder == "" {
		t.Fatal("EXCHANGES names no folder of exchanges: run the end-to-end tests with it first")
	}
	judged, found, err := judge(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("%s (%d)", violation, found[violation])
	}
	if judged == 0 {
		t.Error("there are no exchanges")
	}
	t.Logf("%d exchanges judged, %d violations", judged, len(found))
}

// judge returns how many exchanges there are in folder, and how often each violation.
func judge(folder string) (judged int, found map[string]int, err error) {
	found = map[string]int{}
	documents := map[string]document{}
	names, err := filepath.Glob(filepath.Join(folder, "*.exchange.json"))
	if err != nil {
		return 0, nil, err
	}
	for _, name := range names {
		var one kept
		content, err := os.ReadFile(name)
		if err != nil {
			return 0, nil, err
		}
		if err := json.Unmarshal(content, &one); err != nil {
			return 0, nil, fmt.Errorf("%s: %w", name, err)
		}
		d, ok := documents[one.Document]
		if !ok {
			if d, err = open(filepath.Join(folder, one.Document)); err != nil {
				return 0, nil, fmt.Errorf("%s: %w", one.Document, err)
			}
			documents[one.Document] = d
		}
		judged++
		one.mayBeEmpty = d.mayBeEmpty[fmt.Sprint(one.Operation, one.Status)]
		for _, violation := range one.violations(d.Validator) {
			found[fmt.Sprintf("%s %d: %s", one.Operation, one.Status, violation)]++
		}
	}
	return judged, found, nil
}

// document is an OpenAPI document and who judges by it.
type document struct {
	validator.Validator
	// mayBeEmpty are the answers, by operation and status, that may lack their body:
	// OpenAPI cannot say it, x-may-be-empty does.
	mayBeEmpty map[string]bool
}

func open(name string) (document, error) {
	content, err := os.ReadFile(name)
	if err != nil {
		return document{}, err
	}
	read, err := libopenapi.NewDocument(content)
	if err != nil {
		return document{}, err
	}
	model, err := read.BuildV3Model()
	if err != nil {
		return document{}, err
	}
	mayBeEmpty := map[string]bool{}
	for _, item := range model.Model.Paths.PathItems.FromOldest() {
		for _, operation := range item.GetOperations().FromOldest() {
			for status, response := range operation.Responses.Codes.FromOldest() {
				_, mayBeEmpty[operation.OperationId+status] = response.Extensions.Get("x-may-be-empty")
			}
		}
	}
	return document{validator.NewValidatorFromV3Model(&model.Model, config.WithFormatAssertions()), mayBeEmpty}, nil
}

// violations returns what the document does not allow: of each answer, and of each JSON
// request that succeeded.
func (k kept) violations(v validator.Validator) (texts []string) {
	answer := &http.Response{
		StatusCode: k.Status, Header: k.Answered, Body: io.NopCloser(bytes.NewReader(k.Content)), ContentLength: int64(len(k.Content)),
	}
	_, found := v.ValidateHttpResponse(k.request(), answer)
	sent := k.Header.Get("Content-Type")
	if k.Status/100 == 2 && (len(k.Sent) == 0 || strings.Contains(sent, "json")) {
		_, more := v.ValidateHttpRequestSync(k.request())
		found = append(found, more...)
	}
	for _, one := range found {
		if len(k.Content) > 0 || !k.mayBeEmpty && k.Status/100 != 3 || !strings.Contains(one.Reason, "content type ''") {
			texts = append(texts, text(one))
		}
	}
	return texts
}

func (k kept) request() *http.Request {
	r, err := http.NewRequest(k.Method, k.URL, bytes.NewReader(k.Sent))
	if err != nil {
		panic(err) // a client made it
	}
	r.Header = k.Header.Clone()
	return r
}

func text(found *errors.ValidationError) string {
	reasons := []string{cmp.Or(found.Reason, found.Message)}
	for _, detail := range found.SchemaValidationErrors {
		reasons = append(reasons, fmt.Sprintf("%s at %s", detail.Reason, detail.FieldPath))
	}
	return strings.Join(reasons, "; ")
}
