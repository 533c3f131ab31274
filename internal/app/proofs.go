package app

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"countersign/internal/account"
	identityapi "countersign/internal/identity/platform"
	"countersign/internal/signing/proofs"
	"countersign/internal/signing/service"
	verifying "countersign/internal/verification/service"
)

// proofs returns what the use cases of proofs need.
func (a *App) proofs() *service.Proofs {
	return &service.Proofs{
		Keeper: proofs.NewKeeper(a.stores.accessKeys), Leases: a.stores.leases, Checks: ownChecks{a}, Models: passkeyModels{a.identity, a.stores.passkeys}, Record: a.trail.Record,
		Log: func(ctx context.Context, doing string, err error) {
			a.logger.WarnContext(ctx, "proof check failed", slog.String("doing", doing), slog.String("cause", err.Error()))
		},
		Now: a.now,
	}
}

// passkeyModels knows the models of passkeys by the platform's list of authenticators, and their
// kinds by what was seen when they were registered.
type passkeyModels struct {
	platform *identityapi.Client
	passkeys *account.Passkeys
}

// modelWait limits how long a signing page waits for the model of a passkey.
const modelWait = 2 * time.Second

// Used returns the model of the passkey that the platform says was used then.
func (m passkeyModels) Used(ctx context.Context, user string, at time.Time) (service.Model, error) {
	ctx, cancel := context.WithTimeout(ctx, modelWait)
	defer cancel()
	list, err := m.platform.Authenticators(ctx, user)
	if err != nil {
		return service.Model{}, err
	}
	if err := m.passkeys.FillIn(ctx, user, list); err != nil {
		return service.Model{}, err
	}
	used, ok := identityapi.UsedAt(list, at)
	if !ok {
		return service.Model{}, nil
	}
	return service.Model{AAGUID: used.AAGUID, Provider: identityapi.Provider(used.AAGUID), Kind: string(used.Kind)}, nil
}

// ownChecks finds people's own identity checks, where identity verification is in use.
type ownChecks struct{ app *App }

// Own yields the completed checks of a user.
func (o ownChecks) Own(ctx context.Context, user string) iter.Seq2[service.Check, error] {
	return func(yield func(service.Check, error) bool) {
		if o.app.verification == nil {
			return
		}
		for c, err := range o.app.verification.service.OwnChecks(ctx, user) {
			if !yield(checkOf(c), err) {
				return
			}
		}
	}
}

func checkOf(c verifying.OwnCheck) service.Check {
	return service.Check{
		Transaction: c.ID, Completed: c.Completed, Passed: c.Passed,
		Document: proofs.Name{First: c.FirstName, Last: c.LastName}, Erased: c.Erased,
	}
}
