package identity

import (
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/handlers/page"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/internal/signin"
	"countersign/templates"
)

var signInTemplate = page.For[signInView]("signin")

// signInView is "/login". Its forms post urlencoded to /login:
//
//	step=user      user, remember ("yes" when ticked), next   → on to step 2 for that user
//	step=password  user, password, next                       → sign in
//	step=forget    next                                       → forget the remembered name
//	step=language  language, next                             → speak another language
//
// "Not you?" without a remembered name is a GET of /login with next alone.
type signInView struct {
	templates.Common
	// User is the person as known so far, userID@domain; empty in step 1.
	User string
	// Typed is the text that step 1 shows in its field again after a Problem.
	Typed string
	// Remembered says that User comes from this device's memory.
	Remembered bool
	// Next is the path to go to afterwards; empty is "/".
	Next string
	// StepUp says that the person is signed in and has to prove their identity once more.
	StepUp bool
	// ForSigning says that they go on to a signing page that asks for a passkey.
	ForSigning bool
	// NoPasskey says that the person is known to have no passkey, so none is offered.
	NoPasskey bool
	// Push offers the approval on a phone, which may take up to PushTTL.
	Push    bool
	PushTTL time.Duration
	// CeremonyTTL limits how long the server keeps a challenge; the page renews its own
	// in time. Zero stands for five minutes.
	CeremonyTTL time.Duration
}

// WhyAgainID returns the message id that says why a signed-in person signs in once more.
func (v signInView) WhyAgainID() string {
	if path, _, _ := strings.Cut(v.Next, "?"); path == page.AuthenticatorsPath("", "", "") {
		return "page.login.again-passkeys"
	}
	return "page.login.again-why"
}

// AddPasskey returns the path of the page that adds a passkey, and leads on to Next.
func (v signInView) AddPasskey() string { return page.AuthenticatorsPath(v.Next, "", "") }

// Lifetime returns CeremonyTTL in whole seconds, for the script.
func (v signInView) Lifetime() int {
	if v.CeremonyTTL <= 0 {
		return int((5 * time.Minute).Seconds())
	}
	return max(1, int(v.CeremonyTTL.Seconds()))
}

// PushSeconds returns PushTTL in whole seconds, for the script.
func (v signInView) PushSeconds() int { return templates.Seconds(v.PushTTL) }

// AsksPassword reports whether the page asks for the password of a known person.
func (v signInView) AsksPassword() bool { return v.User != "" }

// stepPassword names the second step of a sign-in, in its form and in its address.
const stepPassword = "password"

// SignInPage signs people in by a form, in two steps: their name, then their passkey or
// password.
type SignInPage struct {
	Renderer page.Renderer
	SignIn   SignIn
	StepUp   request.StepUp
	Device   DeviceCookies
	Users    request.Users
	Prompt   PasskeyPrompt
	// CeremonyTTL limits a ceremony.
	CeremonyTTL time.Duration
	// Push offers approval on a phone; PushTTL limits it.
	Push    bool
	PushTTL time.Duration
}

// Routes returns the addresses of the page.
func (p SignInPage) Routes() []page.Route {
	return []page.Route{
		{Method: http.MethodGet, Path: "/login", SignedOut: true, Serve: p.get},
		{Method: http.MethodPost, Path: "/login", SignedOut: true, Serve: p.post},
	}
}

// get answers GET /login: it asks for the name, unless the device remembers it or a
// signed-in person has to sign in again.
func (p SignInPage) get(c *gin.Context) error {
	v := signInView{Common: page.Common(c), Next: page.LocalPath(c.Query("next")), CeremonyTTL: p.CeremonyTTL}
	if person, ok := request.Person(c); ok {
		if !p.StepUp.Needed(c) && c.Query("again") == "" {
			return page.SeeOther(c, v.Next, "")
		}
		v.User, v.StepUp = person.ID, true
	} else if name, ok := p.Device.enteredUser(c.Request); ok && c.Query("step") == stepPassword {
		v.User = name
	} else if name, ok := p.Device.rememberedUser(c.Request); ok && c.Query("user") != "other" {
		v.User, v.Remembered = name, true
	}
	if p.sessionOver(c) && v.Next != "/" { // on the way to a page that needs a session
		v.Notice = page.NoticeSessionOver
	}
	return p.show(c, http.StatusOK, v)
}

// sessionOver reports whether the browser sent the cookie of an ended session. The cookie
// stays: another tab may be signing in, and this answer may come after the new one.
func (p SignInPage) sessionOver(c *gin.Context) bool {
	return request.From(c).Session == nil && p.SignIn.SignIns.Sessions.HasCookie(c.Request)
}

