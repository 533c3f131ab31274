package app

import (
	"fmt"
	"time"

	"countersign/handlers"
	"countersign/internal/idempotency"
	"countersign/internal/seal"
	"countersign/internal/signing"
	"countersign/signingproxy"
)

// lateEffect is how long a package may still be made after its call failed.
const lateEffect = 3 * time.Second

// signingProxy puts the signing API together; nil where it is not in use.
func (a *App) signingProxy(profiles handlers.Profiles) (*signingproxy.Proxy, error) {
	if a.signing == nil {
		return nil, nil
	}
	if err := signing.CheckSpoolDir(a.config.SpoolDir); err != nil {
		return nil, fmt.Errorf("COUNTERSIGN_SPOOL_DIR: %w", err)
	}
	keys, err := a.idempotency()
	if err != nil {
		return nil, err
	}
	return signingproxy.New(signingproxy.Options{
		Upstream:        a.signing,
		Signing:         signing.New(a.signing),
		Access:          a.packages,
		Idempotency:     keys,
		Profile:         profiles.Person,
		Operator:        a.operator,
		OperatorsCreate: a.config.Signing.OperatorsCreate(),
		TrustEmail:      a.config.TrustPlatformEmail,
		Production:      a.config.Production(),
		SiteHosts:       a.config.Signing.SiteHosts,
		MaxUpload:       int64(a.config.MaxUpload),
		SpoolDir:        a.config.SpoolDir,
	}), nil
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
		Redis: a.redis.Client, Leases: leases, Keys: keys, Now: a.now, CallTimeout: a.config.Signing.Timeout, Grace: lateEffect,
	}), nil
}
