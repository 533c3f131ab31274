package people

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/access"
	"countersign/internal/account"
	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/payload"
	"countersign/internal/request"
)

// People answers the calls of operators about other people's accounts.
type People struct {
	Service account.People
	Actors  request.Actors
	Users   request.Users
}

type personBody struct {
	User           personUser      `json:"user"`
	Sessions       []listedSession `json:"sessions"`
	Authenticators []authenticator `json:"authenticators"`
	Events         []audit.Event   `json:"events"`
}

type personUser struct {
	ID          string  `json:"id"`
	DisplayName *string `json:"displayName"`
	Email       *string `json:"email"`
	Status      *string `json:"status"`
}

// Operators admits operators only; for everybody else nothing is here.
func (h People) Operators(c *gin.Context) error {
	who, err := h.Actors.Actor(c)
	if err != nil {
		return err
	}
	return h.Service.Operators(who)
}

// asked returns the operator who asks, and the person in the path.
func (h People) asked(c *gin.Context) (access.Actor, string, error) {
	who, err := h.Actors.Actor(c)
	if err != nil {
		return who, "", err
	}
	user, ok := h.Users.Canonical(c.Param("user"))
	if !ok {
		return who, "", fault.New(fault.RequestNotFound)
	}
	return who, user, nil
}

// Show answers GET /people/{user} as JSON.
func (h People) Show(c *gin.Context) error {
	who, user, err := h.asked(c)
	if err != nil {
		return err
	}
	one, err := h.Service.Find(c.Request.Context(), who, user)
	if err != nil {
		return err
	}
	body := personBody{
		User: personUser{
			ID: one.ID, DisplayName: request.Known(one.User.DisplayName),
			Email: request.Known(one.User.EmailAddress), Status: request.Known(one.Status),
		},
		Sessions: sessionBodies(c, one.Sessions), Authenticators: authenticatorBodies(one.Authenticators),
		Events: append([]audit.Event{}, one.Events...),
	}
	return request.Answer(c, http.StatusOK, body)
}

// EndAll answers DELETE /people/{user}/sessions.
func (h People) EndAll(c *gin.Context) error {
	return h.change(c, func(who access.Actor, user, reason string) error {
		return h.Service.EndAll(c.Request.Context(), who, user, reason)
	})
}

// End answers DELETE /people/{user}/sessions/{id}.
func (h People) End(c *gin.Context) error {
	return h.change(c, func(who access.Actor, user, reason string) error {
		return h.Service.End(c.Request.Context(), who, user, c.Param("id"), reason)
	})
}

// Remove answers DELETE /people/{user}/authenticators/{id}; the last one is removed only
// with ?confirm=last.
func (h People) Remove(c *gin.Context) error {
	return h.change(c, func(who access.Actor, user, reason string) error {
		return h.Service.Remove(c.Request.Context(), who, user, c.Param("id"), reason, c.Query("confirm") == "last")
	})
}

// Unlock answers POST /people/{user}/unlock.
func (h People) Unlock(c *gin.Context) error {
	return h.change(c, func(who access.Actor, user, reason string) error {
		return h.Service.Unlock(c.Request.Context(), who, user, reason)
	})
}

// Enable answers POST /people/{user}/enable.
func (h People) Enable(c *gin.Context) error {
	return h.change(c, func(who access.Actor, user, reason string) error {
		return h.Service.Enable(c.Request.Context(), who, user, reason)
	})
}

func (h People) change(c *gin.Context, do func(who access.Actor, user, reason string) error) error {
	who, user, err := h.asked(c)
	if err != nil {
		return err
	}
	reason, err := reasonOf(c)
	if err == nil {
		err = do(who, user, reason)
	}
	if err != nil {
		return err
	}
	return request.NoContent(c)
}

// reasonOf returns the reason in the body, {reason}, or, without a body, in the query.
func reasonOf(c *gin.Context) (string, error) {
	if c.Request.Body == http.NoBody {
		return c.Query("reason"), nil
	}
	return request.Decode(c, func(body payload.Object) (string, error) {
		reason, given := body.Text("reason")
		if !given {
			reason = c.Query("reason")
		}
		return reason, body.Done()
	})
}

// PrefersPage reports whether r asks for HTML rather than for JSON, by its Accept. A client
// that does not say gets JSON.
func PrefersPage(r *http.Request) bool {
	return request.Prefers(r, []string{"text/html", "application/xhtml+xml", "text/*"}, []string{"application/json", "application/*", "application/problem+json"})
}
