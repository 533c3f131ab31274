package identity

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/audit"
	"countersign/internal/ceremony"
	"countersign/internal/fault"
	"countersign/internal/identity/platform"
	"countersign/internal/request"
)

// listWait limits how long a registration waits for a list of authenticators.
const listWait = 2 * time.Second

// described returns what the event of a registration says of its key.
func described(made *ceremony.MadeCredential) audit.Authenticator {
	if made == nil {
		return audit.Authenticator{KeyKind: string(platform.DeviceBound)} // UAF
	}
	out := audit.Authenticator{KeyKind: string(platform.KindOf(made.BackupEligible)), Provider: platform.Provider(made.AAGUID)}
	if made.AAGUID != uuid.Nil.String() { // which tells no model
		out.AAGUID = made.AAGUID
	}
	return out
}

// admit refuses the models that are denied.
func (h Registration) admit(made *ceremony.MadeCredential) error {
	if made != nil && slices.Contains(h.Denied, made.AAGUID) {
		return fault.Wrap(fault.CeremonyModel, errors.New("a passkey of the model "+made.AAGUID))
	}
	return nil
}

// listed returns user's authenticators; nil if they cannot be told now.
func (h Registration) listed(ctx context.Context, c *gin.Context, user string) []platform.Authenticator {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	list, err := h.Identity.Authenticators(ctx, user)
	if err != nil {
		request.LogCause(c, err)
		return nil
	}
	return list
}

// keepMade keeps what was seen of a passkey that the platform has just registered, by its id
// in the list: the one that was not there before. Where several may be meant, or the lists
// cannot be had, nothing is kept, and its kind is unknown.
func (h Registration) keepMade(c *gin.Context, user string, before []platform.Authenticator, made *ceremony.MadeCredential, conditional bool) {
	ctx := context.WithoutCancel(c.Request.Context()) // it is registered, even if the client has gone
	id, ok := platform.Added(before, h.listed(ctx, c, user), platform.FIDO2, made.AAGUID)
	if !ok {
		return
	}
	kept := account.Made{BackupEligible: made.BackupEligible, BackedUp: made.BackedUp, At: h.Now(), Conditional: conditional}
	if err := h.Passkeys.KeepMade(ctx, user, id, kept); err != nil {
		request.LogCause(c, err)
	}
}
