package people

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/internal/audit"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/payload"
	"countersign/internal/request"
	"countersign/internal/safetext"
	"countersign/internal/signin"
)

// nameLimit limits the name of an authenticator, in characters.
const nameLimit = 64

// Rename answers PATCH /users/{user}/authenticators/{id}: {name}.
func (h Authenticators) Rename(c *gin.Context) error {
	name, err := request.Decode(c, func(body payload.Object) (string, error) { return body.Required("name"), body.Done() })
	if err != nil {
		return err
	}
	if err := h.rename(c, request.From(c).User, c.Param("id"), name); err != nil {
		return err
	}
	return request.NoContent(c)
}

func (h Authenticators) rename(c *gin.Context, user, id, name string) error {
	name = safetext.Trim(name)
	if utf8.RuneCountInString(name) > nameLimit || !utf8.ValidString(name) || !safetext.IsLine(name) || !strings.ContainsFunc(name, isVisible) {
		return payload.Violation("/name", "field.name")
	}
	ctx := c.Request.Context()
	one, err := h.Identity.Authenticator(ctx, user, id)
	if err == nil {
		err = h.Identity.RenameAuthenticator(ctx, one, name)
	}
	if err == nil {
		request.Audit(c, audit.Event{Kind: audit.AuthenticatorRenamed, Subject: id})
	}
	return err
}

// isVisible reports whether r is visible by itself.
func isVisible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Mn, r)
}

// Remove answers DELETE /users/{user}/authenticators/{id}: 204, or for UAF 200 with the
// deregistration request for the app. The last authenticator of a session without any
// other method is removed only with ?confirm=last.
func (h Authenticators) Remove(c *gin.Context) error {
	out, err := h.remove(c, c.Param("id"), c.Query("confirm") == "last")
	if err != nil {
		return err
	}
	if out.DeregistrationRequest != "" {
		return request.Answer(c, http.StatusOK, out)
	}
	return request.NoContent(c)
}

// remove checks for the last authenticator and removes id in one step: of two concurrent
// requests, the second sees the result of the first.
func (h Authenticators) remove(c *gin.Context, id string, confirmed bool) (out platform.RemoveAuthenticatorOutput, err error) {
	if err := h.StepUp.Require(c); err != nil {
		return out, err
	}
	person, err := request.RequirePerson(c)
	if err != nil {
		return out, err
	}
	held, err := h.Exclusive(c.Request.Context(), person.ID, func(ctx context.Context) error {
		list, err := h.Identity.Authenticators(ctx, person.ID)
		if err != nil {
			return err
		}
		one, err := platform.Find(list, id)
		switch {
		case err != nil:
			return err
		case !confirmed && len(list) == 1 && onlyAuthenticators(request.From(c).Session.Methods()):
			return fault.New(fault.AuthenticatorLast)
		}
		out, err = h.Identity.RemoveAuthenticator(ctx, one)
		return err
	})
	switch {
	case err != nil:
		return out, err
	case !held:
		return out, fault.New(fault.RequestRate)
	}
	event := audit.Event{Kind: audit.AuthenticatorRemoved, Subject: id}
	made, ok, err := h.Passkeys.ForgetMade(c.Request.Context(), person.ID, id)
	if err != nil {
		request.LogCause(c, err)
	}
	if ok && made.Conditional && h.StepUp.Now().Sub(made.At) < 24*time.Hour {
		event.Method = audit.MethodConditional
	}
	request.Audit(c, event)
	return out, nil
}

// onlyAuthenticators reports whether all methods of a session are FIDO authenticators.
func onlyAuthenticators(methods []string) bool {
	return !slices.ContainsFunc(methods, func(m string) bool { return m != signin.MethodFIDO2 && m != signin.MethodUAF })
}
