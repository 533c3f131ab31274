package app

import (
	"countersign/handlers/page"

	"crypto/hkdf"
	"crypto/sha256"

	"countersign/internal/events"
	"countersign/session"
	"countersign/web"
)

// openHub makes the hub of live pages, where there are any.
func (a *App) openHub(metrics *web.Metrics) {
	if a.verification == nil && a.packages == nil {
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
