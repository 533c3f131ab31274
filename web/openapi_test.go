package web

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/reqctx"
	"countersign/internal/request"
	"countersign/internal/signing"
	"countersign/static"
	"countersign/web/openapi"
	"countersign/web/openapitest"
)

const (
	mediaJSON    = "application/json"
	mediaProblem = "application/problem+json"
)

func TestDocumentHolds(t *testing.T) {
	if _, err := openapitest.New(document(t)); err != nil {
		t.Error(err)
	}
}

// The operations that the document has are the routes that there are. HEAD goes
// with GET, as the document says in words.
func TestDocumentHasEveryRouteAndNoOther(t *testing.T) {
	assets, err := static.New()
	if err != nil {
		t.Fatal(err)
	}
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	(&edge{Options: Options{Assets: assets}}).routes(engine)
	var routes, operations, heads []string
	for _, route := range engine.Routes() {
		if strings.HasPrefix(route.Path, "/api") {
			continue // one route for all, behind which the proxy has its table
		}
		path := regexp.MustCompile(`:(\w+)`).ReplaceAllString(route.Path, "{$1}")
		// One pattern for all assets, which all lie below their hash.
		path = strings.Replace(path, "/static/*path", "/static/{hash}/{name}", 1)
		if route.Method == http.MethodHead {
			heads = append(heads, path)
			continue
		}
		routes = append(routes, route.Method+" "+path)
	}
	for _, operation := range signing.Operations {
		routes = append(routes, operation.Method+" "+operation.Path)
		heads = append(heads, operation.Path)
	}
	routes, heads = append(routes, "GET /api/packages/export"), append(heads, "/api/packages/export")
	for at, operation := range operationsOf(load(t, document(t))) {
		operations = append(operations, at)
		if path, get := strings.CutPrefix(at, "GET "); get && !slices.Contains(heads, path) {
			t.Errorf("%s (%s) does not answer HEAD", path, operation.OperationID)
		}
	}
	slices.Sort(routes)
	slices.Sort(operations)
	if diff := cmp.Diff(routes, operations); diff != "" {
		t.Errorf("routes (-) and operations (+) differ:\n%s", diff)
	}
}

func TestDocumentHasEveryErrorUnderItsStatus(t *testing.T) {
	doc := load(t, document(t))
	told := map[fault.Key]bool{}
	for name, response := range doc.Components.Responses {
		for _, key := range keysOf(response.Value) {
			if !fault.Known(key) {
				t.Errorf("%s: there is no error %s", name, key)
			}
			if status := statusOf(t, response.Value); status != fault.Lookup(key).Status {
				t.Errorf("%s: %s is a %d, not a %d", name, key, fault.Lookup(key).Status, status)
			}
			told[key] = true
		}
	}
	var named, all []any
	named = doc.Components.Schemas["ErrorKey"].Value.Enum
	for _, row := range fault.Rows() {
		all = append(all, string(row.Key))
		if !told[row.Key] && !row.Refines {
			t.Errorf("no answer has the error %s", row.Key)
		}
	}
	if diff := cmp.Diff(all, named); diff != "" {
		t.Errorf("errors (-) and ErrorKey (+) differ:\n%s", diff)
	}
	for at, operation := range operationsOf(doc) {
		for status, response := range operation.Responses.Map() {
			if keysOf(response.Value) != nil && strconv.Itoa(statusOf(t, response.Value)) != status {
				t.Errorf("%s: %s is answered with the problem of another status", at, status)
			}
		}
	}
}

// What each kind of request can always be answered, by the middleware it passes.
func TestOperationsTellWhatTheirMiddlewareAnswers(t *testing.T) {
	for at, operation := range operationsOf(load(t, document(t))) {
		method, path, _ := strings.Cut(at, " ")
		want := []int{http.StatusMisdirectedRequest, http.StatusInternalServerError}
		if !strings.HasPrefix(path, "/static/") {
			want = append(want, http.StatusRequestEntityTooLarge)
		}
		if len(*operation.Security) > 0 { // it looks a session up, also where none is needed
			want = append(want, http.StatusServiceUnavailable, http.StatusUnauthorized, http.StatusSeeOther)
			if method != http.MethodGet {
				want = append(want, http.StatusForbidden)
			}
		}
		if operation.RequestBody != nil {
			want = append(want, http.StatusBadRequest)
			if operation.RequestBody.Value.Content["*/*"] == nil {
				want = append(want, http.StatusUnsupportedMediaType)
			}
		}
		if strings.Contains(path, "{user}") {
			want = append(want, http.StatusNotFound)
		}
		for _, status := range want {
			if operation.Responses.Status(status) == nil {
				t.Errorf("%s does not tell of %d", at, status)
			}
		}
	}
}

