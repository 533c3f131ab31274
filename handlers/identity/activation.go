package identity

import (
	"context"
	"encoding/hex"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/signin"
)

// Activation binds a person's device: by the activation password, and by the messages of
// the orchestration SDK.
type Activation struct {
	Identity *platform.Client
	Limits   request.Limits
	// SignIns limits requests with a static password, which can be guessed here too.
	SignIns signin.Limits
	StepUp  request.StepUp
	Users   request.Users
	// Progress returns how the activation of a person's device stands.
	Progress func(ctx context.Context, person string) (platform.ActivationStatus, error)
	// RevealPasswordExpired makes a refusal say that the password has expired.
	RevealPasswordExpired bool
	// TrustEmail says that the platform's e-mail address of a person makes them the owner of
	// packages: then nobody sets their own here.
	TrustEmail bool
}

// RegisterUser answers POST /users/register with an activation password, which binds a
// device. A signed-in person gets one for themselves alone, after a recent sign-in.
// Signed out, the request needs the static password, counts as a sign-in attempt, and
// reveals no more about an account than a sign-in does.
func (h Activation) RegisterUser(c *gin.Context) error {
	person, signedIn := request.Person(c)
	if err := h.takeLimit(c, signedIn); err != nil {
		return err
	}
	if signedIn { // a name without a domain is in theirs
		_, h.Users.DefaultDomain, _ = strings.Cut(person.ID, "@")
	}
	in, err := request.Decode(c, h.registerUserPayload)
	if err != nil {
		return err
	}
	in.ClientIP = platform.Address(request.From(c).Address)
	user := in.UserID + "@" + in.Domain
	if err := h.permit(c, user, in.StaticPassword); err != nil {
		return err
	}
	out, err := h.register(c, user, in)
	if !signedIn && fault.Is(err, fault.ActivationRefused) {
		return fault.From(err).WithKey(fault.SignInRefused)
	}
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, out)
}

// permit lets people ask for themselves: signed in after a recent sign-in, signed out
// with a password.
func (h Activation) permit(c *gin.Context, user, password string) error {
	switch person, signedIn := request.Person(c); {
	case signedIn && user != person.ID:
		return fault.New(fault.SessionForbidden)
	case signedIn:
		return h.StepUp.Require(c)
	case password == "":
		return fault.New(fault.SessionRequired)
	}
	return nil
}

// takeLimit counts a request for an activation password: as a ceremony when signed in, as
// a sign-in when signed out.
func (h Activation) takeLimit(c *gin.Context, signedIn bool) error {
	if signedIn {
		return h.Limits.TakeCeremony(c)
	}
	return h.SignIns.TakeAddress(c.Request.Context(), request.From(c).Address)
}

// NewPassword returns a new activation password for the signed-in person.
func (h Activation) NewPassword(c *gin.Context) (string, error) {
	person, err := request.RequirePerson(c)
	if err != nil {
		return "", err
	}
	if err := h.StepUp.Require(c); err != nil {
		return "", err
	}
	if err := h.Limits.TakeCeremony(c); err != nil {
		return "", err
	}
	in := platform.RegisterUserInput{ClientIP: platform.Address(request.From(c).Address)}
	in.UserID, in.Domain, _ = strings.Cut(person.ID, "@")
	out, err := h.register(c, person.ID, in)
	return out.ActivationPassword, err
}

type activationBody struct {
	ActivationStatus platform.ActivationStatus `json:"activationStatus"`
}

// Status answers GET /users/{user}/activation: how the activation of their device stands.
func (h Activation) Status(c *gin.Context) error {
	status, err := h.Progress(c.Request.Context(), request.From(c).User)
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, activationBody{status})
}

