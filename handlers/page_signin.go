package handlers

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/templates"
)

// SignInPage answers GET /login: who is it? If this device remembers, or somebody
// signed in has to prove it once more, that is known already.
func (h Pages) SignInPage(c *gin.Context) error {
	p := templates.SignIn{Common: common(c), Next: ownPath(c.Query("next")), CeremonyTTL: h.SignIns.Ceremonies.TTL}
	if person, ok := PersonOf(c); ok {
		if !h.Authenticators.StepUp.Needed(c) && c.Query("again") == "" {
			return seeOther(c, p.Next, "")
		}
		p.User, p.StepUp = person.ID, true
	} else if name, ok := h.Memory.Recall(c.Request); ok && c.Query("user") != "other" {
		p.User, p.Remembered = name, true
	}
	return h.signInPage(c, http.StatusOK, p)
}

// PostSignIn answers POST /login, each of its steps.
func (h Pages) PostSignIn(c *gin.Context) error {
	if err := readForm(c); err != nil {
		return err
	}
	p := templates.SignIn{
		Common:      common(c),
		Next:        ownPath(c.PostForm("next")),
		CeremonyTTL: h.SignIns.Ceremonies.TTL,
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

// identify is the first step: the name, and whether this device may keep it.
func (h Pages) identify(c *gin.Context, p templates.SignIn) error {
	name := strings.TrimSpace(c.PostForm("user"))
	if !ValidUser(name) {
		p.Typed = name
		return h.refuseSignIn(c, p, violation("/user", "field.user"))
	}
	p.User = name
	if c.PostForm("remember") == "yes" {
		h.Memory.Keep(c.Writer, name)
		p.Remembered = true
	}
	return h.signInPage(c, http.StatusOK, p)
}

// password is the second step, for those who have no passkey here.
func (h Pages) password(c *gin.Context, p templates.SignIn) error {
	name := strings.TrimSpace(c.PostForm("user"))
	if !ValidUser(name) {
		p.Typed = name
		return h.refuseSignIn(c, p, violation("/user", "field.user"))
	}
	p.User = name
	remembered, ok := h.Memory.Recall(c.Request)
	p.Remembered = ok && remembered == name
	if person, ok := PersonOf(c); ok {
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
	return page(c, status, func(w io.Writer) error { return h.Templates.SignIn(w, p) })
}

// Memory is how a device remembers who signs in on it, with their consent: a
// cookie of its own, which signing out leaves alone.
type Memory struct {
	Secure bool
}

// memoryAge is how long a device remembers.
const memoryAge = 180 * 24 * time.Hour

func (m Memory) name() string {
	if m.Secure {
		return "__Host-Http-countersign-user"
	}
	return "countersign-user"
}

// Recall is the remembered user; false when there is none, or no sound one.
func (m Memory) Recall(r *http.Request) (string, bool) {
	cookie, err := r.Cookie(m.name())
	if err != nil || !ValidUser(cookie.Value) {
		return "", false
	}
	return cookie.Value, true
}

// Keep remembers user.
func (m Memory) Keep(w http.ResponseWriter, user string) { m.set(w, user, int(memoryAge.Seconds())) }

// Forget forgets whoever was remembered.
func (m Memory) Forget(w http.ResponseWriter) { m.set(w, "", -1) }

func (m Memory) set(w http.ResponseWriter, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure follows the origin: plain http is for localhost alone
		Name: m.name(), Value: value, Path: "/", MaxAge: maxAge,
		Secure: m.Secure, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
}
