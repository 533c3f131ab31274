package apidoc

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vendors has what the documents of the field have: a pattern with a look-ahead, a schema that
// refers to a response, media types with parameters, and a server's path.
const vendors = `
openapi: 3.0.0
info: {title: t, version: "1"}
servers: [{url: https://tenant.example/v1}]
paths:
  /users/{userID@domain}/login:
    parameters:
      - {name: sort, in: query, schema: {type: string, enum: [up, down]}}
    post:
      parameters:
        - {name: "userID@domain", in: path, required: true, schema: {type: string, pattern: '^[^@]+@[^@]+$'}}
        - {name: force, in: query, schema: {type: boolean}}
        - {name: by, in: query, schema: {type: string}}
      requestBody:
        content:
          application/json; v=1:
            schema:
              type: object
              required: [kind]
              properties:
                kind: {type: string, enum: [PASSWORD, PUSH]}
                name: {type: string, maxLength: 8, pattern: '^(?!x).*$'}
                more: {type: array, items: {type: object, properties: {a: {type: integer}}}}
      responses:
        '200':
          description: d
          content:
            application/json; v=1:
              schema:
                type: object
                required: [id]
                properties:
                  id: {type: string}
                  state: {type: string, enum: [accepted]}
                  odd: {type: string, items: {$ref: '#/components/responses/R'}}
        409: {description: d}
components:
  responses:
    R: {description: d}
`

func parsed(t *testing.T) *Documents {
	t.Helper()
	d, err := Parse([]byte(vendors))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func exchanged(path, sent string, status int, received string) Exchange {
	u, err := url.Parse(path)
	if err != nil {
		panic(err)
	}
	media := http.Header{"Content-Type": {`application/json; name="Anderson"`}}
	return Exchange{Method: http.MethodPost, URL: u, RequestHeader: media, Request: []byte(sent), Status: status, ResponseHeader: media, Response: []byte(received)}
}

var exchanges = []struct {
	Exchange
	want []string
}{
	{exchanged("/v1/users/alice@bank/login", `{"kind":"PUSH","name":"Alice"}`, 200, `{"id":"1","state":"accepted"}`), nil},
	{exchanged("/users/alice@bank/login?force=false&by=4369912345678&sort=up", `{"kind":"PUSH"}`, 409, ``), nil},
	{exchanged("/users/alice@bank/login?sort=lice", `{"kind":"PUSH"}`, 200, `{"id":"1"}`), []string{`request: query sort: at /: value is not one of the allowed values`}},
	{exchanged("/users/alice/login", `{"kind":"PUSH"}`, 200, `{"id":"1"}`), []string{`request: path userID@domain: at /: string doesn't match the regular expression`}},
	{exchanged("/users/alice@bank/login", `{"kind":"MAIL"}`, 200, `{"id":"1"}`), []string{`request: at /kind: value is not one of the allowed values`}},
	{exchanged("/users/alice@bank/login", `{"name":"Alice"}`, 200, `{"id":"1"}`), []string{`request: at /kind: property "kind" is missing`}},
	{exchanged("/users/alice@bank/login", `{"kind":"PUSH","name":"xAlice"}`, 200, `{"id":"1"}`), []string{`request: at /name: string doesn't match the regular expression`}},
	{exchanged("/users/alice@bank/login", `{"kind":"PUSH","name":"Alice Anderson"}`, 200, `{"id":"1"}`), []string{`request: at /name: maximum string length is 8`}},
	{exchanged("/users/alice@bank/login", `{"kind":"PUSH","more":[{"a":1},{"b":2}]}`, 200, `{"id":"1"}`), []string{`member: /more/*/`}},
	{exchanged("/users/alice@bank/login", `{"kind":"PUSH"}`, 200, `{"id":null}`), []string{`response: status 200: at /id: Value is not nullable`}},
	{exchanged("/users/alice@bank/login", `{"kind":"PUSH"}`, 200, ``), []string{`response: status 200 has no body`}},
	{exchanged("/users/alice@bank/login", `{"kind":"MAIL"}`, 418, ``), []string{`response: status 418 is not documented`}}, // a refused request is not judged
	{exchanged("/users/alice@bank/login?Alice%20Anderson=1&force=Anderson", `{"kind":"PUSH"}`, 200, `{"id":"1"}`), []string{`request: query force: `}},
	{exchanged("/users/alice@bank/logout", ``, 200, ``), []string{`operation: is in no document`}},
}

func TestJudge_Exchanges(t *testing.T) {
	d := parsed(t)
	for _, test := range exchanges {
		if got := d.Judge(test.Exchange); !same(got, test.want) {
			t.Errorf("%s %s: %v, want %v", test.URL, test.Request, got, test.want)
		}
	}
}

func same(got []Violation, want []string) bool {
	return slices.EqualFunc(got, want, func(v Violation, text string) bool { return strings.Contains(v.String(), text) })
}

// A recording has no text of people, and is judged as the exchanges were.
func TestRecording_JudgedLikeExchanges(t *testing.T) {
	d, folder := parsed(t), filepath.Join(t.TempDir(), "recording")
	r, err := d.NewRecorder(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range exchanges {
		r.Record(test.Exchange)
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) != len(exchanges) {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		for _, personal := range []string{"lice", "bank", "Anderson", "MAIL", "4369912345678"} {
			if err != nil || strings.Contains(string(content), personal) {
				t.Errorf("%s has %s, %v", content, personal, err)
			}
		}
	}
	var at int
	err = Replay(folder, func(e Exchange) {
		if got := d.Judge(e); !same(got, exchanges[at].want) {
			t.Errorf("%s %s: replayed %v, want %v", exchanges[at].URL, exchanges[at].Request, got, exchanges[at].want)
		}
		at++
	})
	if err != nil || at != len(exchanges) {
		t.Errorf("%d replayed, %v", at, err)
	}
	if _, err := d.NewRecorder(folder); err == nil {
		t.Error("a recording is written over")
	}
	if Replay(t.TempDir(), func(Exchange) {}) == nil {
		t.Error("an empty folder is a recording")
	}
}

// The tap changes nothing, and tells what was asked below the base address and answered whole.
func TestTap_ChangesNothing(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"path":"` + r.URL.Path + `"}`))
	}))
	defer service.Close()
	var told []Exchange
	client := &http.Client{Transport: Tap(http.DefaultTransport, service.URL+"/base", func(e Exchange) { told = append(told, e) })}
	for _, path := range []string{"/base/v1/x?q=1", "/elsewhere"} {
		response, err := client.Post(service.URL+path, "application/json", strings.NewReader(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || !strings.Contains(string(body), "/") {
			t.Errorf("%s, %v", body, err)
		}
		response.Body.Close()
	}
	if len(told) != 1 || told[0].URL.String() != service.URL+"/v1/x?q=1" || string(told[0].Request) != `{"a":1}` || string(told[0].Response) != `{"path":"/base/v1/x"}` {
		t.Errorf("told is %+v", told)
	}
}

// A finding is there once, with an example.
func TestReport_EachFindingOnce(t *testing.T) {
	d := parsed(t)
	r := d.NewReport()
	for range 3 {
		for _, test := range exchanges {
			r.Add(test.Exchange)
		}
	}
	judged, findings := r.Findings()
	if judged != 3*len(exchanges) || len(findings) != 12 {
		t.Errorf("%d judged, %+v", judged, findings)
	}
	for _, f := range findings {
		if f.Times != 3 || f.Example.Method != http.MethodPost || strings.Contains(f.Example.Path, "alice") {
			t.Errorf("%+v", f)
		}
	}
}
