package handlers

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity"
)

// Registration registers an authenticator for the signed-in person: the two
// calls of part 4.3 of the specification.
type Registration struct {
	Identity   *identity.Client
	Ceremonies Ceremonies
	Limits     Limits
	StepUp     StepUp
}

// Generate answers generate-fido-registration-request: it asks the platform for
// the request, puts the ceremony under the session and passes the request on.
func (h Registration) Generate(c *gin.Context) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	in, err := registrationRequestPayload(body)
	if err != nil {
		return err
	}
	if err := h.StepUp.require(c); err != nil {
		return err
	}
	if err := h.Limits.ceremony(c); err != nil {
		return err
	}
	ctx, user := c.Request.Context(), userOf(c)
	out, err := h.Identity.GenerateFIDORegistrationRequest(ctx, user, in)
	if err != nil {
		return err
	}
	request, err := ceremony.FromRegistrationRequest(ceremony.Protocol(in.FIDOProtocol), out.RegistrationRequest)
	if err != nil {
		return fault.Wrap(fault.PlatformFailed, err)
	}
	if err := h.Ceremonies.begin(c, SessionOf(c), ceremony.Registration, user, out.RequestID, request, false); err != nil {
		return err
	}
	return answer(c, http.StatusOK, out)
}

// Register answers register-fido-device: it finds the ceremony by the challenge
// inside the response, spends it, checks it and lets the platform judge.
func (h Registration) Register(c *gin.Context) error {
	body, err := readJSON(c)
	if err != nil {
		return err
	}
	in, err := registerDevicePayload(body)
	if err != nil {
		return err
	}
	protocol := ceremony.Protocol(in.FIDOProtocol)
	response, err := ceremony.FromRegistrationResponse(protocol, in.RegistrationResponse)
	if err != nil {
		return at("/registrationResponse", err)
	}
	user := userOf(c)
	pending, err := h.Ceremonies.finish(c, ceremony.Presented{
		Kind: ceremony.Registration, Protocol: protocol, User: user, RequestID: in.RequestID,
	}, response)
	if err != nil {
		return err
	}
	in.RequestID = pending.RequestID
	out, err := h.Identity.RegisterFIDODevice(c.Request.Context(), user, in)
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, out)
}

// StepUp asks for a recent sign-in before an authenticator is added or removed.
type StepUp struct {
	// Age is how old a sign-in may be.
	Age time.Duration
	Now func() time.Time
}

// Needed reports whether the session's sign-in is too old.
func (s StepUp) Needed(c *gin.Context) bool {
	session := SessionOf(c)
	return session == nil || s.Now().Sub(session.AuthenticatedAt()) > s.Age
}

func (s StepUp) require(c *gin.Context) error {
	if s.Needed(c) {
		return fault.New(fault.SessionStepUp)
	}
	return nil
}
