package web

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"countersign/internal/ceremony"
	"countersign/web/openapi"
)

// Each error of an operation has an example, in the body of its schema.
func TestDocument_ErrorExamples(t *testing.T) {
	for name, response := range parsed(t).Components.Responses {
		media := response.Value.Content[mediaProblem]
		if media == nil || strings.HasPrefix(name, "Elsewhere") || media.Schema.Value.AllOf[1].Value.Properties["key"].Ref != "" {
			continue
		}
		example, _ := media.Example.(map[string]any)
		if key := keysOf(response.Value)[0]; example["key"] != string(key) || example["type"] != openapi.ExampleOrigin+"/errors/"+string(key) {
			t.Errorf("%s: the example is %v", name, media.Example)
		}
	}
}

// Every JSON response has an example that its schema allows.
func TestDocument_ResponseExamples(t *testing.T) {
	for name, operation := range operationsOf(parsed(t)) {
		for status, response := range operation.Responses.Map() {
			for _, mediaType := range []string{mediaJSON, mediaProblem} {
				media := response.Value.Content[mediaType]
				if media == nil {
					continue
				}
				shown := []any{media.Example}
				for _, one := range media.Examples {
					shown = append(shown, one.Value.Value)
				}
				shown = slices.DeleteFunc(shown, func(one any) bool { return one == nil })
				if len(shown) == 0 {
					t.Errorf("%s %s: %s has no example: write one, or record them by TestRecord_Examples", name, status, mediaType)
				}
				for _, one := range shown {
					if media.Schema == nil {
						continue
					}
					if err := media.Schema.Value.VisitJSON(one, openapi3.EnableFormatValidation()); err != nil {
						t.Errorf("%s %s: %v", name, status, err)
					}
				}
			}
		}
	}
}

// The examples of ceremonies parse, and each response answers its request.
func TestDocument_CeremonyExamples(t *testing.T) {
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
