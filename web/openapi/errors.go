package openapi

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"countersign/internal/fault"
)

// family is what a file says once about the errors of all its operations.
type family struct {
	// Prefix begins the names of the components, which differ by the schema of their body.
	Prefix string `json:"prefix"`
	// Problem is the schema of the bodies.
	Problem string `json:"problem"`
	// Always, Change and Body name the errors of every operation, of one that changes
	// something, and of one that takes a body.
	Always []string `json:"always"`
	Change []string `json:"change"`
	Body   []string `json:"body"`
	// Answers are the errors by name. Those of the frame belong to every file.
	Answers map[string]failure `json:"answers"`
}

// failure is an answer of one status, which the first key has.
type failure struct {
	Description string `json:"description"`
	// Keys are the errors; one with # is a schema of keys.
	Keys []string `json:"keys"`
	// Status is needed where the keys are a schema's alone.
	Status int `json:"status"`
	// RetryAfter is the header's component where it is another than that of the status.
	RetryAfter string `json:"retryAfter"`
}

// object is a JSON object of the document.
type object = map[string]any

func (f failure) status() int {
	if f.Status != 0 {
		return f.Status
	}
	return fault.Lookup(fault.Key(f.Keys[0])).Status
}

// Example returns the body of an error in a schema: what a client would get.
type Example func(schema string, key fault.Key) any

// response returns the component of an error.
func (f failure) response(problem any, example any) object {
	status := f.status()
	headers := object{"X-Request-Id": to("headers", "X-Request-Id"), "Cache-Control": to("headers", "NoStore"), "Content-Language": to("headers", "Content-Language")}
	switch {
	case f.RetryAfter != "":
		headers["Retry-After"] = to("headers", f.RetryAfter)
	case status == http.StatusTooManyRequests || status == http.StatusBadGateway || status == http.StatusServiceUnavailable:
		headers["Retry-After"] = to("headers", "Retry-After")
	case status == http.StatusUnauthorized:
		headers["DPoP-Nonce"], headers["WWW-Authenticate"] = to("headers", "DPoP-Nonce"), to("headers", "WWW-Authenticate")
	}
	body := object{"schema": object{"allOf": []any{problem, object{"properties": object{"status": object{"const": status}, "key": f.key()}}}}}
	if example != nil {
		body["example"] = example
	}
	return object{
		"description": f.Description, "headers": headers,
		"content": object{"application/problem+json": body, "text/html": object{}},
	}
}

// key returns the schema of the member key.
func (f failure) key() any {
	var named []string
	var some []any
	for _, key := range f.Keys {
		if schema, ok := strings.CutPrefix(key, "#"); ok {
			some = append(some, to("schemas", schema))
		} else {
			named = append(named, key)
		}
	}
	switch {
	case some == nil:
		return object{"enum": named}
	case named == nil && len(some) == 1:
		return some[0]
	case named != nil:
		some = append([]any{object{"enum": named}}, some...)
	}
	return object{"anyOf": some}
}

// to returns a reference to a component.
func to(kind, name string) object { return object{"$ref": "#/components/" + kind + "/" + name} }