func TestAnswersTellTheirHeaders(t *testing.T) {
	retried := []string{"429", "502", "503"}
	for at, operation := range operationsOf(load(t, document(t))) {
		for status, response := range operation.Responses.Map() {
			want := []string{"X-Request-Id", "Cache-Control"}
			if slices.Contains(retried, status) {
				want = append(want, "Retry-After")
			}
			if strings.HasPrefix(status, "3") && status != "304" {
				want = append(want, "Location")
			}
			if status == "401" {
				want = append(want, "WWW-Authenticate")
			}
			// What a spent ceremony was for cannot be tried again.
			mayLack := ""
			if strings.HasPrefix(path.Base(response.Ref), "Ceremony") {
				mayLack = "Retry-After"
			}
			for _, name := range want {
				if header := response.Value.Headers[name]; header == nil || !header.Value.Required && name != mayLack {
					t.Errorf("%s %s does not promise %s", at, status, name)
				}
			}
		}
	}
}

func TestErrorsHaveThePlatformsMembers(t *testing.T) {
	for at, operation := range operationsOf(load(t, document(t))) {
		_, path, _ := strings.Cut(at, " ")
		want := "#/components/schemas/Problem"
		if strings.HasPrefix(path, "/users") {
			want = "#/components/schemas/PlatformProblem"
		}
		if strings.HasPrefix(path, "/api") {
			want = "#/components/schemas/SigningProblem"
		}
		for status, response := range operation.Responses.Map() {
			if media := response.Value.Content[mediaProblem]; media != nil && media.Schema.Value.AllOf[0].Ref != want {
				t.Errorf("%s %s is a %s", at, status, media.Schema.Value.AllOf[0].Ref)
			}
		}
	}
}

// The examples of errors are, member by member, what is answered.
func TestExamplesOfErrorsAreWhatIsAnswered(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	e := &edge{Options: Options{Bundle: bundle, PublicOrigin: exampleOrigin}}
	examples := 0
	for name, response := range load(t, document(t)).Components.Responses {
		media := response.Value.Content[mediaProblem]
		if media == nil || media.Example == nil {
			continue
		}
		examples++
		want, _ := media.Example.(map[string]any)
		path := "/session"
		if want["message"] != nil {
			path = "/users/me/login"
		}
		var got map[string]any
		if err := json.Unmarshal(e.answered(t, path, errorOf(t, want)), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: example (-) and answer (+) differ:\n%s", name, diff)
		}
	}
	if examples == 0 {
		t.Error("there are none")
	}
}

// answered is the body of an error.
func (e *edge) answered(t *testing.T, path string, f *fault.Error) []byte {
	t.Helper()
	gin.SetMode(gin.ReleaseMode)
	recorder := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(recorder)
	c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil)
	state := request.Begin(c, reqctx.Info{ID: "kq3Yd0vXn8Lw2RbT"})
	state.RevealAccountState = true
	if strings.HasPrefix(path, "/users") {
		state.Dialect = request.PlatformIdentity
	}
	e.answer(c, f)
	return recorder.Body.Bytes()
}

// errorOf is the error that example shows. A sentence that is no message id is
// printed as it is.
func errorOf(t *testing.T, example map[string]any) *fault.Error {
	t.Helper()
	key, _ := example["key"].(string)
	f := fault.New(fault.Key(key))
	fields, _ := example["fields"].([]any)
	for _, value := range fields {
		field, _ := value.(map[string]any)
		pointer, _ := field["pointer"].(string)
		detail, _ := field["detail"].(string)
		f.Fields = append(f.Fields, fault.Field{Pointer: pointer, Detail: detail})
	}
	return f
}

