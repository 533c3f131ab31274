package people

import (
	"context"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/identity"
	"countersign/internal/request"
)

// Authenticators lists, renames and removes a person's authenticators.
type Authenticators struct {
	Identity *identity.Client
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
	ID         string  `json:"id"`
	Name       *string `json:"name"`
	Protocol   string  `json:"protocol"`
	Provider   *string `json:"provider"`
	CreatedAt  *string `json:"createdAt"`
	LastUsedAt *string `json:"lastUsedAt"`
	*fido2Model
	*uafModel
}

// fido2Model and uafModel are the member with the model of an authenticator: one of the
// two, by protocol.
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
	return request.Answer(c, http.StatusOK, authenticatorsBody{authenticatorBodies(list)})
}

// authenticatorBodies returns authenticators as JSON shows them.
func authenticatorBodies(list []identity.Authenticator) []authenticator {
	out := make([]authenticator, 0, len(list))
	for _, a := range list {
		out = append(out, authenticatorBody(a))
	}
	return out
}

func authenticatorBody(a identity.Authenticator) authenticator {
	out := authenticator{
		ID:         a.ID,
		Name:       request.Known(a.Name),
		Protocol:   a.Protocol,
		Provider:   request.Known(identity.Provider(a.AAGUID)),
		CreatedAt:  moment(a.CreatedAt),
		LastUsedAt: moment(a.LastUsedAt),
	}
	if a.Protocol == identity.UAF11 {
		out.uafModel = &uafModel{request.Known(a.AAID)}
	} else {
		out.fido2Model = &fido2Model{request.Known(a.AAGUID)}
	}
	return out
}

// moment returns a formatted time, or null for the zero time.
func moment(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return request.Known(request.Timestamp(t))
}
