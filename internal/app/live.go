package app

import (
	"countersign/handlers/page"
	"countersign/internal/account"
	"countersign/internal/events"
	"countersign/session"
	"countersign/web"
)

// openHub creates the hub of live pages, if signing or verification is in use.
func (a *App) openHub(metrics *web.Metrics) {
	if a.verification == nil && a.signing == nil {
		return
	}
	a.hub = events.New(events.Options{
		Redis: a.redis, Channel: a.redis.Name("cs:events"), Lifetime: a.config.Events.Lifetime, Max: a.config.Events.Max,
		Logger: a.logger, Now: a.now,
	})
	metrics.EventStreams(a.hub.Watchers)
	metrics.Hints(a.hub.Refused)
}

// hintsRefused returns why live pages are not told of changes; nil if they are.
func (a *App) hintsRefused() error {
	if a.hub == nil {
		return nil
	}
	return a.hub.Refused()
}

// streams returns the live streams of the hub for pages.
func (a *App) streams(sessions *session.Store, accounts *account.Checker) page.Streams {
	return page.Streams{Hub: a.hub, Sessions: sessions, Accounts: accounts, Now: a.now}
}
