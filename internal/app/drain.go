package app

import (
	"context"
	"time"
)

// Drain announces on /readyz and in the log that this node ends, and goes on serving for
// the DrainDelay of the settings, or until ctx ends, so that proxies can notice. Close
// follows.
func (a *App) Drain(ctx context.Context) {
	a.readiness.Stop()
	delay := time.Duration(a.config.DrainDelay)
	if delay == 0 {
		return
	}
	a.logger.Info("draining", "duration", delay)
	a.public.draining.Store(true)
	select {
	case <-time.After(delay):
	case <-ctx.Done():
	}
}
