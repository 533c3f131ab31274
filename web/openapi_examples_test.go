package web

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/gin-gonic/gin"
	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/i18n"
	"countersign/internal/request"
)

// The error examples equal the real answers, member by member.
func TestExamplesOfErrorsAreWhatIsAnswered(t *testing.T) {
	bundle, err := i18n.New()
	if err != nil {
		t.Fatal(err)
	}
	e := &edge{Options: Options{Bundle: bundle, PublicOrigin: exampleOrigin}}
	examples := 0
	for name, response := range parsed(t).Components.Responses {
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
		f := errorOf(t, want)
		if name == "PeopleConflict" {
			f.Specific = fault.AuthenticatorTheirs
		}
		var got map[string]any
		if err := json.Unmarshal(e.answered(t, path, f), &got); err != nil {
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

// answered returns the body of an error's answer.
func (e *edge) answered(t *testing.T, path string, f *fault.Error) []byte {
	t.Helper()
	gin.SetMode(gin.ReleaseMode)
	recorder := httptest.NewRecorder()
	c, _ := gin.CreateTestContext(recorder)
	c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, nil)
	state := request.Begin(c)
	state.ID = "kq3Yd0vXn8Lw2RbT"
	state.RevealAccountState = true
	if strings.HasPrefix(path, "/users") {
		state.Dialect = request.PlatformIdentity
	}
	e.answer(c, f)
	return recorder.Body.Bytes()
}

// errorOf returns the error of an example. A sentence that is not a message id is used as
// it is.
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

// The examples of ceremonies parse, and each response answers its request.
func TestExamplesOfCeremoniesAreReal(t *testing.T) {
	operations := operationsOf(parsed(t))
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

// requestExample returns the request body of the passkey operation.
func requestExample(operation *openapi3.Operation) any {
	return operation.RequestBody.Value.Content[mediaJSON].Examples["passkey"].Value.Value
}

// answerExample returns the example of the answer to an app.
func answerExample(operation *openapi3.Operation) any {
	media := operation.Responses.Value("200").Value.Content[mediaJSON]
	if example := media.Examples["to an app"]; example != nil {
		return example.Value.Value
	}
	return media.Example
}

// textAt returns the string at the path names.
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
