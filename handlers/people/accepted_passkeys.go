package people

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
)

// AcceptedPasskeys tells a browser which passkeys of a person the platform accepts, for
// the Signal API (Web Authentication Level 3, section 5.1.10).
type AcceptedPasskeys struct {
	Identity *platform.Client
	Limits   request.Limits
}

type acceptedPasskeys struct {
	RPID        string `json:"rpId"`
	UserID      string `json:"userId"`
	Name        string `json:"name"`
	DisplayName string `json:"displayName"`
	// AllAcceptedCredentialIDs is null if the platform does not name them all.
	AllAcceptedCredentialIDs []string `json:"allAcceptedCredentialIds"`
}

// Show answers GET /users/{user}/accepted-passkeys. The platform's list of authenticators
// names no credentials; its registration requests do, so one is asked for. No ceremony
// begins: the request's challenge is dropped, and a response to it would be refused.
func (h AcceptedPasskeys) Show(c *gin.Context) error {
	count := ratelimit.Count{Name: "accepted-passkeys", Subject: request.From(c).Session.ID(), Limit: h.Limits.Ceremony}
	if err := h.Limits.Limiter.Take(c.Request.Context(), count); err != nil {
		return err
	}
	ctx, user := c.Request.Context(), request.From(c).User
	list, err := h.Identity.Authenticators(ctx, user)
	if err != nil {
		return err
	}
	asked, err := h.Identity.GenerateFIDORegistrationRequest(ctx, user, platform.RegistrationRequestInput{FIDOProtocol: platform.FIDO2})
	if err != nil {
		return err
	}
	known, err := ceremony.ReadAccepted(asked.RegistrationRequest)
	if err != nil {
		return fault.Wrap(fault.PlatformFailed, err)
	}
	return request.Answer(c, http.StatusOK, acceptedPasskeys{
		RPID: known.RPID, UserID: known.UserID, Name: known.Name, DisplayName: known.DisplayName,
		AllAcceptedCredentialIDs: whole(known.Credentials, list),
	})
}

// whole returns the credentials if they are as many as the list has passkeys; else nil. A
// platform may name some of them only, and a browser hides whatever is not named.
func whole(credentials []string, list []platform.Authenticator) []string {
	passkeys := 0
	for _, a := range list {
		if a.Protocol == platform.FIDO2 {
			passkeys++
		}
	}
	if len(credentials) != passkeys {
		return nil
	}
	return credentials
}
