package app

import (
	"context"
	"time"

	"countersign/handlers"
	"countersign/handlers/page"
	"countersign/handlers/people"
	"countersign/internal/account"
	"countersign/internal/request"
	"countersign/session"
	"countersign/web"
)

// accounts returns the checks of who can still use their account.
func (a *App) accounts(sessions *session.Store, metrics *web.Metrics) *account.Checker {
	return account.New(account.Options{
		Identity: a.identity, Sessions: sessions, Ending: a.ending(sessions), Redis: a.redis.Client, Keys: a.stores.sessionKeys,
		Every: time.Duration(a.config.Account.Check), Grace: a.config.Account.Grace,
		Record: a.trail.Record, Checked: a.checked(metrics), Now: a.now,
	})
}

// activations returns what tells how people's activations stand.
func (a *App) activations() account.Activations {
	return account.Activations{Identity: a.identity, Redis: a.redis.Client, Keys: a.stores.sessionKeys, Now: a.now}
}

// checked counts a check of an account, and logs one that found no verdict.
func (a *App) checked(metrics *web.Metrics) func(verdict string, err error) {
	count := metrics.AccountChecks(account.Verdicts()...)
	return func(verdict string, err error) {
		count(verdict)
		if err != nil {
			a.logger.Warn("account check failed", "verdict", verdict, "cause", err)
		}
	}
}

// peoplePages adds what operators do about other people's accounts.
func (a *App) peoplePages(all *handlers.Handlers, actors request.Actors, sessions *session.Store, renderer page.Renderer) {
	all.PeoplePage = people.PeoplePage{Renderer: renderer, People: people.People{
		Service: account.People{
			Identity: a.identity, Passkeys: a.stores.passkeys, Ending: a.ending(sessions), Exclusive: exclusive(a.stores.leases), Events: a.trail.Last,
		},
		Actors: actors, Users: a.users(),
	}}
}

// actors returns what tells the use cases who asks.
func (a *App) actors(all *handlers.Handlers) request.Actors {
	return request.Actors{
		Profile: all.Session.Profiles.Person, Operator: a.operator, TrustEmail: a.config.TrustPlatformEmail,
		StepUp: request.StepUp{Age: a.config.StepUpAge, Now: a.now},
	}
}

// ending returns what ends people's sessions and kept forms.
func (a *App) ending(sessions *session.Store) account.Ending {
	ending := account.Ending{Sessions: sessions}
	if a.stores.forms != nil {
		ending.Forms = func(ctx context.Context, person string) {
			if err := a.stores.forms.End(ctx, person); err != nil { // nobody is signed in by a form
				a.logger.WarnContext(ctx, "recovered forms not deleted", "cause", err.Error())
			}
		}
	}
	return ending
}
