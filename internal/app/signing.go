package app

import (
	"context"
	"fmt"
	"time"

	"countersign/handlers/identity"
	"countersign/handlers/portal"
	"countersign/internal/i18n"
	"countersign/internal/idempotency"
	"countersign/internal/intake"
	"countersign/internal/seal"
	"countersign/signingproxy"
)

// lateEffect is how long a package may still be made after its call failed.
const lateEffect = 3 * time.Second

// proxy puts the APIs below /api together; nil where none is in use.
func (a *App) proxy(profiles identity.Profiles, bundle *i18n.Bundle) (*signingproxy.Proxy, error) {
	if a.signing == nil && a.idv == nil {
		return nil, nil
	}
	if err := intake.CheckDir(a.config.SpoolDir); err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_SPOOL_DIR: %w", err)
	}
	o := signingproxy.Options{Profile: profiles.Person, Operator: a.operator, TrustEmail: a.config.TrustPlatformEmail}
	if a.signing != nil {
		if err := a.signingOptions(&o); err != nil {
			return nil, err
		}
	}
	if a.idv != nil {
		v, err := a.verificationOptions(bundle)
		if err != nil {
			return nil, err
		}
		o.Verification = v
	}
	return signingproxy.New(o), nil
}

// signingOptions adds what electronic signing needs.
func (a *App) signingOptions(o *signingproxy.Options) (err error) {
	if o.Idempotency, err = a.idempotency(); err != nil {
		return err
	}
	o.Upstream, o.Signing, o.Access = a.signing, a.signingClient, a.packages
	o.Hint = func(ctx context.Context, id string) error { return a.hub.Hint(ctx, portal.PackageTopic(id)) }
	o.OperatorsCreate = a.config.Signing.OperatorsCreate()
	o.Production = a.config.Production()
	o.Sites = a.signingSites()
	o.MaxUpload = int64(a.config.MaxUpload)
	o.SpoolDir = a.config.SpoolDir
	return nil
}

// idempotency keeps the first answers of idempotency keys.
func (a *App) idempotency() (*idempotency.Store, error) {
	leases, err := a.leases()
	if err != nil {
		return nil, err
	}
	keys, err := seal.New(a.config.AccessKeys...)
	if err != nil {
		return nil, err
	}
	return idempotency.New(idempotency.Options{
		Redis: a.redis.Client, Leases: leases, Keys: keys, Now: a.now, CallTimeout: a.config.UpstreamTimeout, Grace: lateEffect,
	}), nil
}
