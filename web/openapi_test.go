package web

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"

	"countersign/internal/fault"
	"countersign/internal/i18n"
	signingapi "countersign/internal/signing/platform"
	"countersign/internal/verification/platform"
	verificationapi "countersign/signingproxy/verification"
	"countersign/static"
	"countersign/web/openapi"
)

const (
	mediaJSON    = "application/json"
	mediaProblem = "application/problem+json"
)

// The operations of the document are exactly the routes. HEAD goes with GET, as the
// document says in prose.
func TestDocument_EveryRoute(t *testing.T) {
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
		// All assets share one pattern below their hash.
		path = strings.Replace(path, "/static/*path", "/static/{hash}/{name}", 1)
		if route.Method == http.MethodHead {
			heads = append(heads, path)
			continue
		}
		routes = append(routes, route.Method+" "+path)
	}
	for _, operation := range signingapi.Operations() {
		routes = append(routes, operation.Method+" "+operation.Path)
		heads = append(heads, operation.Path)
	}
	below, alsoHeads := verificationRoutes(t)
	routes, heads = append(routes, below...), append(heads, alsoHeads...)
	routes, heads = append(routes, "GET /api/packages/export"), append(heads, "/api/packages/export")
	const ofPackage, ofRole = "/api/packages/{package}/proofs", "/api/packages/{package}/roles/{role}/proofs"
	routes, heads = append(routes, "GET "+ofPackage, "GET "+ofRole, "PUT "+ofRole), append(heads, ofPackage, ofRole)
	for at, operation := range operationsOf(parsed(t)) {
		operations = append(operations, at)
		if path, get := strings.CutPrefix(at, "GET "); get && !slices.Contains(heads, path) {
			t.Errorf("%s (%s) does not answer HEAD", path, operation.OperationID)
		}
	}
	routes = slices.DeleteFunc(routes, isPage)
	slices.Sort(routes)
	slices.Sort(operations)
	if diff := cmp.Diff(routes, operations); diff != "" {
		t.Errorf("routes (-) and operations (+) differ:\n%s", diff)
	}
}

// isPage reports whether a route is a page, a form's or what a page loads, which the document
// leaves out.
func isPage(route string) bool {
	_, path, _ := strings.Cut(route, " ")
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	switch first {
	case "people":
		return route == "POST /people/{user}"
	case "", "login", "authenticators", "packages", "verifications", "custom-fields":
		return true
	case "account":
		return rest == ""
	}
	return false
}

// verificationRoutes returns the API's routes of identity verification at the paths of
// the document, and the paths that answer HEAD. It fails the test if the document lacks
// an operation.
func verificationRoutes(t *testing.T) (routes, heads []string) {
	t.Helper()
	api := verificationapi.New(verificationapi.Options{})
	doc := parsed(t)
	for path := range doc.Paths.Map() {
		if !strings.HasPrefix(path, "/api/transaction") {
			continue
		}
		at := strings.NewReplacer("{document}", "d", "{image}", "i").Replace(path)
		at = regexp.MustCompile(`\{\w+\}`).ReplaceAllString(at, "0b5d9f6e-2c3a-4f1d-9a7e-3c2b1a0f9e8d")
		for _, method := range api.Find(httptest.NewRequest(http.MethodGet, at, nil)).Methods() {
			if method == http.MethodHead {
				heads = append(heads, path)
				continue
			}
			routes = append(routes, method+" "+path)
		}
	}
	ours := map[string][]string{"getDocument": {"getTransactionDocument"}, "getTransactionData": {"downloadAuditTrail", "getVerificationImage"}}
	for _, operation := range platform.Operations() {
		names := ours[operation.Name]
		if names == nil {
			names = []string{operation.Name}
		}
		for _, name := range names {
			if !slices.ContainsFunc(slices.Collect(maps.Values(operationsOf(doc))), func(o *openapi3.Operation) bool {
				return o.OperationID == name && slices.Contains(o.Tags, "verification")
			}) {
				t.Errorf("the document lacks %s", name)
			}
		}
	}
	return routes, heads
}

func TestDocument_ErrorsByStatus(t *testing.T) {
	doc := parsed(t)
	for name, response := range doc.Components.Responses {
		if strings.HasPrefix(name, "Elsewhere") { // made of the catalogue
			continue
		}
		for _, key := range keysOf(response.Value) {
			if !fault.Known(key) {
				t.Errorf("%s: there is no error %s", name, key)
			}
			if status := statusOf(t, response.Value); status != fault.Lookup(key).Status {
				t.Errorf("%s: %s is a %d, not a %d", name, key, fault.Lookup(key).Status, status)
			}
		}
	}
	var named, all []any
	named = doc.Components.Schemas["ErrorKey"].Value.Enum
	for _, row := range fault.Rows() {
		all = append(all, string(row.Key))
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

// Each kind of operation documents the errors that its middleware can answer.
func TestDocument_MiddlewareErrors(t *testing.T) {
	for at, operation := range operationsOf(parsed(t)) {
		method, path, _ := strings.Cut(at, " ")
		want := []int{http.StatusMisdirectedRequest, http.StatusInternalServerError}
		if !strings.HasPrefix(path, "/static/") {
			want = append(want, http.StatusRequestEntityTooLarge)
		}
		if len(*operation.Security) > 0 { // it looks up a session, even if none is needed
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
		if operation.RequestBody != nil && isTransfer(path) {
			want = append(want, http.StatusRequestTimeout, http.StatusTooManyRequests)
		}
		for _, status := range want {
			if operation.Responses.Status(status) == nil {
				t.Errorf("%s does not tell of %d", at, status)
			}
		}
	}
}

// isTransfer reports whether what is sent to a path may take as long as it comes on.
func isTransfer(path string) bool {
	return strings.HasPrefix(path, "/api/")
}

func TestDocument_ResponseHeaders(t *testing.T) {
	retried := []string{"429", "502", "503"}
	for at, operation := range operationsOf(parsed(t)) {
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
			// A ceremony's request cannot be repeated once the ceremony is spent.
			mayLack := ""
			if strings.Contains(path.Base(response.Ref), "Ceremony") {
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

func TestDocument_PlatformProblemSchema(t *testing.T) {
	for at, operation := range operationsOf(parsed(t)) {
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

func TestDocument_Languages(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	var want []any
	for _, tag := range bundle.Languages() {
		want = append(want, tag)
	}
	if diff := cmp.Diff(want, parsed(t).Components.Schemas["Language"].Value.Enum); diff != "" {
		t.Errorf("languages (-) and document (+) differ:\n%s", diff)
	}
}

// parsed returns the document as the library reads it, which takes a second. No test changes it.
func parsed(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := parseOnce()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

var parseOnce = sync.OnceValues(func() (*openapi3.T, error) {
	whole, err := document()
	if err != nil {
		return nil, err
	}
	return openapi3.NewLoader().LoadFromData(whole.For(openapi.ExampleOrigin, "__Host-Http-countersign"))
})

// operationsOf returns the operations by "METHOD /path".
func operationsOf(doc *openapi3.T) map[string]*openapi3.Operation {
	all := map[string]*openapi3.Operation{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			all[method+" "+path] = operation
		}
	}
	return all
}

// keysOf returns the error keys of a problem response, or nil for any other response.
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

// statusOf returns the status member of a problem.
func statusOf(t *testing.T, response *openapi3.Response) int {
	t.Helper()
	status, ok := response.Content[mediaProblem].Schema.Value.AllOf[1].Value.Properties["status"].Value.Const.(float64)
	if !ok {
		t.Fatalf("%q: the problem has no one status", *response.Description)
	}
	return int(status)
}