// register asks the platform for the password. A static password can be guessed here as
// at a sign-in, so it counts as an attempt, signed in or out.
func (h Activation) register(c *gin.Context, user string, in platform.RegisterUserInput) (platform.RegisterUserOutput, error) {
	ctx, attempt := c.Request.Context(), signin.Attempt{User: user, Method: signin.MethodPassword}
	if in.StaticPassword != "" {
		if err := h.SignIns.TakeAttempt(ctx, string(in.ClientIP), attempt); err != nil {
			return platform.RegisterUserOutput{}, err
		}
	}
	out, err := h.ask(ctx, in)
	if h.RevealPasswordExpired {
		err = signin.TellExpired(err, in.StaticPassword)
	}
	if in.StaticPassword != "" && !fault.Is(err, fault.ActivationRefused) {
		h.SignIns.ResetAttempt(ctx, string(in.ClientIP), attempt)
	}
	switch {
	case err == nil:
		request.Audit(c, audit.Event{Kind: audit.ActivationPassword, Person: user})
	case in.StaticPassword != "":
		return out, request.Refused(c, audit.Event{Kind: audit.SignInRefused, Person: user, Method: attempt.Method}, err)
	}
	return out, err
}

// minStaticPassword is the length below which the platform refuses an input for its form.
const minStaticPassword = 8

// ask asks the platform, unless the password is too short to be right, or a word by which the
// platform would push to the person's phone: then the password is wrong.
func (h Activation) ask(ctx context.Context, in platform.RegisterUserInput) (out platform.RegisterUserOutput, err error) {
	_, word := platform.PushWord(in.StaticPassword)
	if word || in.StaticPassword != "" && utf8.RuneCountInString(in.StaticPassword) < minStaticPassword {
		return out, signin.WrongPassword(fault.ActivationRefused)
	}
	return h.Identity.RegisterUser(ctx, in)
}

// registerUserPayload reads the platform's RegisterUserInputEx (docs/platform.md I9).
// Whatever was sent, Countersign sets objectType and clientIP, and sets userID and domain
// to the two parts of the person's canonical id.
func (h Activation) registerUserPayload(body payload.Object) (platform.RegisterUserInput, error) {
	var in platform.RegisterUserInput
	userID := body.Required("userID")
	domain, _ := body.Text("domain")
	in.StaticPassword, _ = body.Between("staticPassword", 0, maxPassword, "field.password")
	in.ActivationType, _ = body.Text("activationType", "onlineMDL", "offlineMDL", "fido")
	in.DigipassType, _ = body.Between("digipassType", 5, 5, "field.digipass-type")
	var ok bool
	if in.EmailAddress, ok = body.Text("emailAddress"); ok && !payload.IsAddress(in.EmailAddress) {
		body.Note("emailAddress", payload.AddressDetail(in.EmailAddress))
	}
	if h.TrustEmail {
		in.EmailAddress = ""
	}
	if in.MobilePhone, ok = body.Text("mobilePhoneNumber"); ok && !payload.IsPhone(in.MobilePhone) {
		body.Note("mobilePhoneNumber", "field.phone")
	}
	in.CDDC = deviceData(body)
	if err := body.Err(); err != nil {
		return in, err
	}
	user, ok := h.Users.Complete(userID, domain)
	if !ok {
		return in, payload.Violation(h.misnamed(userID), request.Misspelled(userID+"@"+domain))
	}
	in.UserID, in.Domain, _ = strings.Cut(user, "@")
	return in, nil
}

// misnamed returns the pointer of the member that makes the user id invalid: the domain
// if userID is valid.
func (h Activation) misnamed(userID string) string {
	if _, whole := h.Users.Canonical(userID); whole {
		return "/domain"
	}
	if _, named := h.Users.Canonical(userID + "@domain"); named {
		return "/domain"
	}
	return "/userID"
}

// OrchestrationCommands answers POST /orchestration-commands: the SDK's messages are
// opaque and passed on unchanged, and so is the whole answer.
func (h Activation) OrchestrationCommands(c *gin.Context) error {
	if err := h.Limits.TakeOrchestration(c); err != nil {
		return err
	}
	in, err := request.Decode(c, orchestrationPayload)
	if err != nil {
		return err
	}
	out, err := h.Identity.OrchestrationCommands(c.Request.Context(), in)
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, out)
}

func orchestrationPayload(body payload.Object) (platform.OrchestrationCommand, error) {
	in := platform.OrchestrationCommand{Command: body.Required("command")}
	if _, err := hex.DecodeString(in.Command); body.Err() == nil && (err != nil || in.Command == "") {
		body.Note("command", "field.hex")
	}
	return in, body.Done()
}
