package app

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"

	"countersign/handlers"
	"countersign/handlers/page"
	"countersign/handlers/verify"
	"countersign/internal/events"
	"countersign/internal/ratelimit"
	"countersign/internal/request"
	"countersign/session"
	"countersign/web"
)

// openHub makes the hub of live pages, where there are any.
func (a *App) openHub(metrics *web.Metrics) {
	if a.transactions == nil && a.packages == nil {
		return
	}
	a.hub = events.New(events.Options{
		Redis: a.redis.Client, Channel: "events", Lifetime: a.config.Events.Lifetime, Max: a.config.Events.Max,
		Logger: a.logger, Now: a.now,
	})
	metrics.EventStreams(a.hub.Watchers)
}

// revisions numbers what is watched.
func (a *App) revisions() (events.Revisions, error) {
	key, err := hkdf.Key(sha256.New, a.config.DecoyKey, nil, "countersign revisions", sha256.Size)
	return events.Revisions{Redis: a.redis.Client, Key: key, Now: a.now}, err
}

// streams are those of the hub.
func (a *App) streams(sessions *session.Store) page.Streams {
	return page.Streams{Hub: a.hub, Sessions: sessions, Now: a.now}
}

// verificationPages puts the pages and streams of verifications together.
func (a *App) verificationPages(all *handlers.Handlers, sessions *session.Store, renderer page.Renderer) error {
	if a.transactions == nil {
		return nil
	}
	limiter, err := a.limiter()
	if err != nil {
		return err
	}
	limit, err := ratelimit.Parse(a.config.Rates.Verification)
	if err != nil {
		return err
	}
	rules, err := a.verificationRules()
	if err != nil {
		return err
	}
	all.Verifications = verify.Verifications{
		Platform: a.verification, Access: a.transactions, Operator: a.operator,
		OperatorsCreate: a.config.IDV.OperatorsCreate(), StartersErase: a.config.IDV.StarterErases(),
		StepUp: request.StepUp{Age: a.config.StepUpAge, Now: a.now},
	}
	all.VerificationEvents = verify.VerificationEvents{Verifications: all.Verifications, Streams: a.streams(sessions)}
	all.VerificationsPage = verify.VerificationsPage{Renderer: renderer, Verifications: all.Verifications}
	all.VerificationPage = verify.VerificationPage{Renderer: renderer, Verifications: all.Verifications}
	all.NewVerificationPage = verify.NewVerificationPage{
		Renderer: renderer, Verifications: all.Verifications, Rules: rules, PublicOrigin: a.config.PublicOrigin.String(),
		Limiter: limiter, Limit: limit,
	}
	return nil
}

// verificationChanged has whoever watches a transaction hear of what it is now, and the
// index too. What the platform does not tell now is asked when it is needed.
func (a *App) verificationChanged(ctx context.Context, id string) error {
	if err := a.hub.Hint(ctx, id); err != nil {
		return err
	}
	if err := a.transactions.Refresh(ctx, id); err != nil {
		a.logger.WarnContext(ctx, "a verification that changed could not be read", "cause", err.Error())
	}
	return nil
}
