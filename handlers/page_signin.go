package handlers

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/request"
	"countersign/templates"
)

// stepPassword is the second step of a sign-in, in its form and in its address.
const stepPassword = "password"

// SignInPage answers GET /login: who is it? If this device remembers, or somebody
// signed in has to prove it once more, that is known already.
func (h Pages) SignInPage(c *gin.Context) error {
	p := templates.SignIn{Common: common(c), Next: ownPath(c.Query("next")), CeremonyTTL: h.SignIns.RelyingParty.MaxAge}
	if person, ok := request.Person(c); ok {
		if !h.Authenticators.StepUp.Needed(c) && c.Query("again") == "" {
			return seeOther(c, p.Next, "")
		}
		p.User, p.StepUp = person.ID, true
	} else if name, ok := h.Memory.Typed(c.Request); ok && c.Query("step") == stepPassword {
		p.User = name
	} else if name, ok := h.Memory.Recall(c.Request); ok && c.Query("user") != "other" {
		p.User, p.Remembered = name, true
	}
	return h.signInPage(c, http.StatusOK, p)
}

// PostSignIn answers POST /login, each of its steps.
func (h Pages) PostSignIn(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	p := templates.SignIn{
		Common:      common(c),
		Next:        ownPath(c.PostForm("next")),
		CeremonyTTL: h.SignIns.RelyingParty.MaxAge,
	}
	switch c.PostForm("step") {
	case "user":
		return h.identify(c, p)
	case "forget":
		h.Memory.Forget(c.Writer)
		return seeOther(c, "/login?"+url.Values{"next": {p.Next}}.Encode(), templates.NoticeForgotten)
	default:
		return h.password(c, p)
	}
}

// identify is the first step: the name, and whether this device may keep it. It
// leads to the second by an address of its own, so that going back and loading
// again send no form; the name travels in a cookie, out of addresses and logs.
func (h Pages) identify(c *gin.Context, p templates.SignIn) error {
	name := strings.TrimSpace(c.PostForm("user"))
	if !identity.ValidUser(name) {
		p.Typed = name
		return h.refuseSignIn(c, p, request.Violation("/user", "field.user"))
	}
	to := url.Values{"next": {p.Next}}
	if c.PostForm("remember") == "yes" {
		h.Memory.Keep(c.Writer, name)
	} else {
		h.Memory.Note(c.Writer, name)
		to.Set("step", stepPassword)
	}
	return seeOther(c, "/login?"+to.Encode(), "")
}

// password is the second step, for those who have no passkey here.
func (h Pages) password(c *gin.Context, p templates.SignIn) error {
	name := strings.TrimSpace(c.PostForm("user"))
	if !identity.ValidUser(name) {
		p.Typed = name
		return h.refuseSignIn(c, p, request.Violation("/user", "field.user"))
	}
	p.User = name
	remembered, ok := h.Memory.Recall(c.Request)
	p.Remembered = ok && remembered == name
	if person, ok := request.Person(c); ok {
		p.StepUp = person.ID == name
	}
	result, err := h.SignIns.try(c, attempt{
		user:   name,
		method: methodPassword,
		input:  identity.LoginInput{Credentials: &identity.Credentials{PassKey: c.PostForm("password")}},
	})
	if err == nil && result.status != identity.StatusAccepted {
		// The account wants more than a password, which this form cannot give.
		err = fault.New(fault.SignInRefused)
	}
	if err != nil {
		return h.refuseSignIn(c, p, err)
	}
	if err := h.SignIns.Sessions.SendCookie(c.Writer, c.Request, result.session); err != nil {
		return err
	}
	return seeOther(c, p.Next, "")
}

func (h Pages) refuseSignIn(c *gin.Context, p templates.SignIn, err error) error {
	problem, status, err := h.failed(c, err)
	if err != nil {
		return err
	}
	p.Problem = problem
	return h.signInPage(c, status, p)
}

func (h Pages) signInPage(c *gin.Context, status int, p templates.SignIn) error {
	p.Push = h.PushSignIn
	return page(c, status, func(w io.Writer) error { return h.Templates.SignIn(w, p) })
}
