package appclient

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// The protocols, as in fidoProtocol (specification 4.3).
const (
	FIDO2 = "FIDO2"
	UAF11 = "UAF11"
)

// object is a body to send.
type object = map[string]any

// Outcome is the result of a sign-in, a registration or a transaction.
type Outcome struct {
	SessionStatus string `json:"sessionStatus"` // accepted, pending …; empty for a registration
	UAFStatusCode int    `json:"uafStatusCode"` // 0 for FIDO2
}

func user(id string) string { return "/users/" + url.PathEscape(id) }

// SignIn signs in with a password.
func (c *Client) SignIn(ctx context.Context, id, password string) (out Outcome, err error) {
	body := object{"credentials": object{"passKey": password}}
	return out, c.call(ctx, http.MethodPost, user(id)+"/login", body, &out)
}

// RequestRegistration requests the options for registering an authenticator; attestation
// is for FIDO2, empty for the platform's choice.
func (c *Client) RequestRegistration(ctx context.Context, id, protocol, attestation string) (string, error) {
	body := object{"fidoProtocol": protocol}
	if attestation != "" {
		body["attestation"] = attestation
	}
	var out struct {
		RegistrationRequest string `json:"registrationRequest"`
	}
	err := c.call(ctx, http.MethodPost, user(id)+"/generate-fido-registration-request", body, &out)
	return out.RegistrationRequest, err
}

// RegistrationBody returns the body of register-fido-device.
func RegistrationBody(protocol, response string) map[string]any {
	return object{"fidoProtocol": protocol, "registrationResponse": response}
}

// Register sends the authenticator's registration response.
func (c *Client) Register(ctx context.Context, id, protocol, response string) (out Outcome, err error) {
	return out, c.call(ctx, http.MethodPost, user(id)+"/register-fido-device", RegistrationBody(protocol, response), &out)
}

// RequestAuthentication requests the message for an authenticator to sign: to sign in, or
// with a message, for UAF and signed in, to confirm a transaction.
func (c *Client) RequestAuthentication(ctx context.Context, id, protocol, message string) (string, error) {
	body := object{"fidoProtocol": protocol}
	if message != "" {
		body["authenticationMessage"] = message
	}
	var out struct {
		AuthenticationRequest string `json:"authenticationRequest"`
	}
	err := c.call(ctx, http.MethodPost, user(id)+"/generate-fido-authentication-request", body, &out)
	return out.AuthenticationRequest, err
}

// LoginBody returns the body of a login with an authenticator.
func LoginBody(protocol, response string) map[string]any {
	return object{"credentials": object{"fidoAuthenticator": object{"fidoProtocol": protocol, "authenticationResponse": response}}}
}

// SignInWith signs in with the authenticator's response.
func (c *Client) SignInWith(ctx context.Context, id, protocol, response string) (out Outcome, err error) {
	return out, c.call(ctx, http.MethodPost, user(id)+"/login", LoginBody(protocol, response), &out)
}

// TransactionBody returns the body of transactions/validate with an authenticator.
func TransactionBody(protocol, response string) map[string]any {
	return object{"data": object{"fido": object{"fidoProtocol": protocol, "authenticationResponse": response}}}
}

// Confirm sends the transaction that the authenticator signed.
func (c *Client) Confirm(ctx context.Context, id, protocol, response string) (out Outcome, err error) {
	return out, c.call(ctx, http.MethodPost, user(id)+"/transactions/validate", TransactionBody(protocol, response), &out)
}

// Session describes the signed-in person.
type Session struct {
	User struct {
		ID          string `json:"id"`
		DisplayName string `json:"displayName"`
	} `json:"user"`
	Methods []string `json:"methods"`
}

// Session returns the signed-in person.
func (c *Client) Session(ctx context.Context) (out Session, err error) {
	return out, c.call(ctx, http.MethodGet, "/session", nil, &out)
}

// SignedIn reports whether there is a session, or a pre-session, to end.
func (c *Client) SignedIn() bool { return c.token != "" }

// SignOut ends the session.
func (c *Client) SignOut(ctx context.Context) error {
	err := c.call(ctx, http.MethodDelete, "/session", nil, nil)
	c.token = ""
	return err
}

// Authenticator is one registration.
type Authenticator struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Protocol  string    `json:"protocol"`
	CreatedAt time.Time `json:"createdAt"`
}

// Authenticators returns the registrations.
func (c *Client) Authenticators(ctx context.Context, id string) ([]Authenticator, error) {
	var out struct {
		Authenticators []Authenticator `json:"authenticators"`
	}
	err := c.call(ctx, http.MethodGet, user(id)+"/authenticators", nil, &out)
	return out.Authenticators, err
}

// Remove removes a registration, even the last; for UAF it returns the deregistration
// request for the authenticator.
func (c *Client) Remove(ctx context.Context, id, registration string) (string, error) {
	var out struct {
		DeregistrationRequest string `json:"deregistrationRequest"`
	}
	path := user(id) + "/authenticators/" + url.PathEscape(registration) + "?confirm=last"
	err := c.call(ctx, http.MethodDelete, path, nil, &out)
	return out.DeregistrationRequest, err
}

// TrustedFacets fetches the list at appID if that address belongs to this Countersign: a
// client fetches nothing from elsewhere.
func (c *Client) TrustedFacets(ctx context.Context, appID string) (document []byte, ours bool, err error) {
	path, ours := strings.CutPrefix(appID, c.base+"/")
	if !ours {
		return nil, false, nil
	}
	status, document, err := c.send(ctx, http.MethodGet, "/"+path, nil)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET %s: status %d", appID, status)
	}
	return document, true, err
}
