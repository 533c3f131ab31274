package openapitest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// documentURL is the name under which bodies' schemas refer to the document.
const documentURL = "document.json"

// schemas judge JSON bodies. Each schema is compiled once; openapi3filter would compile
// it, and all that it refers to, for every body.
type schemas struct {
	mu       sync.Mutex
	compiler *jsonschema.Compiler
	compiled map[*openapi3.SchemaRef]*jsonschema.Schema
}

func newSchemas(document []byte) (*schemas, error) {
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	if err := compiler.AddResource(documentURL, content); err != nil {
		return nil, err
	}
	return &schemas{compiler: compiler, compiled: map[*openapi3.SchemaRef]*jsonschema.Schema{}}, nil
}

// compile compiles a schema of the document.
func (s *schemas) compile(ref *openapi3.SchemaRef) (*jsonschema.Schema, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if schema := s.compiled[ref]; schema != nil {
		return schema, nil
	}
	text, err := json.Marshal(ref)
	if err != nil {
		return nil, err
	}
	text = bytes.ReplaceAll(text, []byte(`"$ref":"#/`), []byte(`"$ref":"`+documentURL+`#/`))
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	url := fmt.Sprintf("body%d.json", len(s.compiled))
	if err := s.compiler.AddResource(url, content); err != nil {
		return nil, err
	}
	schema, err := s.compiler.Compile(url)
	if err == nil {
		s.compiled[ref] = schema
	}
	return schema, err
}

// judge compares a JSON body with its schema; without a schema any body is allowed.
func (s *schemas) judge(ref *openapi3.SchemaRef, body []byte) error {
	if ref == nil {
		return nil
	}
	schema, err := s.compile(ref)
	if err != nil {
		return fmt.Errorf("the schema of the body: %w", err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return errors.New("the body is not JSON")
	}
	if err := schema.Validate(value); err != nil {
		return errors.New("the body: " + withoutHeading(err.Error()))
	}
	return nil
}
