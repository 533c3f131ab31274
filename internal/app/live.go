package app

import (
	"context"

	"countersign/handlers"
	"countersign/internal/events"
	"countersign/session"
)

// openHub makes the hub of live pages, where verification is in use.
func (a *App) openHub() {
	if a.transactions == nil {
		return
	}
	a.hub = events.New(events.Options{
		Redis: a.redis.Client, Channel: "events", Lifetime: a.config.Events.Lifetime, Max: a.config.Events.Max,
		Logger: a.logger, Now: a.now,
	})
}

// verifications are those of whoever is signed in.
func (a *App) verifications() handlers.Verifications {
	return handlers.Verifications{Platform: a.verification, Access: a.transactions, Operator: a.operator}
}

func (a *App) verificationEvents(sessions *session.Store) handlers.VerificationEvents {
	return handlers.VerificationEvents{Verifications: a.verifications(), Hub: a.hub, Sessions: sessions, Now: a.now}
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
