package people

import (
	"context"
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/account"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
)

// Authenticators lists, renames and removes a person's authenticators.
type Authenticators struct {
	Identity *platform.Client
	Passkeys *account.Passkeys
	StepUp   request.StepUp
	// Exclusive runs work while no other removal runs for person, a canonical user id, on
	// any node; false if another one has not ended in time.
	Exclusive func(ctx context.Context, person string, work func(context.Context) error) (bool, error)
}

type authenticatorsBody struct {
	Authenticators []authenticator `json:"authenticators"`
}

// authenticator is one registration; a value that the platform does not have is null.
type authenticator struct {
	ID         string       `json:"id"`
	Name       request.Text `json:"name"`
	Protocol   string       `json:"protocol"`
	Provider   request.Text `json:"provider"`
	Kind       request.Text `json:"kind"`
	CreatedAt  request.Time `json:"createdAt"`
	LastUsedAt request.Time `json:"lastUsedAt"`
	*fido2Model
	*uafModel
}

// fido2Model and uafModel are the member with the model of an authenticator: one of the
// two, by protocol.
type fido2Model struct {
	AAGUID request.Text `json:"aaguid"`
}

type uafModel struct {
	AAID request.Text `json:"aaid"`
}

// List answers GET /users/{user}/authenticators.
func (h Authenticators) List(c *gin.Context) error {
	list, err := h.list(c, request.From(c).User)
	if err != nil {
		return err
	}
	return request.Answer(c, http.StatusOK, authenticatorsBody{authenticatorBodies(list)})
}

// list returns the authenticators of user, with what is known of them here; an outage of Redis
// hides nothing of the platform's.
func (h Authenticators) list(c *gin.Context, user string) ([]platform.Authenticator, error) {
	list, err := h.Identity.Authenticators(c.Request.Context(), user)
	if err != nil {
		return nil, err
	}
	if err := h.Passkeys.FillIn(c.Request.Context(), user, list); err != nil {
		request.LogCause(c, err)
	}
	return list, nil
}

// authenticatorBodies returns authenticators as JSON shows them.
func authenticatorBodies(list []platform.Authenticator) []authenticator {
	out := make([]authenticator, 0, len(list))
	for _, a := range list {
		out = append(out, authenticatorBody(a))
	}
	return out
}

func authenticatorBody(a platform.Authenticator) authenticator {
	out := authenticator{
		ID:         a.ID,
		Name:       request.Text(a.Name),
		Protocol:   a.Protocol,
		Provider:   request.Text(platform.Provider(a.AAGUID)),
		Kind:       request.Text(a.Kind),
		CreatedAt:  request.Time(a.CreatedAt),
		LastUsedAt: request.Time(a.LastUsedAt),
	}
	if a.Protocol == platform.UAF11 {
		out.uafModel = &uafModel{request.Text(a.AAID)}
	} else {
		out.fido2Model = &fido2Model{request.Text(a.AAGUID)}
	}
	return out
}
