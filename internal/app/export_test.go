package app

import (
	"context"
	"net/http"
)

// Handler is what the public listener serves.
func (a *App) Handler() http.Handler { return a.public.server.Handler.(drained).Handler }

// CheckReadiness is what a probe of /readyz does.
func (a *App) CheckReadiness(ctx context.Context) error { return a.readiness.Check(ctx) }
