package e2etest

import (
	"net/http"
	"testing"

	"countersign/internal/authenticator/softuaf"
	"countersign/internal/uaf"
)

// Phone returns a UAF authenticator of the sandbox's model, in an app whose facet is
// Countersign's origin.
func Phone(t testing.TB, app *App, options ...func(*softuaf.Options)) *softuaf.Authenticator {
	t.Helper()
	o := softuaf.Options{
		AAID: softuaf.DemoAAID, Version: softuaf.DemoVersion, Algorithm: uaf.AlgorithmP256DER, FacetID: app.URL(),
	}
	for _, set := range options {
		set(&o)
	}
	a, err := softuaf.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Enrol requests a registration request and lets the authenticator answer it.
func (c *Client) Enrol(a *softuaf.Authenticator) string {
	c.T.Helper()
	r := c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "UAF11"}).Want(http.StatusOK)
	response, err := a.Register(r.Text("registrationRequest"))
	if err != nil {
		c.T.Fatal(err)
	}
	return response
}

// FinishUAF sends the authenticator's response to a registration request.
func (c *Client) FinishUAF(response string) Reply {
	c.T.Helper()
	return c.Send("POST", "/users/me/register-fido-device", map[string]any{"fidoProtocol": "UAF11", "registrationResponse": response})
}

// RegisterUAF carries a registration through.
func (c *Client) RegisterUAF(a *softuaf.Authenticator) {
	c.T.Helper()
	c.FinishUAF(c.Enrol(a)).Want(http.StatusOK).UAFStatus(1200)
}

// Sign requests an authentication request, for a transaction if message is not empty, and
// lets the authenticator answer it.
func (c *Client) Sign(user string, a *softuaf.Authenticator, message string) string {
	c.T.Helper()
	body := map[string]any{"fidoProtocol": "UAF11"}
	if message != "" {
		body["authenticationMessage"] = message
	}
	r := c.Send("POST", "/users/"+user+"/generate-fido-authentication-request", body).Want(http.StatusOK)
	c.Carry(r)
	response, err := a.Authenticate(r.Text("authenticationRequest"))
	if err != nil {
		c.T.Fatal(err)
	}
	return response
}

// Confirm sends the authenticator's response to a transaction.
func (c *Client) Confirm(user, response string) Reply {
	c.T.Helper()
	return c.Send("POST", "/users/"+user+"/transactions/validate", map[string]any{
		"data": map[string]any{"fido": map[string]any{"fidoProtocol": "UAF11", "authenticationResponse": response}},
	})
}

// UAFStatus checks the UAF status code of the answer.
func (r Reply) UAFStatus(status int) Reply {
	r.T.Helper()
	if got, _ := r.Member("uafStatusCode").(float64); int(got) != status {
		r.T.Errorf("%s: UAF status %v, want %d: %s", r.What, r.Member("uafStatusCode"), status, r.Body)
	}
	return r
}

// PhoneOf returns a phone that is registered for user.
func PhoneOf(t testing.TB, app *App, user string) *softuaf.Authenticator {
	t.Helper()
	a := Phone(t, app)
	Program(t, app).SignedIn(user).RegisterUAF(a)
	return a
}