// post answers POST /login, each of its steps.
func (p SignInPage) post(c *gin.Context) error {
	if err := request.Form(c); err != nil {
		return err
	}
	v := signInView{
		Common:      page.Common(c),
		Next:        page.LocalPath(c.PostForm("next")),
		CeremonyTTL: p.CeremonyTTL,
	}
	v.Path = "/login?" + url.Values{"next": {v.Next}}.Encode() // a form's own address has no query
	switch c.PostForm("step") {
	case "language":
		return p.speak(c, v.Next)
	case "user":
		return p.identify(c, v)
	case "forget":
		p.Device.forgetUser(c.Writer)
		return page.SeeOther(c, "/login?"+url.Values{"next": {v.Next}}.Encode(), page.NoticeForgotten)
	default:
		return p.password(c, v)
	}
}

// speak sets the language of this device and leads to next.
func (p SignInPage) speak(c *gin.Context, next string) error {
	language := c.PostForm("language")
	if !p.Renderer.Bundle.Has(language) {
		return payload.Violation("/language", "field.choice")
	}
	p.Device.keepLanguage(c.Writer, language)
	return page.SeeOther(c, next, "")
}

// identify handles the first step: the name, and whether this device may remember it. It
// redirects to the second step's own address, so that going back and reloading submit no
// form; the name travels in a cookie, out of addresses and logs.
func (p SignInPage) identify(c *gin.Context, v signInView) error {
	typed := safetext.Visible(c.PostForm("user"))
	name, ok := p.Users.Canonical(typed)
	if !ok {
		v.Typed = typed
		return p.refuse(c, v, payload.Violation("/user", request.Misspelled(typed)))
	}
	to := url.Values{"next": {v.Next}}
	if c.PostForm("remember") == "yes" {
		p.Device.rememberUser(c.Writer, name)
	} else {
		p.Device.keepEnteredUser(c.Writer, name)
		to.Set("step", stepPassword)
	}
	return page.SeeOther(c, "/login?"+to.Encode(), "")
}

// password handles the second step, for people without a passkey here.
func (p SignInPage) password(c *gin.Context, v signInView) error {
	typed := safetext.Visible(c.PostForm("user"))
	name, ok := p.Users.Canonical(typed)
	if !ok {
		v.Typed = typed
		return p.refuse(c, v, payload.Violation("/user", request.Misspelled(typed)))
	}
	v.User, v.Path = name, v.Path+"&step="+stepPassword
	remembered, ok := p.Device.rememberedUser(c.Request)
	v.Remembered = ok && remembered == name
	if person, signedIn := request.Person(c); signedIn {
		v.StepUp = person.ID == name
	}
	result, err := p.tryPassword(c, name)
	if err != nil {
		return p.refuse(c, v, err)
	}
	p.SignIn.signedIn(c, result.Session, signin.MethodPassword)
	p.SignIn.SignIns.Sessions.SendCookie(c.Writer, result.Session)
	return page.SeeOther(c, v.Next, "")
}

// tryPassword signs in with the form's password. An account that requires more, which the
// form cannot provide, is refused.
func (p SignInPage) tryPassword(c *gin.Context, user string) (signin.Result, error) {
	request.From(c).User = user // the account that an error is about
	if utf8.RuneCountInString(c.PostForm("password")) > maxPassword {
		return signin.Result{}, payload.Violation("/password", "field.password")
	}
	refused := audit.Event{Kind: audit.SignInRefused, Person: user, Method: signin.MethodPassword}
	signIns := p.SignIn.SignIns
	if err := signIns.Limits.TakeAddress(c.Request.Context(), request.From(c).Address); err != nil {
		return signin.Result{}, request.Refused(c, refused, err)
	}
	client, err := p.SignIn.client(c)
	if err != nil {
		return signin.Result{}, err
	}
	result, err := signIns.Try(c.Request.Context(), client, signin.Attempt{
		User: user, Method: signin.MethodPassword,
		Input: platform.LoginInput{Credentials: &platform.Credentials{PassKey: c.PostForm("password")}},
	})
	if err == nil && result.Status != platform.StatusAccepted {
		err = fault.New(fault.SignInRefused)
	}
	if err != nil {
		return result, request.Refused(c, refused, err)
	}
	return result, nil
}

func (p SignInPage) refuse(c *gin.Context, v signInView, err error) error {
	problem, status, err := p.Renderer.Problem(c, err)
	if err != nil {
		return err
	}
	v.Problem = problem
	return p.show(c, status, v)
}

func (p SignInPage) show(c *gin.Context, status int, v signInView) error {
	v.Push, v.PushTTL = p.Push, p.PushTTL
	v.ForSigning = v.StepUp && page.SigningPath(v.Next) != ""
	v.NoPasskey = v.StepUp && p.Prompt.Shown(c) // others must not learn it
	return signInTemplate.Show(c, p.Renderer, status, v)
}
