package app

import (
	"context"
	"net/http"
)

// Handler returns the handler of the public listener.
func (a *App) Handler() http.Handler { return a.public.server.Handler.(drained).Handler }

// CheckReadiness checks readiness as a probe of /readyz does.
func (a *App) CheckReadiness(ctx context.Context) error { return a.readiness.Check(ctx) }