// addErrors completes the operations of a part: with the errors of its family, and with the
// headers that every answer has. shared are the frame's errors.
func (p *part) addErrors(shared family, example Example) error {
	for path, item := range p.Paths {
		var operations object
		if err := json.Unmarshal(item, &operations); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for method, value := range operations {
			operation, ok := value.(object)
			if !ok { // the parameters of all
				continue
			}
			if err := p.complete(method, operation, shared, example); err != nil {
				return fmt.Errorf("%s %s: %w", method, path, err)
			}
		}
		content, err := json.Marshal(operations, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		p.Paths[path] = content
	}
	return nil
}

func (p *part) complete(method string, operation object, shared family, example Example) error {
	answers, ok := operation["responses"].(object)
	if !ok {
		return errors.New("the response is missing")
	}
	for status, answer := range answers {
		if response, ok := answer.(object); ok && response["$ref"] == nil {
			answers[status] = withHeaders(response)
		}
	}
	for _, name := range p.errorsOf(method, operation) {
		failed, ok := p.Errors.Answers[name]
		if !ok {
			failed, ok = shared.Answers[name]
		}
		if !ok {
			return fmt.Errorf("unknown error %q", name)
		}
		status, component := strconv.Itoa(failed.status()), p.Errors.Prefix+name
		if _, twice := answers[status]; twice {
			if slices.Contains(p.Errors.Change, name) { // the operation says more of it
				continue
			}
			return fmt.Errorf("%s: there is an answer %s already", name, status)
		}
		answers[status] = to("responses", component)
		if err := p.addResponse(component, failed, to("schemas", p.Errors.Problem), example); err != nil {
			return err
		}
	}
	delete(operation, "errors")
	return nil
}

// errorsOf returns the names of an operation's errors.
func (p *part) errorsOf(method string, operation object) []string {
	names := append([]string(nil), p.Errors.Always...)
	if method != "get" {
		names = append(names, p.Errors.Change...)
	}
	if operation["requestBody"] != nil {
		names = append(names, p.Errors.Body...)
	}
	own, _ := operation["errors"].([]any)
	for _, name := range own {
		text, _ := name.(string)
		names = append(names, text)
	}
	if schemes, _ := operation["security"].([]any); len(schemes) > 0 {
		names = append(names, "SignedOut")
		answers, _ := operation["responses"].(object)
		if answers["303"] == nil {
			answers["303"] = to("responses", "SignInFirst")
		}
	}
	return names
}

// addResponse adds the component of an error, unless it is there.
func (p *part) addResponse(name string, failed failure, problem any, example Example) error {
	if p.Components == nil {
		p.Components = map[string]map[string]jsontext.Value{}
	}
	if p.Components["responses"] == nil {
		p.Components["responses"] = map[string]jsontext.Value{}
	}
	if p.Components["responses"][name] != nil {
		return nil
	}
	var shown any
	if example != nil && !strings.HasPrefix(failed.Keys[0], "#") {
		shown = example(p.Errors.Problem, fault.Key(failed.Keys[0]))
	}
	content, err := json.Marshal(failed.response(problem, shown), json.Deterministic(true))
	p.Components["responses"][name] = content
	return err
}

// withHeaders returns an answer with the headers that every answer has, unless it says
// otherwise.
func withHeaders(response object) object {
	headers, _ := response["headers"].(object)
	if headers == nil {
		headers = object{}
	}
	for name, component := range map[string]string{"X-Request-Id": "X-Request-Id", "Cache-Control": "NoStore"} {
		if headers[name] == nil {
			headers[name] = to("headers", component)
		}
	}
	response["headers"] = headers
	return response
}

// addElsewhere lets x-elsewhere answer with each error of the catalogue: pages are there.
func (d *document) addElsewhere() error {
	byStatus := map[int]*failure{}
	for _, row := range fault.Rows() {
		if byStatus[row.Status] == nil {
			byStatus[row.Status] = &failure{Description: "An error of a page, or of an address that does not exist."}
		}
		byStatus[row.Status].Keys = append(byStatus[row.Status].Keys, string(row.Key))
	}
	var told struct {
		Description string `json:"description"`
		Responses   object `json:"responses"`
	}
	if err := json.Unmarshal(d.Elsewhere, &told); err != nil {
		return err
	}
	if told.Responses == nil {
		return nil
	}
	problem := object{"anyOf": []any{to("schemas", "Problem"), to("schemas", "PlatformProblem"), to("schemas", "SigningProblem")}}
	for status, failed := range byStatus {
		name := "Elsewhere" + strconv.Itoa(status)
		told.Responses[strconv.Itoa(status)] = to("responses", name)
		if err := d.addResponse(name, *failed, problem, nil); err != nil {
			return err
		}
	}
	var err error
	d.Elsewhere, err = json.Marshal(told, json.Deterministic(true))
	return err
}
