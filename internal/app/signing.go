package app

import (
	"countersign/handlers/identity"
	"countersign/handlers/portal"

	"context"
	"fmt"
	"time"

	"countersign/internal/idempotency"
	"countersign/internal/intake"
	"countersign/internal/seal"
	"countersign/signingproxy"
	verificationapi "countersign/signingproxy/verification"
	"countersign/web"
)

// lateEffect is how long a package may still be made after its call failed.
const lateEffect = 3 * time.Second

// apis are the platform's own APIs below /api that are in use. The proxy is that of
// signing, nil where signing is not in use.
func (a *App) apis(profiles identity.Profiles) (apis []web.API, proxy *signingproxy.Proxy, err error) {
	if a.verification != nil {
		apis = append(apis, verificationapi.New(verificationapi.Options{
			Service: a.verification, Actors: a.verificationActors(), PublicOrigin: a.URL(), Bundle: a.bundle,
		}))
	}
	if a.signing != nil {
		o := signingproxy.Options{Profile: profiles.Person, Operator: a.operator, TrustEmail: a.config.TrustPlatformEmail}
		if err := a.signingOptions(&o); err != nil {
			return nil, nil, err
		}
		proxy = signingproxy.New(o)
		apis = append(apis, proxy)
	}
	if len(apis) > 0 {
		err = intake.CheckDir(a.config.SpoolDir)
	}
	if err != nil {
		err = fmt.Errorf("COUNTERSIGN_SPOOL_DIR: %w", err)
	}
	return apis, proxy, err
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
