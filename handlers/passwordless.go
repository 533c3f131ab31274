package handlers

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/session"
)

// Decoys makes authentication requests for accounts that cannot sign in with an
// authenticator, in the shape of the platform's last real one, so that nobody
// can list accounts by asking.
type Decoys struct {
	Sessions *session.Store
	// Key makes the credential ids; it stays the same for as long as people use
	// the service, or an id that changes would give the decoy away.
	Key []byte
	// RPID is the relying party of a decoy until a real request was seen.
	RPID string
}

// Generate answers generate-fido-authentication-request, signed out too. With
// authenticationMessage it opens a transaction, which needs a signed-in person.
func (h SignIn) Generate(c *gin.Context) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	in, err := authenticationRequestPayload(body)
	if err != nil {
		return err
	}
	kind := ceremony.SignIn
	if in.AuthenticationMessage != "" {
		kind = ceremony.Transaction
		if err := ownTransaction(c); err != nil {
			return err
		}
	}
	if err := h.Limits.ceremony(c); err != nil {
		return err
	}
	out, request, decoy, err := h.request(c, in)
	if err != nil {
		return err
	}
	s, err := ensureSession(c, h.Sessions)
	if err != nil {
		return err
	}
	if err := h.Ceremonies.begin(c, s, kind, userOf(c), out.RequestID, request, decoy); err != nil {
		return err
	}
	return h.offer(c, s, out)
}

// ownTransaction lets a person confirm their own transactions alone.
func ownTransaction(c *gin.Context) error {
	person, err := RequirePerson(c)
	if err != nil {
		return err
	}
	if person.ID != userOf(c) {
		return fault.New(fault.SessionForbidden)
	}
	return nil
}

// request is the platform's authentication request, or a decoy where it has
// none for this account, and what either holds.
func (h SignIn) request(c *gin.Context, in identity.AuthenticationRequestInput) (out identity.AuthenticationRequestOutput, request ceremony.Request, decoy bool, err error) {
	user, protocol := userOf(c), ceremony.Protocol(in.FIDOProtocol)
	out, err = h.Identity.GenerateFIDOAuthenticationRequest(c.Request.Context(), user, in)
	if err == nil {
		if request, err = ceremony.FromAuthenticationRequest(protocol, out.AuthenticationRequest); err != nil {
			return out, request, false, fault.Wrap(fault.PlatformFailed, err)
		}
		if protocol != ceremony.FIDO2 {
			return out, request, false, nil
		}
		if request.AllowCredentials > 0 {
			return out, request, false, h.Decoys.learn(c, in, out)
		}
	} else if !fault.Is(err, fault.SignInRefused) || protocol != ceremony.FIDO2 {
		return out, request, false, err
	}
	if out, err = h.Decoys.make(c, in, user); err != nil {
		return out, request, true, err
	}
	request, err = ceremony.FromAuthenticationRequest(protocol, out.AuthenticationRequest)
	return out, request, true, err
}

// offer answers with the request, and with the token of the pre-session it
// belongs to where the client wants that.
func (h SignIn) offer(c *gin.Context, s *session.Session, out identity.AuthenticationRequestOutput) error {
	body := map[string]any{"authenticationRequest": out.AuthenticationRequest, "uafStatusCode": out.UAFStatusCode}
	if out.RequestID != "" {
		body["requestID"] = out.RequestID
	}
	if err := handOver(c, h.Sessions, s, body); err != nil {
		return err
	}
	return answer(c, http.StatusOK, body)
}

// learn remembers the shape of a real request for the decoys to come. A request
// that cannot be made free of its person's data teaches nothing.
func (d Decoys) learn(c *gin.Context, in identity.AuthenticationRequestInput, out identity.AuthenticationRequestOutput) error {
	if shape, err := ceremony.Shape(out.AuthenticationRequest); err == nil {
		return d.Sessions.RememberShape(c.Request.Context(), in.UserVerification, shape)
	}
	return nil
}

// make is the request of an account that has none.
func (d Decoys) make(c *gin.Context, in identity.AuthenticationRequestInput, user string) (identity.AuthenticationRequestOutput, error) {
	shape, err := d.shape(c, in.UserVerification)
	if err != nil {
		return identity.AuthenticationRequestOutput{}, err
	}
	request, requestID, err := ceremony.NewDecoy(d.Key, shape, canonical(user), d.RPID)
	if err != nil {
		return identity.AuthenticationRequestOutput{}, err
	}
	return identity.AuthenticationRequestOutput{AuthenticationRequest: request, RequestID: requestID}, nil
}

// shape is what the platform's last real answer to this question looked like;
// else its answer to no particular wish, with the wish put in; else ours.
func (d Decoys) shape(c *gin.Context, userVerification string) (string, error) {
	shape, found, err := d.Sessions.RecallShape(c.Request.Context(), userVerification)
	if found || err != nil {
		return shape, err
	}
	if shape, found, err = d.Sessions.RecallShape(c.Request.Context(), ""); err != nil {
		return "", err
	}
	if found {
		if shape, err = ceremony.WithUserVerification(shape, userVerification); err == nil {
			return shape, nil
		}
	}
	return ceremony.DefaultShape(userVerification), nil
}
