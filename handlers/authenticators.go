package handlers

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gin-gonic/gin"

	"countersign/internal/fault"
	"countersign/internal/identity"
	"countersign/internal/request"
	"countersign/internal/signin"
)

// Authenticators answers for what a person has registered.
type Authenticators struct {
	Identity *identity.Client
	StepUp   request.StepUp
	// Exclusive runs work while no other removal runs for person, a canonical user
	// id, on any node; false when another one has not ended in time.
	Exclusive func(ctx context.Context, person string, work func(context.Context) error) (bool, error)
}

type authenticatorsBody struct {
	Authenticators []authenticator `json:"authenticators"`
}

// authenticator is one registration; what the platform does
// not tell is null.
type authenticator struct {
	ID         string  `json:"id"`
	Name       *string `json:"name"`
	Protocol   string  `json:"protocol"`
	Provider   *string `json:"provider"`
	CreatedAt  *string `json:"createdAt"`
	LastUsedAt *string `json:"lastUsedAt"`
	*fido2Model
	*uafModel
}

// fido2Model and uafModel are the member that names the model of an
// authenticator: one of the two, by protocol.
type fido2Model struct {
	AAGUID *string `json:"aaguid"`
}

type uafModel struct {
	AAID *string `json:"aaid"`
}

// List answers GET /users/{user}/authenticators.
func (h Authenticators) List(c *gin.Context) error {
	list, err := h.Identity.Authenticators(c.Request.Context(), request.From(c).User)
	if err != nil {
		return err
	}
	body := authenticatorsBody{Authenticators: make([]authenticator, 0, len(list))}
	for _, a := range list {
		body.Authenticators = append(body.Authenticators, authenticatorBody(a))
	}
	return request.Answer(c, http.StatusOK, body)
}

// nameLimit is the longest name of an authenticator, in characters.
const nameLimit = 64

// Rename answers PATCH /users/{user}/authenticators/{id}: {name}.
func (h Authenticators) Rename(c *gin.Context) error {
	name, err := request.Decode(c, func(body *request.Object) (string, error) { return body.Required("name"), body.Done() })
	if err != nil {
		return err
	}
	if err := h.rename(c.Request.Context(), request.From(c).User, c.Param("id"), name); err != nil {
		return err
	}
	return request.NoContent(c)
}

func (h Authenticators) rename(ctx context.Context, user, id, name string) error {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > nameLimit || strings.ContainsFunc(name, isControl) || !strings.ContainsFunc(name, isVisible) {
		return request.Violation("/name", "field.name")
	}
	return h.Identity.RenameAuthenticator(ctx, user, id, name)
}

// isControl reports what may not stand in a line of text: control characters,
// what is no character, and what turns the direction of the text around it.
func isControl(r rune) bool {
	return unicode.IsControl(r) || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}

// isVisible reports what leaves a mark.
func isVisible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !unicode.Is(unicode.Mn, r)
}

// Remove answers DELETE /users/{user}/authenticators/{id}: 204, or for UAF 200
// with the deregistration request for the app. The last authenticator of a
// session that has no other method is removed with ?confirm=last alone.
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

// remove checks for the last authenticator and removes id as one step: of two
// requests at once the second sees what the first has left.
func (h Authenticators) remove(c *gin.Context, id string, confirmed bool) (out identity.RemoveAuthenticatorOutput, err error) {
	if err := h.StepUp.Require(c); err != nil {
		return out, err
	}
	person, err := request.RequirePerson(c)
	if err != nil {
		return out, err
	}
	held, err := h.Exclusive(c.Request.Context(), person.ID, func(ctx context.Context) error {
		if !confirmed && onlyAuthenticators(request.From(c).Session.Methods()) {
			list, err := h.Identity.Authenticators(ctx, person.ID)
			if err != nil {
				return err
			}
			if len(list) == 1 && list[0].ID == id {
				return fault.New(fault.AuthenticatorLast)
			}
		}
		out, err = h.Identity.RemoveAuthenticator(ctx, person.ID, id)
		return err
	})
	if err == nil && !held {
		err = fault.New(fault.RequestRate)
	}
	return out, err
}

// onlyAuthenticators reports whether a session knows no way to sign in but FIDO
// authenticators.
func onlyAuthenticators(methods []string) bool {
	return !slices.ContainsFunc(methods, func(m string) bool { return m != signin.MethodFIDO2 && m != signin.MethodUAF })
}

func authenticatorBody(a identity.Authenticator) authenticator {
	out := authenticator{
		ID:         a.ID,
		Name:       known(a.Name),
		Protocol:   a.Protocol,
		Provider:   known(provider(a.AAGUID)),
		CreatedAt:  moment(a.CreatedAt),
		LastUsedAt: moment(a.LastUsedAt),
	}
	if a.Protocol == protocolUAF11 {
		out.uafModel = &uafModel{known(a.AAID)}
	} else {
		out.fido2Model = &fido2Model{known(a.AAGUID)}
	}
	return out
}

// moment is a time the platform told, or null.
func moment(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return known(timestamp(t))
}
