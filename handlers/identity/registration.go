package identity

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/account"
	"countersign/internal/audit"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
)

// Registration registers an authenticator for the signed-in person, by the two calls of
// part 4.3 of the specification.
type Registration struct {
	Identity   *platform.Client
	Ceremonies Ceremonies
	Limits     request.Limits
	StepUp     request.StepUp
	// Passkeys keep the user that passkeys are made for, and of what kind each is.
	Passkeys *account.Passkeys
	// Denied are the AAGUIDs, in lower case, of models that are refused.
	Denied []string
	// Conditional lets clients make passkeys by themselves, and Device says for which user one has
	// tried lately.
	Conditional bool
	Device      DeviceCookies
	// Begun is told of each request for a passkey that nobody asked for.
	Begun func()
	Now   func() time.Time
}

// Generate answers generate-fido-registration-request: it gets the request from the
// platform, stores the ceremony in the session and returns the request.
func (h Registration) Generate(c *gin.Context) error {
	conditional := h.isConditional(c)
	if err := h.take(c, conditional); err != nil {
		return err
	}
	in, err := request.Decode(c, registrationRequestPayload)
	if err != nil {
		return err
	}
	if err := h.StepUp.Require(c); err != nil {
		return err
	}
	ctx, user := c.Request.Context(), request.From(c).User
	out, err := h.Identity.GenerateFIDORegistrationRequest(ctx, user, in)
	if err != nil {
		return err
	}
	asked, err := ceremony.FromRegistrationRequest(ceremony.Protocol(in.FIDOProtocol), out.RegistrationRequest)
	if err != nil {
		return fault.Wrap(fault.PlatformFailed, err)
	}
	if asked.Protocol == ceremony.FIDO2 { // the user is kept for the Signal API
		passkeyUser := account.PasskeyUser{RPID: asked.RPID, Handle: asked.User.Handle, Name: asked.User.Name}
		if err := h.Passkeys.KeepUser(ctx, user, passkeyUser); err != nil {
			return err
		}
	}
	pending := h.Ceremonies.RelyingParty.Begin(ceremony.Pending{Kind: ceremony.Registration, User: user, RequestID: out.RequestID, Conditional: conditional}, asked)
	if err := h.Ceremonies.Sessions.Put(ctx, request.From(c).Session, pending); err != nil {
		return err
	}
	out.RegistrationRequest = asked.Text
	if conditional {
		h.Begun()
	}
	if conditional && !request.FromProgram(c.Request) {
		h.Device.keepConditional(c.Writer, user)
	}
	return request.Answer(c, http.StatusOK, out)
}

// Register answers register-fido-device: it finds the ceremony by the challenge inside
// the response, spends it, checks it and asks the platform to verify the response.
func (h Registration) Register(c *gin.Context) error {
	in, err := request.Decode(c, registerDevicePayload)
	if err != nil {
		return err
	}
	response, err := ceremony.FromRegistrationResponse(ceremony.Protocol(in.FIDOProtocol), in.RegistrationResponse)
	if err != nil {
		return at("/registrationResponse", err)
	}
	event := audit.Event{Kind: audit.AuthenticatorRegistered, Protocol: in.FIDOProtocol, Authenticator: described(response.Made)}
	out, err := h.register(c, in, response, &event)
	if err != nil {
		event.Kind = audit.AuthenticatorRefused
		return request.Refused(c, event, err)
	}
	request.Audit(c, event)
	return request.Answer(c, http.StatusOK, out)
}

// register spends the ceremony that response answers, and asks the platform to verify it. The
// event is told if nobody asked for the passkey.
func (h Registration) register(c *gin.Context, in platform.RegisterDeviceInput, response *ceremony.Response, event *audit.Event) (out platform.RegisterDeviceOutput, err error) {
	user := request.From(c).User
	pending, err := h.Ceremonies.finish(c, ceremony.ClientClaims{
		Kind: ceremony.Registration, Protocol: response.Protocol, User: user, RequestID: in.RequestID,
	}, response)
	if err != nil {
		return out, err
	}
	in.RequestID = pending.RequestID
	if pending.Conditional {
		event.Method = audit.MethodConditional
	}
	if err := h.admit(response.Made); err != nil {
		return out, err
	}
	var before []platform.Authenticator
	if response.Made != nil {
		before = h.listed(c.Request.Context(), c, user)
	}
	if out, err = h.Identity.RegisterFIDODevice(c.Request.Context(), user, in); err != nil {
		return out, fault.From(err).Restart()
	}
	if before != nil {
		h.keepMade(c, user, before, response.Made, pending.Conditional)
	}
	return out, nil
}
