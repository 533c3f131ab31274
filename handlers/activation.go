package handlers

import (
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/request"
)

// Activation binds a person's device: the activation password, and the messages
// of the orchestration SDK that carry the rest.
type Activation struct {
	Identity *identity.Client
	Limits   request.Limits
	StepUp   request.StepUp
}

// RegisterUser answers POST /users/register. An activation password binds a
// device, so a signed-in person gets their own alone, after a recent sign-in;
// signed out it takes the static password and counts as a sign-in attempt,
// which tells nobody more about an account than one does.
func (h Activation) RegisterUser(c *gin.Context) error {
	body, err := request.JSON(c)
	if err != nil {
		return err
	}
	in, err := registerUserPayload(body)
	if err != nil {
		return err
	}
	in.ClientIP = request.From(c).Address
	person, signedIn := request.Person(c)
	if !signedIn {
		return h.signedOut(c, in)
	}
	if !owns(person.ID, in) {
		return fault.New(fault.SessionForbidden)
	}
	if fullName(in) != person.ID { // or the platform would look in its own domain
		_, in.Domain, _ = strings.Cut(person.ID, "@")
	}
	out, err := h.signedIn(c, person.ID, in)
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, out)
}

// password asks for an activation password of whoever is signed in.
func (h Activation) password(c *gin.Context) (string, error) {
	person, err := request.RequirePerson(c)
	if err != nil {
		return "", err
	}
	in := identity.RegisterUserInput{ClientIP: request.From(c).Address}
	in.UserID, in.Domain, _ = strings.Cut(person.ID, "@")
	out, err := h.signedIn(c, person.ID, in)
	return out.ActivationPassword, err
}

// signedIn asks for user, who is signed in, and must have been a short time ago.
func (h Activation) signedIn(c *gin.Context, user string, in identity.RegisterUserInput) (identity.RegisterUserOutput, error) {
	if err := h.StepUp.Require(c); err != nil {
		return identity.RegisterUserOutput{}, err
	}
	if err := h.Limits.TakeCeremony(c); err != nil {
		return identity.RegisterUserOutput{}, err
	}
	return h.register(c, user, in)
}

func (h Activation) signedOut(c *gin.Context, in identity.RegisterUserInput) error {
	if in.StaticPassword == "" {
		return fault.New(fault.SessionRequired)
	}
	if err := h.Limits.TakeSignInAddress(c); err != nil {
		return err
	}
	out, err := h.register(c, fullName(in), in)
	if fault.Is(err, fault.ActivationRefused) {
		return fault.From(err).WithKey(fault.SignInRefused)
	}
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, out)
}

// register asks the platform. A static password can be guessed here as at a
// sign-in, signed in or out, so it counts as an attempt.
func (h Activation) register(c *gin.Context, user string, in identity.RegisterUserInput) (identity.RegisterUserOutput, error) {
	if in.StaticPassword != "" {
		if err := h.Limits.TakeAttempt(c, user); err != nil {
			return identity.RegisterUserOutput{}, err
		}
	}
	out, err := h.Identity.RegisterUser(c.Request.Context(), in)
	if in.StaticPassword != "" && !fault.Is(err, fault.ActivationRefused) {
		h.Limits.ResetAttempts(c, user)
	}
	return out, err
}

// registerUserPayload reads the platform's RegisterUserInputEx (identity-facts
// section 3.1). objectType and clientIP are set by us.
func registerUserPayload(body *request.Object) (identity.RegisterUserInput, error) {
	var in identity.RegisterUserInput
	in.UserID = body.Required("userID")
	in.Domain, _ = body.Text("domain")
	in.StaticPassword, _ = body.Text("staticPassword")
	in.ActivationType, _ = body.Text("activationType", "onlineMDL", "offlineMDL", "fido")
	in.CDDC, _ = body.Raw("cddc")
	in.SessionID, _ = body.Text("sessionID")
	in.ApplicationRef, _ = body.Text("applicationRef")
	in.RelationshipRef, _ = body.Text("relationshipRef")
	if err := body.Err(); err != nil {
		return in, err
	}
	user := fullName(in)
	if !strings.Contains(user, "@") {
		user += "@platform" // which knows a domain to look in
	}
	if !identity.ValidUser(user) {
		return in, request.Violation("/userID", "field.user")
	}
	if _, domain, whole := strings.Cut(in.UserID, "@"); whole && in.Domain != "" && in.Domain != domain {
		return in, request.Violation("/domain", "field.user")
	}
	return in, nil
}

// fullName is userID@domain, as far as it was told.
func fullName(in identity.RegisterUserInput) string {
	if in.Domain == "" || strings.Contains(in.UserID, "@") {
		return in.UserID
	}
	return in.UserID + "@" + in.Domain
}

// owns reports whether the payload speaks of person, whose domain may be left
// out.
func owns(person string, in identity.RegisterUserInput) bool {
	name, _, _ := strings.Cut(person, "@")
	return fullName(in) == person || in.Domain == "" && in.UserID == name
}

// OrchestrationCommands answers POST /orchestration-commands: the SDK's messages
// are opaque, and pass as they are.
func (h Activation) OrchestrationCommands(c *gin.Context) error {
	body, err := request.JSON(c)
	if err != nil {
		return err
	}
	in := identity.OrchestrationCommand{Command: body.Required("command")}
	if _, err := hex.DecodeString(in.Command); body.Err() == nil && (err != nil || in.Command == "") {
		body.Note("command", "field.hex")
	}
	if err := body.Done(); err != nil {
		return err
	}
	if err := h.Limits.TakeOrchestration(c); err != nil {
		return err
	}
	out, err := h.Identity.OrchestrationCommands(c.Request.Context(), in)
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, out)
}
