package people

import (
	"context"
	"encoding/base64"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"countersign/internal/account"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
)

// AcceptedPasskeys tells a browser which passkeys of a person the platform accepts, for
// the Signal API (Web Authentication Level 3, section 5.1.10). The platform's list of
// authenticators names no credentials; its authentication requests do. That of the sign-in
// is taken, else one that is asked for once per sign-in, and once more when the list has
// changed. No ceremony begins with it: its challenge is dropped, and no limit counts it. The
// user handle comes from what the person did: from a registration that they began, or from the
// response of a passkey.
type AcceptedPasskeys struct {
	Identity *platform.Client
	Passkeys *account.Passkeys
	Now      func() time.Time
}

// acceptedPasskeys is the answer. What is not known is null.
type acceptedPasskeys struct {
	RPID        string  `json:"rpId"`
	UserID      *string `json:"userId"`
	Name        *string `json:"name"`
	DisplayName *string `json:"displayName"`
	// AllAcceptedCredentialIDs is null if the platform does not name them all. A nil slice would
	// be an empty list, by which a browser hides every passkey.
	AllAcceptedCredentialIDs *[]string `json:"allAcceptedCredentialIds"`
}

// Show answers GET /users/{user}/accepted-passkeys.
func (h AcceptedPasskeys) Show(c *gin.Context) error {
	ctx, user := c.Request.Context(), request.From(c).User
	passkeys, err := h.registrations(ctx, user)
	if err != nil {
		return err
	}
	known, accepted, ok, err := h.Passkeys.Of(ctx, user)
	if err != nil {
		return err
	}
	if s := request.From(c).Session; !ok || !accepted.Holds(s, passkeys) {
		if accepted, err = h.ask(ctx, user); err != nil {
			return err
		}
		if err := h.Passkeys.Keep(ctx, user, accepted.AskedFor(s, passkeys, h.Now())); err != nil {
			return err
		}
	}
	body := acceptedPasskeys{RPID: accepted.RPID, AllAcceptedCredentialIDs: whole(accepted.Credentials, len(passkeys))}
	if known.RPID != "" {
		body.RPID = known.RPID
	}
	body.UserID, body.Name = request.Known(base64.RawURLEncoding.EncodeToString(known.Handle)), request.Known(known.Name)
	if body.Name != nil {
		person, err := h.Identity.User(ctx, user)
		if err != nil {
			return err
		}
		body.DisplayName = &person.DisplayName
	}
	return request.Answer(c, http.StatusOK, body)
}

// registrations returns the ids of the user's registrations of passkeys.
func (h AcceptedPasskeys) registrations(ctx context.Context, user string) (ids []string, err error) {
	list, err := h.Identity.Authenticators(ctx, user)
	for _, a := range list {
		if a.Protocol == platform.FIDO2 {
			ids = append(ids, a.ID)
		}
	}
	return ids, err
}

// ask asks the platform for an authentication request. One that it does not have, or that names
// no passkey, says that the person has none.
func (h AcceptedPasskeys) ask(ctx context.Context, user string) (accepted account.AcceptedPasskeys, err error) {
	asked, err := h.Identity.GenerateFIDOAuthenticationRequest(ctx, user, platform.AuthenticationRequestInput{FIDOProtocol: platform.FIDO2})
	if err != nil && fault.From(err).MostSpecific().Key == fault.AuthenticationNoAuthenticator {
		return account.AcceptedPasskeys{Credentials: [][]byte{}}, nil
	}
	if err != nil {
		return accepted, err
	}
	request, err := ceremony.FromAuthenticationRequest(ceremony.FIDO2, asked.AuthenticationRequest)
	if err != nil {
		return accepted, fault.Wrap(fault.PlatformFailed, err)
	}
	return account.AcceptedPasskeys{RPID: request.RPID, Credentials: request.Allowed}, nil
}

// whole returns the credentials, in base64url, if they are as many as the list has passkeys;
// else nil. A platform may name some of them only, and a browser hides whatever is not named.
func whole(credentials [][]byte, listed int) *[]string {
	if credentials == nil || len(credentials) != listed {
		return nil
	}
	ids := make([]string, len(credentials))
	for i, id := range credentials {
		ids[i] = base64.RawURLEncoding.EncodeToString(id)
	}
	return &ids
}
