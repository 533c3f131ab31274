package e2etest

import (
	"net/http"

	"countersign/internal/authenticator"
)

// RequestRegistration requests creation options.
func (c *Client) RequestRegistration() Reply {
	c.T.Helper()
	return c.Send("POST", "/users/me/generate-fido-registration-request", map[string]any{"fidoProtocol": "FIDO2"})
}

// FinishRegistration sends the authenticator's response.
func (c *Client) FinishRegistration(response string) Reply {
	c.T.Helper()
	return c.Send("POST", "/users/me/register-fido-device", map[string]any{"fidoProtocol": "FIDO2", "registrationResponse": response})
}

// Register carries a registration through.
func (c *Client) Register(a *authenticator.FIDO2) {
	c.T.Helper()
	c.FinishRegistration(c.Create(a, c.RequestRegistration().Want(http.StatusOK))).Want(http.StatusOK)
}

// Create lets the authenticator answer the creation options.
func (c *Client) Create(a *authenticator.FIDO2, r Reply) string {
	c.T.Helper()
	response, err := a.Create(r.Text("registrationRequest"))
	if err != nil {
		c.T.Fatal(err)
	}
	return response
}

// RequestSignIn requests request options.
func (c *Client) RequestSignIn(user string) Reply {
	c.T.Helper()
	r := c.Send("POST", "/users/"+user+"/generate-fido-authentication-request", map[string]any{"fidoProtocol": "FIDO2"}).Want(http.StatusOK)
	c.Carry(r)
	return r
}

// Get lets the authenticator answer the request options.
func (c *Client) Get(a *authenticator.FIDO2, r Reply) string {
	c.T.Helper()
	response, err := a.Get(r.Text("authenticationRequest"))
	if err != nil {
		c.T.Fatal(err)
	}
	return response
}

// FinishSignIn sends the authenticator's response.
func (c *Client) FinishSignIn(user, response string) Reply {
	c.T.Helper()
	r := c.Send("POST", "/users/"+user+"/login", map[string]any{
		"credentials": map[string]any{"fidoAuthenticator": map[string]any{"authenticationResponse": response}},
	})
	if r.Status == http.StatusOK {
		c.Carry(r)
	}
	return r
}

// Passkey signs in with an authenticator.
func (c *Client) Passkey(user string, a *authenticator.FIDO2) Reply {
	c.T.Helper()
	return c.FinishSignIn(user, c.Get(a, c.RequestSignIn(user))).Want(http.StatusOK)
}

// NewPasskey returns an authenticator whose client is a page of Countersign.
func NewPasskey(app *App) *authenticator.FIDO2 {
	return authenticator.NewFIDO2(authenticator.Options{Origin: app.URL(), UserVerifying: true, Discoverable: true, Platform: true})
}
