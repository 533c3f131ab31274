package app

import (
	"context"
	"errors"
	"time"

	"countersign/internal/config"
	"countersign/internal/retention"
	signingindex "countersign/internal/signing/index"
	signingservice "countersign/internal/signing/service"
	verificationindex "countersign/internal/verification/index"
	verificationservice "countersign/internal/verification/service"
	"countersign/web"
)

// retention returns the rule by which something goes some days after its end; nil for never.
func (a *App) retention(after config.Days, count func(retention.Result, int)) *retention.Rule {
	if after == 0 {
		return nil
	}
	rule := &retention.Rule{
		After: after.Duration(), Keep: a.trail.RecordFirst, Record: a.trail.Record, Count: count, Logger: a.logger, Now: a.now,
	}
	if !a.config.EmbeddedRedis() {
		rule.Clock = func(ctx context.Context) (time.Time, error) { return a.redis.Client.Time(ctx).Result() }
	}
	return rule
}

// ErrNoRule is the error of RetentionPlan where the settings have no rule.
var ErrNoRule = errors.New("no rule: neither COUNTERSIGN_SIGNING_TRASH_AFTER nor COUNTERSIGN_IDV_ERASE_AFTER is set")

// RetentionList is what the rules of retention would do.
type RetentionList struct {
	Packages      []signingindex.EndedPackage
	Verifications []verificationindex.EndedCheck
}

// RetentionPlan returns what goes by the rules of the settings. It reads Redis alone and changes
// nothing. The error is ErrNoRule or ErrOwnRedis for settings that have nothing to tell.
func RetentionPlan(ctx context.Context, o Options) (plan RetentionList, err error) {
	a := New(o)
	switch {
	case a.config.Signing.TrashAfter == 0 && a.config.IDV.EraseAfter == 0:
		return plan, ErrNoRule
	case a.config.EmbeddedRedis():
		return plan, ErrOwnRedis
	}
	defer func() { err = errors.Join(err, a.closeAll(ctx)) }()
	for _, open := range []func() error{func() error { return a.openRedis(web.NewMetrics(a.version)) }, a.openStores} {
		if err := open(); err != nil {
			return plan, err
		}
	}
	if plan.Packages, err = a.packagesPlan(ctx); err == nil {
		plan.Verifications, err = a.verificationsPlan(ctx)
	}
	return plan, err
}

// packagesPlan returns the packages that go to the trash by the settings.
func (a *App) packagesPlan(ctx context.Context) ([]signingindex.EndedPackage, error) {
	rule := a.retention(a.config.Signing.TrashAfter, nil)
	if rule == nil || !a.config.SigningInUse() {
		return nil, nil
	}
	packages, err := signingindex.New(signingindex.Options{
		Redis: a.redis.Client, Keys: a.stores.accessKeys, Platform: signingindex.OfClient(nil), Leases: a.stores.leases,
		Lookup: a.stores.lookup, Sweep: a.config.Signing.Sweep, Logger: a.logger, Now: a.now,
	})
	if err != nil {
		return nil, err
	}
	return (&signingservice.Service{Index: packages, Retention: rule}).RetentionPlan(ctx)
}

// verificationsPlan returns the verifications that are erased by the settings.
func (a *App) verificationsPlan(ctx context.Context) ([]verificationindex.EndedCheck, error) {
	rule := a.retention(a.config.IDV.EraseAfter, nil)
	if rule == nil || !a.config.VerificationInUse() {
		return nil, nil
	}
	transactions, err := verificationindex.New(verificationindex.Options{
		Redis: a.redis.Client, Keys: a.stores.accessKeys, Platform: verificationindex.OfClient(nil), Leases: a.stores.leases,
		Lookup: a.stores.lookup, Now: a.now,
	})
	if err != nil {
		return nil, err
	}
	return (&verificationservice.Service{Index: transactions, Retention: rule, Now: a.now}).RetentionPlan(ctx)
}
