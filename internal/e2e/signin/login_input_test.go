package signin_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"path"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/internal/e2e/e2etest"
)

// lastBody keeps the body of the last request through it. It serves one goroutine.
type lastBody struct {
	next http.RoundTripper
	body []byte
}

func (l *lastBody) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		l.body, r.Body = body, io.NopCloser(bytes.NewReader(body))
	}
	return l.next.RoundTrip(r)
}

// Each successful way to sign in is one branch of the document's LoginInput, and every
// branch is such a way.
func eachWayToSignInIsOneBranchOfLoginInput(t *testing.T, app *e2etest.App) {
	key := e2etest.NewPasskey(app)
	owner := e2etest.Program(t, app).SignedIn("alice@sandbox")
	owner.Register(key)
	phone := e2etest.PhoneOf(t, app, "alice@sandbox")
	platform := httptest.NewServer(&listeningPlatform{})
	t.Cleanup(platform.Close)
	listening := e2etest.InFrontOf(t, platform.URL)
	login := func(body string) func(*e2etest.Client) e2etest.Reply {
		return func(c *e2etest.Client) e2etest.Reply {
			return c.Elsewhere().Send("POST", "/users/alice@sandbox/login", body)
		}
	}
	branches := loginBranches(t, owner.Send("GET", "/openapi.json", nil).Want(http.StatusOK).Body)
	met := map[string]bool{}
	for _, way := range []struct {
		branch string
		app    *e2etest.App
		signIn func(*e2etest.Client) e2etest.Reply
		status int
	}{
		{"PasswordLogin", app, login(e2etest.RightPassword), http.StatusOK},
		{"PasswordLogin", listening, login(passwordAndPush), http.StatusAccepted},
		{"OneTimePasswordLogin", listening, login(`{"credentials":{"authenticator":{"OTP":"654321"}}}`), http.StatusOK},
		{"FIDO2Login", app, func(c *e2etest.Client) e2etest.Reply { return c.Passkey("alice@sandbox", key) }, http.StatusOK},
		{"UAFLogin", app, func(c *e2etest.Client) e2etest.Reply {
			return c.FinishSignIn("alice@sandbox", c.Sign("alice@sandbox", phone, ""))
		}, http.StatusOK},
		{"PushLogin", app, login(e2etest.PushedSignIn), http.StatusAccepted},
		{"PushLogin", app, login(`{"credentials":{"passKey":null},"orchestrationDelivery":["pushNotification"]}`), http.StatusAccepted},
	} {
		c := e2etest.Program(t, way.app)
		sent := &lastBody{next: c.HTTP.Transport}
		c.HTTP.Transport = sent
		way.signIn(c).Want(way.status)
		var matched []string
		for name, schema := range branches {
			if allows(t, schema, sent.body) {
				matched = append(matched, name)
			}
		}
		if !slices.Equal(matched, []string{way.branch}) {
			t.Errorf("%s is %v, not %s", sent.body, matched, way.branch)
		}
		met[way.branch] = true
	}
	for name := range branches {
		if !met[name] {
			t.Errorf("nobody signed in by %s", name)
		}
	}
}

// loginBranches returns the branches of LoginInput by name.
func loginBranches(t *testing.T, document []byte) map[string]*jsonschema.Schema {
	t.Helper()
	content, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource("document.json", content); err != nil {
		t.Fatal(err)
	}
	input, err := compiler.Compile("document.json#/components/schemas/LoginInput")
	if err != nil {
		t.Fatal(err)
	}
	branches := map[string]*jsonschema.Schema{}
	for _, branch := range input.OneOf {
		branches[path.Base(branch.Ref.Location)] = branch.Ref
	}
	return branches
}

func allows(t *testing.T, schema *jsonschema.Schema, body []byte) bool {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return schema.Validate(value) == nil
}