// The examples of ceremonies can be read, and each response answers its request.
func TestExamplesOfCeremoniesAreReal(t *testing.T) {
	operations := operationsOf(load(t, document(t)))
	const users = "POST /users/{user}/"
	offered := answerExample(operations[users+"generate-fido-registration-request"])
	finished := requestExample(operations[users+"register-fido-device"])
	asked, err := ceremony.FromRegistrationRequest(ceremony.FIDO2, textAt(t, offered, "registrationRequest"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := ceremony.FromRegistrationResponse(ceremony.FIDO2, textAt(t, finished, "registrationResponse"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asked.Challenge, answer.Challenge) || textAt(t, offered, "requestID") != textAt(t, finished, "requestID") {
		t.Error("the registration response answers another request")
	}
	offered = answerExample(operations[users+"generate-fido-authentication-request"])
	finished = requestExample(operations[users+"login"])
	if asked, err = ceremony.FromAuthenticationRequest(ceremony.FIDO2, textAt(t, offered, "authenticationRequest")); err != nil {
		t.Fatal(err)
	}
	response := textAt(t, finished, "credentials", "fidoAuthenticator", "authenticationResponse")
	if answer, err = ceremony.FromAuthenticationResponse(ceremony.FIDO2, response); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(asked.Challenge, answer.Challenge) || textAt(t, offered, "requestID") != textAt(t, finished, "requestID") {
		t.Error("the authentication response answers another request")
	}
}

// requestExample is the body of the operation that speaks of a passkey.
func requestExample(operation *openapi3.Operation) any {
	return operation.RequestBody.Value.Content[mediaJSON].Examples["passkey"].Value.Value
}

// answerExample is what an app is answered.
func answerExample(operation *openapi3.Operation) any {
	media := operation.Responses.Value("200").Value.Content[mediaJSON]
	if example := media.Examples["to an app"]; example != nil {
		return example.Value.Value
	}
	return media.Example
}

// textAt is the string that names lead to.
func textAt(t *testing.T, value any, names ...string) string {
	t.Helper()
	for _, name := range names {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	text, ok := value.(string)
	if !ok {
		t.Fatalf("there is no text at %v", names)
	}
	return text
}

func TestDocumentKnowsTheLanguages(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	for _, tag := range bundle.Languages() {
		want = append(want, tag)
	}
	if diff := cmp.Diff(want, load(t, document(t)).Components.Schemas["Language"].Value.Enum); diff != "" {
		t.Errorf("languages (-) and document (+) differ:\n%s", diff)
	}
}

// exampleOrigin is where the installation of the document's examples is.
const exampleOrigin = "https://countersign.example"

// document is the document as it is kept.
func document(t *testing.T) []byte {
	t.Helper()
	whole, err := openapi.Document(exampleOrigin, "__Host-Http-countersign")
	if err != nil {
		t.Fatal(err)
	}
	return whole
}

func load(t *testing.T, document []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// operationsOf are the operations by "METHOD /path".
func operationsOf(doc *openapi3.T) map[string]*openapi3.Operation {
	all := map[string]*openapi3.Operation{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			all[method+" "+path] = operation
		}
	}
	return all
}

// keysOf are the errors that a problem can have; nil where it is none.
func keysOf(response *openapi3.Response) []fault.Key {
	media := response.Content[mediaProblem]
	if media == nil {
		return nil
	}
	schema := media.Schema.Value.AllOf[1].Value.Properties["key"].Value
	named := schema.Enum
	for _, some := range schema.AnyOf {
		named = append(named, some.Value.Enum...)
	}
	var keys []fault.Key
	for _, key := range named {
		text, _ := key.(string)
		keys = append(keys, fault.Key(text))
	}
	return keys
}

// statusOf is the status that a problem says it has.
func statusOf(t *testing.T, response *openapi3.Response) int {
	t.Helper()
	status, ok := response.Content[mediaProblem].Schema.Value.AllOf[1].Value.Properties["status"].Value.Const.(float64)
	if !ok {
		t.Fatalf("%q: the problem has no one status", *response.Description)
	}
	return int(status)
}
